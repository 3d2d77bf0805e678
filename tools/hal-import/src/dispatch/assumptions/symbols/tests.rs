use super::*;
use proptest::prelude::*;

/// An expression over unknown numbers, as a program would compute it.
#[derive(Debug, Clone)]
enum Expr {
    Unknown(usize),
    Constant(i64),
    Op(&'static str, Box<Expr>, Box<Expr>),
}

const UNKNOWNS: usize = 3;

fn expressions() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(0..UNKNOWNS).prop_map(Expr::Unknown), (-5..6i64).prop_map(Expr::Constant)];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let any = prop::sample::select(&["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi"][..]);
        let division = prop::sample::select(&["arith.divsi", "arith.floordivsi", "arith.ceildivsi", "arith.remsi"][..]);
        prop_oneof![
            (any, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::Op(op, Box::new(a), Box::new(b))),
            (division, inner, 1..6i64).prop_map(|(op, a, by)| Expr::Op(op, Box::new(a), Box::new(Expr::Constant(by)))),
        ]
    })
}

/// Unknown numbers stand for scalars, of which there are none without a program.
fn unknown(symbols: &mut Symbols, i: usize) -> Sym {
    Sym::atom(symbols.id(Atom::Node("unknown", vec![Sym::constant(i as i64)])))
}

fn sym(symbols: &mut Symbols, expr: &Expr) -> Sym {
    match expr {
        Expr::Unknown(i) => unknown(symbols, *i),
        Expr::Constant(c) => Sym::constant(*c),
        Expr::Op(name, a, b) => {
            let (a, b) = (sym(symbols, a), sym(symbols, b));
            match *name {
                "arith.addi" => symbols.add(&a, &b),
                "arith.subi" => symbols.sub(&a, &b),
                "arith.muli" => symbols.mul(&a, &b),
                name => symbols.node(name, vec![a, b]),
            }
        }
    }
}

fn compute(name: &str, a: i128, b: i128) -> i128 {
    match name {
        "arith.addi" => a + b,
        "arith.subi" => a - b,
        "arith.muli" => a * b,
        "arith.maxsi" => a.max(b),
        "arith.minsi" => a.min(b),
        "arith.divsi" => a / b,
        "arith.remsi" => a % b,
        "arith.floordivsi" => a.div_euclid(b),
        "arith.ceildivsi" => -(-a).div_euclid(b),
        other => unreachable!("`{other}`"),
    }
}

fn value(expr: &Expr, at: &[i64]) -> i128 {
    match expr {
        Expr::Unknown(i) => i128::from(at[*i]),
        Expr::Constant(c) => i128::from(*c),
        Expr::Op(name, a, b) => compute(name, value(a, at), value(b, at)),
    }
}

fn value_of(symbols: &Symbols, sym: &Sym, at: &[i64]) -> i128 {
    let atom = |id: AtomId| match symbols.get(id) {
        Atom::Node("unknown", args) => i128::from(at[args[0].known().unwrap() as usize]),
        Atom::Node(name, args) => compute(name, value_of(symbols, &args[0], at), value_of(symbols, &args[1], at)),
        other => unreachable!("{other:?}"),
    };
    sym.terms().map(|(atoms, factor)| atoms.iter().map(|a| atom(*a)).product::<i128>() * i128::from(factor)).sum()
}

fn numbers() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(-9..10i64, UNKNOWNS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_polynomial_is_what_it_was_made_of(expr in expressions(), at in numbers()) {
        let mut symbols = Symbols::default();
        let sym = sym(&mut symbols, &expr);
        prop_assert_eq!(value_of(&symbols, &sym, &at), value(&expr, &at));
        let normal = symbols.normal(&sym);
        prop_assert_eq!(value_of(&symbols, &normal, &at), value(&expr, &at));
    }

    #[test]
    fn what_is_proved_holds(expr in expressions(), facts in prop::collection::vec(expressions(), 0..3), at in prop::collection::vec(numbers(), 20)) {
        let mut symbols = Symbols::default();
        for fact in &facts {
            let fact = sym(&mut symbols, fact);
            symbols.learn_at_least_zero(&fact);
        }
        let made = sym(&mut symbols, &expr);
        let normal = symbols.normal(&made);
        let proved = symbols.is_at_least_zero(&normal);
        for at in at.iter().filter(|at| facts.iter().all(|f| value(f, at) >= 0)) {
            prop_assert!(!proved || value(&expr, at) >= 0, "{} at {at:?}", value(&expr, at));
            prop_assert_eq!(value_of(&symbols, &normal, at), value(&expr, at));
        }
    }

    #[test]
    fn what_is_proved_in_loops_holds(expr in expressions(), trips in prop::collection::vec(1..8i64, UNKNOWNS), more in expressions(), at in prop::collection::vec(numbers(), 20)) {
        let mut symbols = Symbols::default();
        // Each unknown number is a counter below its own end, and something else holds as well.
        let mut facts = vec![sym(&mut symbols, &more)];
        for (i, trips) in trips.iter().enumerate() {
            let counter = unknown(&mut symbols, i);
            let last = symbols.sub(&Sym::constant(trips - 1), &counter);
            facts.extend([counter, last]);
        }
        facts.iter().for_each(|fact| symbols.learn_of_loop(fact));
        let made = sym(&mut symbols, &expr);
        let normal = symbols.normal(&made);
        let (proved, least) = (symbols.is_at_least_zero(&normal), symbols.least(&normal));
        let inside = |at: &&Vec<i64>| at.iter().zip(&trips).all(|(n, trips)| (0..*trips).contains(n)) && value(&more, at) >= 0;
        let folded: Vec<Vec<i64>> = at.iter().map(|at| at.iter().zip(&trips).map(|(n, t)| n.rem_euclid(*t)).collect()).collect();
        for at in folded.iter().filter(inside) {
            prop_assert!(!proved || value(&expr, at) >= 0, "{} at {at:?}", value(&expr, at));
            prop_assert!(least.is_none_or(|least| value(&expr, at) >= least), "{} at {at:?}", value(&expr, at));
            prop_assert_eq!(value_of(&symbols, &normal, at), value(&expr, at));
        }
    }

    #[test]
    fn slopes_and_values_of_atoms(expr in expressions(), by in expressions(), at in numbers(), step in 0..5i64) {
        let mut symbols = Symbols::default();
        let (made, by_sym) = (sym(&mut symbols, &expr), sym(&mut symbols, &by));
        let atom = unknown(&mut symbols, 0).single().unwrap();
        let with = symbols.with(&made, atom, &by_sym);
        if let Ok(there) = i64::try_from(value(&by, &at)) {
            let mut moved = at.clone();
            moved[0] = there;
            prop_assert_eq!(value_of(&symbols, &with, &at), value(&expr, &moved));
        }
        let mut further = at.clone();
        further[0] += step;
        let change = value(&expr, &further) - value(&expr, &at);
        match symbols.slope(&made, atom) {
            Some(std::cmp::Ordering::Equal) => prop_assert_eq!(change, 0),
            Some(std::cmp::Ordering::Greater) => prop_assert!(change >= 0),
            Some(std::cmp::Ordering::Less) => prop_assert!(change <= 0),
            None => {}
        }
    }

    #[test]
    fn what_is_equal_may_be_said_in_one_way(a in expressions(), b in expressions(), other in expressions(), at in prop::collection::vec(numbers(), 40)) {
        let mut symbols = Symbols::default();
        let (left, right) = (sym(&mut symbols, &a), sym(&mut symbols, &b));
        let mark = symbols.mark();
        symbols.learn_equal(&left, &right);
        let made = sym(&mut symbols, &other);
        let normal = symbols.normal(&made);
        for at in at.iter().filter(|at| value(&a, at) == value(&b, at)) {
            prop_assert_eq!(value_of(&symbols, &normal, at), value(&other, at));
        }
        symbols.forget(mark);
        let normal = symbols.normal(&made);
        for at in &at {
            prop_assert_eq!(value_of(&symbols, &normal, at), value(&other, at));
        }
    }
}

#[test]
fn tiles_lie_in_their_tensors() {
    let mut symbols = Symbols::default();
    let (n, k) = (unknown(&mut symbols, 0), unknown(&mut symbols, 1));
    // Of 16, cut off at the end: k < ceildiv(n, 16), size = min(16, n - 16 k).
    let tiles = symbols.node("arith.ceildivsi", vec![n.clone(), Sym::constant(16)]);
    let rest = symbols.sub(&tiles, &k);
    let rest = symbols.sub(&rest, &Sym::constant(1));
    [&n, &k, &rest].into_iter().for_each(|fact| symbols.learn_of_loop(fact));
    let offset = symbols.scale(&k, 16);
    let left = symbols.sub(&n, &offset);
    let size = symbols.node("arith.minsi", vec![left, Sym::constant(16)]);
    let end = symbols.add(&offset, &size);
    let room = symbols.sub(&n, &end);
    assert!(symbols.is_at_least_zero(&size) && symbols.is_at_least_zero(&room));
    // Not cut off, they may not.
    let end = symbols.add(&offset, &Sym::constant(16));
    let room = symbols.sub(&n, &end);
    assert!(!symbols.is_at_least_zero(&room));
}

#[test]
fn what_programs_ask_is_proved() {
    let mut symbols = Symbols::default();
    let (h, w) = (unknown(&mut symbols, 0), unknown(&mut symbols, 1));
    // The last window of a strided one lies inside: 2 * ((h - 3) / 2) + 2 <= h - 1.
    let three = symbols.sub(&h, &Sym::constant(3));
    let count = symbols.node("arith.floordivsi", vec![three, Sym::constant(2)]);
    let last = symbols.scale(&count, 2);
    let last = symbols.add(&last, &Sym::constant(2));
    let room = symbols.sub(&h, &last);
    let room = symbols.sub(&room, &Sym::constant(1));
    assert!(symbols.is_at_least_zero(&room));
    // What was learned, and what follows from it.
    let less = symbols.sub(&w, &h);
    assert!(!symbols.is_at_least_zero(&less));
    let mark = symbols.mark();
    symbols.learn_at_least_zero(&less);
    let max = symbols.node("arith.maxsi", vec![h.clone(), w.clone()]);
    assert_eq!(symbols.normal(&max), w);
    symbols.forget(mark);
    assert_eq!(symbols.normal(&max), max);
    // Products are the same in any order.
    assert_eq!(symbols.mul(&h, &w), symbols.mul(&w, &h));
}
