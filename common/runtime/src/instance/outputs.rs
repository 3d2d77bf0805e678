//! The outputs of a call.
use crate::{
    Tensor,
    commands::{Function, OutputSource},
    interpret::Machine,
    shape_text,
};
use halyard_diag::{Error, Result};

/// Outputs of static shape are written in place: makes tensors of these shapes unless they are there.
pub(super) fn prepare_outputs(function: &Function, outputs: &mut Vec<Tensor>) {
    outputs.truncate(function.outputs.len());
    for (i, (spec, source)) in function.info.outputs.iter().zip(&function.outputs).enumerate() {
        if i == outputs.len() {
            outputs.push(Tensor::zeros(spec.dtype, &[0]));
        }
        let fits = spec.dtype == outputs[i].dtype() && spec.accepts(outputs[i].dtype(), outputs[i].shape());
        if *source == OutputSource::Written && !fits {
            let shape: Vec<usize> = spec.shape.iter().map(|d| d.unwrap_or(0)).collect();
            outputs[i] = Tensor::zeros(spec.dtype, &shape);
        }
    }
}

/// Copies outputs whose shape is known only now.
pub(super) fn copy_outputs(machine: &mut Machine<'_>, outputs: &mut [Tensor]) -> Result<()> {
    for (i, source) in machine.function.outputs.iter().enumerate() {
        let OutputSource::Copied { source, dims } = source else { continue };
        let spec = &machine.function.info.outputs[i];
        let mut shape = std::mem::take(&mut machine.frame.shape);
        shape.clear();
        shape.extend(dims.iter().map(|&d| usize::try_from(machine.value(d)).unwrap_or(usize::MAX)));
        let span = machine.resolve(source)?;
        let bytes = Tensor::byte_count(spec.dtype, &shape);
        if !spec.accepts(spec.dtype, &shape) || bytes.map(|b| b as u64) != Some(span.bytes) {
            let got = shape_text(&shape, spec.dtype);
            return Err(Error::input(format!(
                "output {i} of function `{}` came out as `{got}` instead of `{}`",
                machine.function.info.name,
                spec.type_text()
            ))
            .code("program-failed"));
        }
        if outputs[i].dtype() != spec.dtype || outputs[i].shape() != shape {
            outputs[i] = Tensor::zeros(spec.dtype, &shape);
        }
        machine.frame.shape = shape;
        machine.device.read(span, outputs[i].bytes_mut())?;
    }
    Ok(())
}
