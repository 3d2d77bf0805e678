//! Fits tables to the width of the terminal.
use super::table::{COLUMNS, COUNT, FROM, NAME};

/// Names are not cut below this number of characters.
const LEAST_NAME: usize = 24;
/// Nor what they come from, which is left out then.
const LEAST_FROM: usize = 12;
/// The columns that are dropped first to make a table narrower: workgroups, calls, GB/s, total, GFLOP/s.
const DISPENSABLE: [usize; 5] = [7, 2, 5, 1, 4];

/// Rows that are no wider than that, as far as that can be: what kernels come from is cut or left out, then names are cut, then
/// columns are left out.
pub(super) fn fit(mut rows: Vec<[String; COUNT]>, width: Option<usize>) -> Vec<[String; COUNT]> {
    // A roofline that nothing has is no column.
    let roofline = COLUMNS.iter().position(|c| *c == "roofline").expect("it is one of them");
    if rows.iter().all(|r| matches!(&*r[roofline], "-" | "")) {
        clear(&mut rows, roofline);
    }
    let Some(width) = width else { return rows };
    let too_wide = |rows: &[[String; COUNT]]| total(rows).saturating_sub(width);
    let by = too_wide(&rows);
    shorten(&mut rows, FROM, by, LEAST_FROM, end);
    if too_wide(&rows) > 0 {
        clear(&mut rows, FROM);
    }
    let by = too_wide(&rows);
    shorten(&mut rows, NAME, by, LEAST_NAME, both_ends);
    for column in DISPENSABLE {
        if too_wide(&rows) > 0 {
            clear(&mut rows, column);
        }
    }
    rows
}

fn clear(rows: &mut [[String; COUNT]], column: usize) {
    rows.iter_mut().for_each(|r| r[column].clear());
}

/// The width of a column; 0 if it is left out.
fn column(rows: &[[String; COUNT]], i: usize) -> usize {
    let widest = rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    if widest == 0 { 0 } else { widest.max(COLUMNS[i].chars().count()) }
}

fn total(rows: &[[String; COUNT]]) -> usize {
    (0..COUNT).map(|i| column(rows, i)).filter(|w| *w > 0).map(|w| w + 2).sum()
}

/// Makes a column narrower by a number of characters, but not narrower than `least`.
fn shorten(rows: &mut [[String; COUNT]], i: usize, by: usize, least: usize, cut: fn(&str, usize) -> String) {
    let width = column(rows, i);
    if by == 0 || width == 0 {
        return;
    }
    let to = width.saturating_sub(by).max(least);
    for row in rows {
        if row[i].chars().count() > to {
            row[i] = cut(&row[i], to);
        }
    }
}

/// The end of a text: names of nodes differ there.
fn end(text: &str, to: usize) -> String {
    let length = text.chars().count();
    format!("…{}", text.chars().skip(length + 1 - to).collect::<String>())
}

/// The beginning of a text, which says which kernel it is, and the end, where sizes are.
fn both_ends(text: &str, to: usize) -> String {
    let length = text.chars().count();
    let head = (to - 1) * 3 / 5;
    let tail = to - 1 - head;
    let chars = |from: usize, n: usize| text.chars().skip(from).take(n).collect::<String>();
    format!("{}…{}", chars(0, head), chars(length - tail, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_what_tells_them_apart() {
        assert_eq!(end("/encoder/layer.0/MatMul +1", 12), "…0/MatMul +1");
        assert_eq!(both_ends("main_dispatch_1_matmul_16x128x784_f32", 24), "main_dispatch…28x784_f32");
        assert_eq!(both_ends("main_dispatch_1_matmul_16x128x784_f32", 24).chars().count(), 24);
    }
}
