//! Guarded calls: detect kernels that access memory outside their bindings, or do not write all of their results.
//!
//! Each dispatch runs twice on copies of its bindings, each in separate pages ([`memory`]): once with inaccessible
//! memory directly behind them, once directly before them. Bindings that are only read are write-protected. Results
//! are filled with a different pattern each time: a byte that keeps both was not written, one that differs otherwise
//! depends on memory that the kernel must not read.
mod memory;

use crate::{
    commands::Kernel,
    crash::{Place, overrun},
    device::{Device, DeviceRange, KernelCall},
    interpret::Observer,
};
use halyard_diag::{Error, Result};
use memory::{Pages, Side};

/// The fill of results: as floats of any width, values that change what they are added to; as indices, too large or
/// negative.
const POISON: [u8; 2] = [0x3b, 0xbd];

/// Guards each dispatch.
pub(crate) struct Guard<'a> {
    pub(crate) kernels: &'a [Kernel],
    /// The number of dispatches.
    pub(crate) dispatches: usize,
}

impl Observer for Guard<'_> {
    fn dispatch(&mut self, device: &mut dyn Device, call: KernelCall<'_>) -> Result<()> {
        let description = &self.kernels[call.kernel];
        let place = |e: Error| {
            let [x, y, z] = call.workgroups;
            let constants: Vec<String> = call.constants.iter().map(i64::to_string).collect();
            let with =
                if constants.is_empty() { String::new() } else { format!(", with constants {}", constants.join(", ")) };
            e.note(format!("in dispatch {} of the call: {x},{y},{z} workgroups{with}", self.dispatches))
        };
        let first = run(device, description, call, Side::End).map_err(place)?;
        let second = run(device, description, call, Side::Start).map_err(place)?;
        for (i, (a, b)) in first.iter().zip(&second).enumerate().filter(|(i, _)| description.bindings[*i]) {
            if is_result(description, i) {
                unwritten(description, i, a.bytes(), b.bytes()).map_err(place)?;
            }
            stable(description, i, a.bytes(), b.bytes()).map_err(place)?;
            device.write(call.bindings[i], b.bytes())?;
        }
        self.dispatches += 1;
        Ok(())
    }
}

/// Whether a binding is a result with its own memory.
fn is_result(kernel: &Kernel, binding: usize) -> bool {
    binding + kernel.results as usize >= kernel.bindings.len()
}

fn run(device: &mut dyn Device, description: &Kernel, call: KernelCall<'_>, side: Side) -> Result<Vec<Pages>> {
    let mut pages = Vec::with_capacity(call.bindings.len());
    for (i, &span) in call.bindings.iter().enumerate() {
        let mut copy = Pages::new(span.bytes, side)?;
        if is_result(description, i) {
            copy.bytes_mut().fill(POISON[side as usize]);
        } else {
            device.read(span, copy.bytes_mut())?;
        }
        if !description.bindings[i] {
            copy.protect()?;
        }
        pages.push(copy);
    }
    let spans: Vec<DeviceRange> = pages.iter().map(Pages::span).collect();
    device.dispatch(KernelCall { bindings: &spans, ..call })?;
    device.finish()?;
    for (i, copy) in pages.iter().enumerate() {
        let Some(place) = copy.damage() else { continue };
        return Err(Error::input(format!("kernel `{}` writes outside its bindings", description.export))
            .code("out-of-bounds")
            .note(overrun(place, i, description.bindings[i], copy.span().bytes)));
    }
    Ok(pages)
}

/// Fails if bytes of a result are what they were in both runs.
fn unwritten(kernel: &Kernel, binding: usize, first: &[u8], second: &[u8]) -> Result<()> {
    let kept = |i: &usize| first[*i] == POISON[Side::End as usize] && second[*i] == POISON[Side::Start as usize];
    let Some(at) = (0..first.len()).find(kept) else { return Ok(()) };
    let count = (at..first.len()).filter(kept).count();
    Err(Error::input(format!("kernel `{}` leaves part of a result unwritten", kernel.export))
        .code("unwritten-result")
        .note(format!(
            "it leaves {count} of the {} bytes of binding {binding}, the first of them byte {at}",
            first.len()
        )))
}

/// Fails if two runs on the same inputs left different bytes.
fn stable(kernel: &Kernel, binding: usize, first: &[u8], second: &[u8]) -> Result<()> {
    let Some(at) = first.iter().zip(second).position(|(a, b)| a != b) else { return Ok(()) };
    Err(Error::input(format!("kernel `{}` computes different results from the same inputs", kernel.export))
        .code("unstable-result")
        .note(format!("binding {binding} differs between two runs from byte {at} on"))
        .hint("does it read a result that it has not written, or memory outside its bindings, or what another workgroup writes?"))
}

/// The place around a binding where memory was changed, if any.
type Damage = Option<Place>;
