//! Where the outputs of a call go: tensors that the runtime makes, or memory of the caller.
use crate::{
    DType, FunctionInfo, Tensor, TensorSpec, TensorView,
    commands::{Function, OutputSource},
    interpret::Machine,
    shape_text,
};
use halyard_diag::{Error, Result};
use std::ops::Range;

/// Memory of the caller for an output.
#[derive(Debug, Clone, Copy)]
pub struct OutputMemory {
    /// The element type of the output.
    pub dtype: DType,
    /// The first byte.
    pub data: *mut u8,
    /// The number of bytes: at least those of the output.
    pub bytes: usize,
}

impl OutputMemory {
    fn addresses(&self, bytes: usize) -> Range<usize> {
        let start = self.data.addr();
        start..start.saturating_add(bytes)
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    !a.is_empty() && !b.is_empty() && a.start < b.end && b.start < a.end
}

/// The outputs of a call.
pub(crate) struct Outputs<'a> {
    /// A tensor for each output. Where the output is in memory of the caller, its contents do not matter.
    tensors: &'a mut Vec<Tensor>,
    /// Memory of the caller for each output, or for none.
    memory: &'a [Option<OutputMemory>],
    /// Where the inputs are, if there is memory of the caller.
    inputs: Vec<Range<usize>>,
    /// The shapes, after a call, if there is memory of the caller.
    pub(crate) shapes: Vec<Vec<usize>>,
}

impl<'a> Outputs<'a> {
    /// All outputs in tensors.
    pub(crate) fn own(tensors: &'a mut Vec<Tensor>) -> Self {
        Self { tensors, memory: &[], inputs: Vec::new(), shapes: Vec::new() }
    }

    /// Outputs in memory of the caller where there is some, and in tensors otherwise. Errors: memory that does not fit the
    /// function.
    pub(crate) fn lent(
        tensors: &'a mut Vec<Tensor>,
        memory: &'a [Option<OutputMemory>],
        info: &FunctionInfo,
        inputs: &[TensorView<'_>],
    ) -> Result<Self> {
        let wrong = |message: String| Error::usage(message).code("wrong-output");
        if memory.len() != info.outputs.len() {
            let (count, given) = (info.outputs.len(), memory.len());
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("function `{}` has {count} output{plural}, memory is given for {given}", info.name);
            return Err(wrong(message));
        }
        let mut taken: Vec<(usize, Range<usize>)> = Vec::new();
        for (i, (spec, memory)) in info.outputs.iter().zip(memory).enumerate() {
            let Some(memory) = memory else { continue };
            if memory.dtype != spec.dtype {
                return Err(wrong(format!(
                    "output {i} of function `{}` is `{}`, its memory is for elements `{}`",
                    info.name,
                    spec.type_text(),
                    memory.dtype.name()
                )));
            }
            // Sizes that are not known yet may take all of it.
            let bytes = static_bytes(spec).unwrap_or(memory.bytes);
            if bytes > memory.bytes {
                return Err(too_small(info, i, &spec.type_text(), bytes, memory.bytes));
            }
            let range = memory.addresses(bytes);
            if let Some((other, _)) = taken.iter().find(|(_, other)| overlap(other, &range)) {
                let message = format!("outputs {other} and {i} of function `{}` overlap in memory", info.name);
                return Err(wrong(message));
            }
            taken.push((i, range));
        }
        let start = |input: &TensorView<'_>| input.bytes().as_ptr().addr();
        let inputs = inputs.iter().map(|input| start(input)..start(input) + input.bytes().len()).collect();
        Ok(Self { tensors, memory, inputs, shapes: Vec::new() })
    }

    /// Makes tensors for the outputs of static shape, which are written in place, unless they are there.
    pub(crate) fn prepare(&mut self, function: &Function) {
        let tensors = &mut *self.tensors;
        tensors.truncate(function.outputs.len());
        for (i, (spec, source)) in function.info.outputs.iter().zip(&function.outputs).enumerate() {
            if i == tensors.len() {
                tensors.push(Tensor::zeros(spec.dtype, &[0]));
            }
            if *source != OutputSource::Written {
                continue;
            }
            let memory = self.memory.get(i).copied().flatten();
            if memory.is_some_and(|m| is_direct(&m, static_bytes(spec).unwrap_or(0), &self.inputs)) {
                tensors[i] = Tensor::zeros(spec.dtype, &[0]);
            } else if !spec.accepts(tensors[i].dtype(), tensors[i].shape()) {
                tensors[i] = Tensor::zeros(spec.dtype, &static_shape(spec));
            }
        }
    }

    /// The bytes that the commands of the program write for an output.
    pub(crate) fn written(&mut self, function: &Function, output: usize) -> &mut [u8] {
        let spec = &function.info.outputs[output];
        let bytes = static_bytes(spec).unwrap_or(0);
        match self.memory.get(output).copied().flatten() {
            Some(memory)
                if function.outputs[output] == OutputSource::Written && is_direct(&memory, bytes, &self.inputs) =>
            {
                // SAFETY: the caller lends these bytes for the call; they overlap no input and no other output.
                unsafe { std::slice::from_raw_parts_mut(memory.data, bytes) }
            }
            _ => self.tensors[output].bytes_mut(),
        }
    }

    /// Copies what is not in its place yet: outputs whose shape is known only now, and those for memory that kernels could not
    /// write. Errors: a shape that is not what the program says, memory that is too small.
    pub(crate) fn collect(&mut self, machine: &mut Machine<'_>) -> Result<()> {
        let function = machine.function;
        for i in 0..function.outputs.len() {
            let memory = self.memory.get(i).copied().flatten();
            let spec = &function.info.outputs[i];
            if let OutputSource::Copied { source, dims } = &function.outputs[i] {
                let mut shape = std::mem::take(&mut machine.frame.shape);
                shape.clear();
                shape.extend(dims.iter().map(|&d| usize::try_from(machine.value(d)).unwrap_or(usize::MAX)));
                let span = machine.resolve(source)?;
                let bytes = Tensor::byte_count(spec.dtype, &shape);
                if !spec.accepts(spec.dtype, &shape) || bytes.map(|b| b as u64) != Some(span.bytes) {
                    let got = shape_text(&shape, spec.dtype);
                    return Err(Error::input(format!(
                        "output {i} of function `{}` came out as `{got}` instead of `{}`",
                        function.info.name,
                        spec.type_text()
                    ))
                    .code("program-failed"));
                }
                let bytes = bytes.unwrap_or(0);
                match memory {
                    Some(memory) if bytes > memory.bytes => {
                        let got = shape_text(&shape, spec.dtype);
                        return Err(too_small(&function.info, i, &got, bytes, memory.bytes));
                    }
                    Some(memory) if bytes > 0 && !self.meets_inputs(&memory, bytes) => {
                        // SAFETY: the caller lends these bytes for the call; they overlap no input and no other output.
                        machine.device.read(span, unsafe { std::slice::from_raw_parts_mut(memory.data, bytes) })?;
                        self.shapes.push(shape.clone());
                        machine.frame.shape = shape;
                        continue;
                    }
                    _ => {}
                }
                if self.tensors[i].dtype() != spec.dtype || self.tensors[i].shape() != shape {
                    self.tensors[i] = Tensor::zeros(spec.dtype, &shape);
                }
                machine.frame.shape = shape;
                machine.device.read(span, self.tensors[i].bytes_mut())?;
            } else if memory.is_some_and(|m| is_direct(&m, static_bytes(spec).unwrap_or(0), &self.inputs)) {
                self.shapes.push(static_shape(spec));
                continue;
            }
            if !self.memory.is_empty() {
                self.shapes.push(self.tensors[i].shape().to_vec());
            }
        }
        Ok(())
    }

    /// Copies tensors to memory of the caller that is also an input, or that kernels could not write. Nothing reads inputs any
    /// more.
    pub(crate) fn deliver(&self, function: &Function) {
        for (i, memory) in self.memory.iter().enumerate() {
            let Some(memory) = memory else { continue };
            let bytes = Tensor::byte_count(memory.dtype, &self.shapes[i]).unwrap_or(0);
            let there = match function.outputs[i] {
                OutputSource::Written => is_direct(memory, bytes, &self.inputs),
                OutputSource::Copied { .. } => !self.meets_inputs(memory, bytes),
            };
            if !there {
                // SAFETY: the caller lends these bytes, and the tensor is memory of ours.
                unsafe { memory.data.copy_from_nonoverlapping(self.tensors[i].bytes().as_ptr(), bytes) };
            }
        }
    }

    fn meets_inputs(&self, memory: &OutputMemory, bytes: usize) -> bool {
        meets(memory, bytes, &self.inputs)
    }
}

/// The sizes of an output of static shape.
fn static_shape(spec: &TensorSpec) -> Vec<usize> {
    spec.shape.iter().map(|d| d.unwrap_or(0)).collect()
}

/// The bytes of an output of static shape; `None` if sizes are unknown.
fn static_bytes(spec: &TensorSpec) -> Option<usize> {
    if spec.shape.contains(&Some(0)) && spec.shape.iter().all(Option::is_some) {
        return Some(0);
    }
    spec.shape.iter().try_fold(spec.dtype.size(), |n, d| n.checked_mul((*d)?))
}

fn meets(memory: &OutputMemory, bytes: usize, inputs: &[Range<usize>]) -> bool {
    inputs.iter().any(|input| overlap(input, &memory.addresses(bytes)))
}

/// Whether kernels can write an output to memory of the caller.
fn is_direct(memory: &OutputMemory, bytes: usize, inputs: &[Range<usize>]) -> bool {
    bytes > 0 && TensorView::is_aligned(memory.data) && !meets(memory, bytes, inputs)
}

fn too_small(info: &FunctionInfo, output: usize, shape: &str, bytes: usize, given: usize) -> Error {
    Error::usage(format!(
        "output {output} of function `{}` (`{shape}`) takes {bytes} bytes, its memory has {given}",
        info.name
    ))
    .code("wrong-output")
}
