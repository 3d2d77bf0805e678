//! What a graph holds that no kernel is made of: refused before anything is emitted.
use super::{Definition, Graph, Input, Kind, Place, Unsupported};
use crate::machine::MachineModel;
use crate::machine::gpu::{GpuModel, LARGE_TENSOR};
use crate::prepare::table_of;
use halyard_ir::{Block, Op, Type, Value};

type Checked = Result<(), Unsupported>;

impl Graph {
    /// Errors: what the machine's kernels cannot hold, or what bodies that are computed cannot do.
    pub(crate) fn check(&self, target: &MachineModel) -> Checked {
        if let Some(gpu) = &target.gpu
            && let Some(most) = gpu.max_constant
        {
            self.tensors.iter().try_for_each(|t| match &t.kind {
                Kind::Memory(memory) => held_by_kernel(memory.ptr, memory.elem, gpu, most),
                _ => Ok(()),
            })?;
        }
        let mut wanted: Vec<usize> = self.returned.iter().map(|&v| self.id(v)).collect::<Result<_, _>>()?;
        for definition in &self.scalars {
            match definition {
                Definition::Element(tensor, _) => wanted.push(*tensor),
                Definition::Result(op, ..) if !op.regions().is_empty() => return Err(in_body(*op)),
                _ => {}
            }
        }
        let mut seen = vec![false; self.tensors.len()];
        while let Some(id) = wanted.pop() {
            if !std::mem::replace(&mut seen[id], true) {
                self.check_tensor(id, &mut wanted)?;
            }
        }
        Ok(())
    }

    /// Checks how the elements of a tensor come about; `wanted` gets the tensors that they are made of.
    fn check_tensor(&self, id: usize, wanted: &mut Vec<usize>) -> Checked {
        match &self.tensors[id].kind {
            Kind::Memory(_) | Kind::Splat(_) | Kind::Empty | Kind::Elements(_) => {}
            Kind::Result { node, .. } => {
                let node = &self.nodes[*node];
                let inits = node.inits.iter().map(|&init| Input::Tensor(init));
                let operands = node.inputs.iter().copied().chain(inits);
                // What the body does not read is not computed.
                let read = operands.zip(node.body.args()).filter(|(_, arg)| arg.has_uses());
                wanted.extend(read.filter_map(|(operand, _)| operand.tensor()));
                self.check_body(node.body, wanted)?;
            }
            Kind::Pad { src, region, .. } => {
                wanted.push(*src);
                self.check_body(*region, wanted)?;
            }
            Kind::Generate { region } => self.check_body(*region, wanted)?,
            Kind::Insert { src, dst, .. } => wanted.extend([src, dst]),
            Kind::Concat { srcs, .. } => wanted.extend(srcs),
            Kind::Slice { src, .. } | Kind::Expand { src, .. } | Kind::Collapse { src, .. } => wanted.push(*src),
        }
        Ok(())
    }

    fn check_body(&self, block: Block, wanted: &mut Vec<usize>) -> Checked {
        for op in block.ops() {
            let name = op.name();
            match name.as_str() {
                "arith.constant" | "linalg.index" => {}
                "linalg.yield" | "tensor.yield" => self.check_values(&op.operands(), block)?,
                "tensor.extract" => {
                    wanted.push(self.id(op.operand(0))?);
                    self.check_values(&op.operands()[1..], block)?;
                }
                "func.call" if op.result_count() == 1 => self.check_values(&op.operands(), block)?,
                "func.call" => return Err("a call without a result in a body".into()),
                _ if table_of(op).is_some() => self.check_values(&op.operands(), block)?,
                _ if (name.starts_with("arith.") || name.starts_with("math.")) && op.regions().is_empty() => {
                    self.check_values(&op.operands(), block)?;
                }
                _ => return Err(in_body(op)),
            }
        }
        Ok(())
    }

    /// Whether values are of a body, or scalars of the function.
    fn check_values(&self, values: &[Value], block: Block) -> Checked {
        let own = |v: &Value| v.argument_block().or_else(|| v.def()?.block()) == Some(block);
        let known = values.iter().all(|v| own(v) || self.scalar_of.contains_key(v));
        if known { Ok(()) } else { Err("a value from outside a body".into()) }
    }
}

fn in_body(op: Op) -> Unsupported {
    format!("`{}` in a body", op.name()).into()
}

/// Whether a kernel can hold a tensor of at most so many elements, which matters for constants.
fn held_by_kernel(place: Place, elem: Type, gpu: &GpuModel, most: i64) -> Checked {
    let Place::Constant(value) = place else { return Ok(()) };
    let count = value.value_type().element_count().unwrap_or(i64::MAX);
    if count > most {
        return Err(format!("a constant of {count} elements (code for {} holds {most} at most)", gpu.name).into());
    }
    if elem.is_float() && !matches!(elem.to_string().as_str(), "f16" | "f32" | "f64") {
        return Err(format!("a constant of `{elem}`").into());
    }
    Ok(())
}

/// The bits of indices: GPUs are faster with 32, and some have no others. Errors: a tensor that needs more there.
pub(crate) fn index_bits(target: &MachineModel, func: Op) -> Result<u32, Unsupported> {
    let Some(gpu) = &target.gpu else { return Ok(64) };
    let mut huge = false;
    let mut unknown = false;
    func.walk(&mut |op| {
        for value in op.operands().into_iter().chain(op.results()).filter(|v| v.ty().is_ranked_tensor()) {
            match value.ty().shape().into_iter().try_fold(1i64, |n, d| Some(n.saturating_mul(d?))) {
                Some(count) => huge |= count >= LARGE_TENSOR,
                None => unknown = true,
            }
        }
    });
    match (gpu.wide_indices, huge) {
        (true, _) => Ok(if huge || unknown { 64 } else { 32 }),
        (false, false) => Ok(32),
        (false, true) => Err(format!("a tensor of {LARGE_TENSOR} elements or more").into()),
    }
}
