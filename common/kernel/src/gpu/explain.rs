//! What became of a part, in words.
use super::Way;
use super::parts::Part;
use crate::Emitter;
use crate::ix::Ix;

impl Emitter<'_> {
    /// The family of a part and its parameters.
    pub(super) fn explain_way(&self, part: &Part, way: &Way, count: Ix, threads: i64) -> String {
        let size = |n: Option<i64>| n.map_or("?".to_owned(), |n| n.to_string());
        let sizes: Vec<String> = part.dims.iter().map(|d| size(d.known())).collect();
        let mut text = match way {
            Way::Elements => {
                let run = self.run_of(part);
                let each = if run > 1 { format!("{run} neighbours") } else { "one".to_owned() };
                format!("elements of {}, {each} per thread", sizes.join(" x "))
            }
            Way::Product(product, tile) => {
                let [rows, columns] = tile.block;
                let windows = product.sum.len() > 1;
                let name = if windows { "product over several loops" } else { "product" };
                let [r, c] = tile.thread;
                let name = if tile.matrix { format!("{name} on tensor cores") } else { name.to_owned() };
                let mut said = format!(
                    "{name}, tiles of {rows} x {columns} in shared memory, {} steps deep, {r} x {c} per thread",
                    tile.depth
                );
                if tile.stages > 2 {
                    said += &format!(", {} strips at a time", tile.stages);
                }
                if tile.slices > 1 {
                    said += &format!(", the sum in {} slices", tile.slices);
                }
                said
            }
            Way::Nested(nested) => format!("rows of {}, {}", sizes.join(" x "), nested.explain()),
            Way::Rows(rows) => {
                let how = if rows.across { "neighbouring rows side by side" } else { "neighbours along the row" };
                format!("rows of {}, {} at a time by {} lanes each, {how}", sizes.join(" x "), rows.side, rows.lanes)
            }
            Way::Turn(_) => format!("transposition of {} through shared memory", sizes.join(" x ")),
        };
        let kept = matches!(way, Way::Nested(_) | Way::Rows(_));
        if !kept && self.sums_in_sums(part).is_some() {
            text += ", inner reductions recomputed for each element";
        }
        text += &format!(", {} workgroups of {threads} threads", size(count.known()));
        text
    }
}
