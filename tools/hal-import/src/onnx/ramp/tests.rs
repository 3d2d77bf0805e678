use super::*;

fn grid(rows: &[i64], columns: &[i64]) -> Vec<Ramp> {
    let rows = Ramp::of(rows, &[rows.len(), 1]).expect("rows at equal distances");
    let columns = Ramp::of(columns, &[columns.len()]).expect("columns at equal distances");
    vec![rows.broadcast(2), columns.broadcast(2)]
}

#[test]
fn ranges_of_rows_and_columns_are_a_part() {
    let part = Part::of(&grid(&[2, 4, 6], &[1, 2]), &[3, 2], &[8, 4]);
    assert_eq!(part, Some(Part { starts: vec![2, 1], sizes: vec![3, 2], steps: vec![2, 1] }));
    let part = Part::of(&grid(&[-3, -2], &[-1]), &[2, 1], &[8, 4]);
    assert_eq!(part, Some(Part { starts: vec![5, 3], sizes: vec![2, 1], steps: vec![1, 1] }));
}

#[test]
fn what_is_out_of_bounds_backwards_or_written_twice_is_none() {
    assert_eq!(Part::of(&grid(&[6, 7, 8], &[1, 2]), &[3, 2], &[8, 4]), None);
    assert_eq!(Part::of(&grid(&[-1, 0, 1], &[1, 2]), &[3, 2], &[8, 4]), None);
    assert_eq!(Part::of(&grid(&[-9, -8], &[1, 2]), &[2, 2], &[8, 4]), None);
    assert_eq!(Part::of(&grid(&[3, 2, 1], &[1, 2]), &[3, 2], &[8, 4]), None);
    // All columns are written for each of the rows that no list moves along.
    assert_eq!(Part::of(&grid(&[3], &[1, 2]), &[5, 2], &[8, 4]), None);
    assert_eq!(Part::of(&grid(&[3, 4], &[1]), &[2, 7], &[8, 4]), None);
    // Columns before rows.
    let [rows, columns] = grid(&[2, 3], &[0, 1, 2]).try_into().expect("two ramps");
    assert_eq!(Part::of(&[columns, rows], &[2, 3], &[4, 8]), None);
}

#[test]
fn numbers_at_other_distances_are_no_ramp() {
    assert_eq!(Ramp::of(&[0, 1, 3], &[3]), None);
    assert_eq!(Ramp::of(&[0, 1, 10, 12], &[2, 2]), None);
    assert_eq!(Ramp::of(&[0, 1, 10, 11], &[2, 2]), Some(Ramp { first: 0, steps: vec![10, 1] }));
    assert_eq!(Ramp::of(&[i64::MIN, i64::MAX], &[2]), None);
    assert_eq!(Ramp::of(&[], &[0]), None);
}
