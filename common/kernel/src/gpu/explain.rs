//! What became of a part, in words.
use super::choose::PartForm;
use super::part::Part;
use crate::Emitter;
use crate::emit::index::Index;

impl Emitter<'_> {
    /// The family of a part and its parameters.
    pub(super) fn explain_form(&self, part: &Part, form: &PartForm, count: Index, threads: i64) -> String {
        let size = |n: Option<i64>| n.map_or("?".to_owned(), |n| n.to_string());
        let sizes: Vec<String> = part.dims.iter().map(|d| size(d.known())).collect();
        let mut text = match form {
            PartForm::Elements => {
                let run = part.run;
                let each = if run > 1 { format!("{run} neighbours") } else { "one".to_owned() };
                format!("elements of {}, {each} per thread", sizes.join(" x "))
            }
            PartForm::Product(product, tile) => {
                let [rows, columns] = tile.block;
                let windows = product.sum.len() > 1;
                let name = if windows { "product over several loops" } else { "product" };
                let [r, c] = tile.thread;
                let name = if tile.matrix { format!("{name} on tensor cores") } else { name.to_owned() };
                let mut remarks = format!(
                    "{name}, tiles of {rows} x {columns} in shared memory, {} steps deep, {r} x {c} per thread",
                    tile.depth
                );
                if tile.stages > 2 {
                    remarks += &format!(", {} strips at a time", tile.stages);
                }
                if tile.slices > 1 {
                    remarks += &format!(", the sum in {} slices", tile.slices);
                }
                remarks
            }
            PartForm::FusedAttention(attention) => format!("rows of {}, {}", sizes.join(" x "), attention.explain()),
            PartForm::Rows(rows) => {
                let how = if rows.across { "neighbouring rows side by side" } else { "neighbours along the row" };
                format!("rows of {}, {} at a time by {} lanes each, {how}", sizes.join(" x "), rows.side, rows.lanes)
            }
            PartForm::Transposition(_) => format!("transposition of {} through shared memory", sizes.join(" x ")),
        };
        let kept = matches!(form, PartForm::FusedAttention(_) | PartForm::Rows(_));
        if !kept && part.inner_sums {
            text += ", inner reductions recomputed for each element";
        }
        text += &format!(", {} workgroups of {threads} threads", size(count.known()));
        text
    }
}
