//! How a product with a quantised matrix is laid out.
use super::form::BlockProduct;
use crate::families::Share;
use crate::machine::block_products::TALLEST_TILE;
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;

/// A product of this form as it is emitted.
pub(crate) struct BlockPlan {
    pub(super) form: BlockProduct,
    pub(super) way: Way,
    /// Rows of the matrix in a vector, and vectors side by side.
    pub(super) lanes: i64,
    pub(super) vectors: i64,
    /// Rows of the activations in registers, and in a cache.
    pub(super) rows: i64,
    pub(super) together: i64,
    pub(super) share: Share,
}

/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Numbers with the digits of activations.
    Digits { instruction: Instruction, digits: i64 },
    /// Floats.
    Floats,
}

impl Planner<'_> {
    /// Lays out the kernel.
    pub(in crate::families) fn plan_block_product(&mut self, form: BlockProduct) -> BlockPlan {
        let numbers = &self.target.cpu.block_products;
        let together = numbers.rows_together;
        let way = match self.target.dots.bytes {
            // Signed bytes hold no numbers above 127.
            Some(Instruction::SignedBytes) if form.bits > 4 => Way::Floats,
            Some(instruction) => Way::Digits { instruction, digits: if form.short { 1 } else { 3 } },
            None => Way::Floats,
        };
        let side = numbers.vectors[usize::from(way == Way::Floats)];
        let lanes = i64::from(self.target.vector_bits / 32);
        let many = self.target.registers >= 32;
        let ours = match (self.graph.tensors[form.y].dims[0].known(), way) {
            (Some(1), _) => 1,
            (_, Way::Digits { digits, .. }) => numbers.digit_registers[usize::from(many)] / (side * (digits + 1)),
            (_, Way::Floats) => numbers.float_registers[usize::from(many)] / side,
        };
        let rows = self.choices.number("rows", ours, |rows| (1..=TALLEST_TILE).contains(&rows));
        self.choices.record_number("rows", rows, 1..=TALLEST_TILE);
        // Rows that do not fit are prepared again by each workgroup.
        let units = form.panels();
        let again = self.graph.tensors[form.y].dims[0].known().is_none_or(|rows| rows > together);
        let few = (units / numbers.panels_a_workgroup).max(numbers.fewest_workgroups);
        let most = self.target.cpu.workgroups.most_of_family.min(if again { few } else { units });
        let share = Share {
            units,
            images: None,
            tiles: None,
            workgroups: self.choices.chosen_workgroups(units.min(most), Some(units)),
        };
        BlockPlan { form, way, lanes, vectors: side, rows, together, share }
    }
}

impl BlockPlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let BlockProduct { bits, block, .. } = self.form;
        let how = match self.way {
            Way::Digits { digits: 1, .. } => "activations as a digit of 8 bits".to_owned(),
            Way::Digits { digits, .. } => format!("activations as {digits} digits of 8 bits"),
            Way::Floats => "numbers made floats in registers".to_owned(),
        };
        let (rows, lanes) = (self.rows, self.lanes);
        let rows = if rows == 1 { "a row".to_owned() } else { format!("{rows} rows") };
        format!("product with numbers of {bits} bits in blocks of {block}, {how}, {rows} at a time, {lanes} lanes")
    }
}
