//! Calls host functions for the interpreter.
use super::call::{HostCall, Input, Output};
use crate::{
    DType, Tensor,
    commands::{HostInput, HostPlace, HostResult, Operand},
    crash::doing,
    device::{DeviceRange, HostUse},
    interpret::Machine,
};
use halyard_diag::{Error, Result};

impl Machine<'_> {
    /// Calls a host function. Fails with the function's error, or if a result is missing or has the wrong type or
    /// shape.
    pub(crate) fn call_host(&mut self, function: usize, inputs: &[HostInput], results: &[HostResult]) -> Result<()> {
        let called = self.call_bound(function, inputs, results);
        self.device.host_done();
        called
    }

    fn call_bound(&mut self, function: usize, inputs: &[HostInput], results: &[HostResult]) -> Result<()> {
        let loaded = self.program;
        let (called, bound) = (&loaded.host_program.host_functions[function], &loaded.host[function]);
        let mut arguments = Vec::with_capacity(inputs.len());
        for (input, ty) in inputs.iter().zip(&called.inputs) {
            let (span, shape) = (self.resolve(&input.buffer)?, self.sizes(&input.dims));
            check_size(&called.name, ty.dtype, &shape, span)?;
            arguments.push(Input { dtype: ty.dtype, shape, span: self.device.host(span, HostUse::Read)? });
        }
        let mut outputs = Vec::with_capacity(results.len());
        for (result, ty) in results.iter().zip(&called.results) {
            let (dtype, block) = (ty.dtype, None);
            let shape: Vec<i64> = ty.shape.iter().map(|d| d.map_or(-1, |d| d as i64)).collect();
            let (span, on_device) = match &result.place {
                HostPlace::Slot(_) => (None, DeviceRange::default()),
                HostPlace::Buffer(buffer) => {
                    let span = self.resolve(buffer)?;
                    check_size(&called.name, dtype, &shape, span)?;
                    (Some(self.device.host(span, HostUse::Write)?), span)
                }
            };
            outputs.push(Output { dtype, shape, span, on_device, block });
        }
        self.device.finish()?;
        let (blocks, device) = (&mut *self.blocks, &mut *self.device);
        let mut allocate = |bytes| {
            let (block, span) = blocks.take(bytes, device)?;
            Ok((block, span, device.host(span, HostUse::Write)?))
        };
        let name = &*called.name;
        let mut call = HostCall { name, inputs: arguments, outputs, allocate: &mut allocate, problem: None };
        let said = {
            let _doing = doing(bound.label);
            (bound.function)(&mut call)
        };
        let HostCall { outputs, problem, .. } = call;
        let outcome = match (said, problem) {
            (Err(message), Some(problem)) if message == problem.to_string() => Err(problem),
            (Err(message), problem) => {
                let message = if message.is_empty() { "it gives no reason".into() } else { message };
                let error =
                    Error::input(format!("host function `{name}` failed: {message}")).code("host-function-failed");
                // An error in a result may be the reason.
                Err(problem.iter().flat_map(|p| &p.diagnostics).fold(error, |e, d| e.note(d.message.clone())))
            }
            (Ok(()), Some(problem)) => Err(problem),
            (Ok(()), None) => complete(name, &outputs),
        };
        let outcome = outcome.map_err(|e| e.note(format!("it is a function of {}", bound.module)));
        if outcome.is_err() {
            outputs.iter().filter_map(|o| o.block).for_each(|block| self.blocks.release(block));
            return outcome;
        }
        for (result, output) in results.iter().zip(outputs) {
            for (&dim, &size) in result.dims.iter().zip(&output.shape) {
                if let Operand::Register(register) = dim {
                    self.frame.registers[register as usize] = size as u64;
                }
            }
            let Some(memory) = output.span else { continue };
            self.device.host_wrote(output.on_device, memory)?;
            if let HostPlace::Slot(slot) = &result.place {
                self.hold(*slot, output.on_device, output.block);
            }
        }
        Ok(())
    }

    fn sizes(&self, dims: &[Operand]) -> Vec<i64> {
        dims.iter().map(|&d| self.value(d) as i64).collect()
    }
}

/// Checks that memory has the size of a tensor of that shape.
fn check_size(name: &str, dtype: DType, shape: &[i64], span: DeviceRange) -> Result<()> {
    let sizes: Option<Vec<usize>> = shape.iter().map(|&d| usize::try_from(d).ok()).collect();
    let bytes = sizes.and_then(|s| Tensor::byte_count(dtype, &s));
    if bytes.map(|b| b as u64) == Some(span.bytes) {
        return Ok(());
    }
    let text = super::call::tensor_text(shape, dtype);
    Err(Error::input(format!("the program passes {} bytes as `{text}` to host function `{name}`", span.bytes))
        .code("out-of-bounds"))
}

/// Fails unless all results are there, and booleans are such.
fn complete(name: &str, outputs: &[Output]) -> Result<()> {
    let wrong = |what: String| Err(Error::tool(format!("host function `{name}` {what}")).code("bad-result"));
    for (i, output) in outputs.iter().enumerate() {
        let Some(span) = output.span else {
            return wrong(format!("did not make result {i}, whose size it must give"));
        };
        // SAFETY: the range is live (see `Machine::call_host`).
        let bytes = unsafe { std::slice::from_raw_parts(span.address as *const u8, span.bytes as usize) };
        if output.dtype == DType::I1
            && let Some(at) = bytes.iter().position(|&b| b > 1)
        {
            return wrong(format!("wrote {} as element {at} of result {i}; an `i1` is 0 or 1", bytes[at]));
        }
    }
    Ok(())
}
