use super::{Expression, Size, Sizes};

#[test]
fn equal_expressions_are_one_symbol() {
    let (mut sizes, mut steps) = (Sizes::default(), Vec::new());
    let n = sizes.size(Expression::Argument(0), &mut steps);
    let again = sizes.size(Expression::Argument(0), &mut steps);
    assert_eq!(n, again);
    let four = Size::constant(4);
    let a = sizes.mul(n, four, &mut steps);
    let b = sizes.mul(four, again, &mut steps);
    assert_eq!(a, b);
    assert_eq!(steps.len(), 2);
}

#[test]
fn what_is_known_is_computed() {
    let (mut sizes, mut steps) = (Sizes::default(), Vec::new());
    let n = sizes.size(Expression::Argument(0), &mut steps);
    let more = sizes.add(n, Size::constant(3), &mut steps);
    assert_eq!(more, Size { add: 3, ..n });
    let six = sizes.mul(Size::constant(2), Size::constant(3), &mut steps);
    assert_eq!(six.known(), Some(6));
    assert_eq!(sizes.mul(more, Size::ZERO, &mut steps), Size::ZERO);
    assert_eq!(sizes.mul(Size::constant(1), more, &mut steps), more);
    assert_eq!(sizes.mul(more, Size::constant(2), &mut steps).add, 6);
    assert_eq!(more.known(), None);
}

#[test]
fn a_product_of_sums_keeps_both() {
    let (mut sizes, mut steps) = (Sizes::default(), Vec::new());
    let [n, m] = [0, 1].map(|at| sizes.size(Expression::Argument(at), &mut steps));
    let more = sizes.add(n, Size::constant(1), &mut steps);
    let product = sizes.mul(more, m, &mut steps);
    let symbol = product.symbol.expect("not known");
    assert_eq!(sizes.expression(symbol), Expression::Product(more, m));
    assert_ne!(sizes.mul(n, m, &mut steps), product);
}
