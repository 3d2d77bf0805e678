use super::*;

/// `take` chooses; the steps before it are the element, the position, and what was best with its position.
fn body(take: Vec<Step>) -> Body {
    let mut steps = vec![Step::Element, Step::Position, Step::Before(0), Step::Before(1)];
    steps.extend(take);
    let take = steps.len() - 1;
    steps.extend([Step::Select(take, 0, 2), Step::Select(take, 1, 3)]);
    Body { yields: [steps.len() - 2, steps.len() - 1], steps }
}

fn holds(take: Vec<Step>, start: f64) -> bool {
    body(take).may_be_parted(Some(Number::Float(start)), -1, true)
}

fn constant(n: i64) -> Step {
    Step::Constant(Number::Int(n))
}

#[test]
fn the_first_or_last_extreme_may_be_found_in_parts() {
    for predicate in [2, 3, 4, 5] {
        let start = if predicate < 4 { f64::NEG_INFINITY } else { f64::INFINITY };
        assert!(holds(vec![Step::Compare(predicate, 0, 2)], start), "{predicate}");
    }
    let nan_first = vec![Step::Compare(9, 0, 2), Step::Compare(7, 2, 2), Step::Bits('&', 4, 5)];
    assert!(holds(nan_first, f64::NEG_INFINITY));
}

#[test]
fn a_start_that_anything_replaces_may_be_no_extreme() {
    // An integer that is greater, signed, or comes first. A float that is no number would be kept for ever, and hide
    // what comes after it in its part only.
    let greater = vec![constant(0), Step::Compare(2, 3, 4), Step::Compare(4, 0, 2), Step::Bits('|', 5, 6)];
    assert!(body(greater).may_be_parted(Some(Number::Int(0)), -1, false));
    let floats = vec![constant(0), Step::Compare(2, 3, 4), Step::Compare(2, 0, 2), Step::Bits('|', 5, 6)];
    assert!(!holds(floats, 0.0));
}

#[test]
fn what_depends_on_the_way_to_a_choice_may_not() {
    // The position decides in which direction elements are compared.
    let by_position = vec![constant(2), Step::Compare(2, 1, 4), Step::Compare(2, 0, 2), Step::Bits('^', 5, 6)];
    assert!(!holds(by_position, 0.0));
    // One position always takes what stands there, whatever came before it.
    let forced = vec![constant(7), Step::Compare(0, 1, 4), Step::Compare(2, 0, 2), Step::Bits('|', 5, 6)];
    assert!(!holds(forced, f64::NEG_INFINITY));
    // What is greater than the start is never replaced.
    let once =
        vec![Step::Constant(Number::Float(0.0)), Step::Compare(5, 2, 4), Step::Compare(3, 0, 4), Step::Bits('&', 5, 6)];
    assert!(holds(once, -1.5));
}
