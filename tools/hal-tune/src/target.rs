//! The target and the device that are tuned for.
use crate::{TuneArgs, device::TuningDevice};
use hal_translate::{Target, parse_targets};
use halyard_diag::{Error, Result};
use halyard_runtime::{DeviceKind, DeviceName};
use halyard_targets::CpuTarget;

/// The target to tune for, and the device that measures its kernels; `None` is the CPU. Errors: a malformed target, several of them, a device
/// that is not there or does not run its code, flags that say nothing about kernels on it.
pub(crate) fn target(args: &TuneArgs) -> Result<(Target, Option<TuningDevice>)> {
    let kind = args.device.map_or(DeviceKind::Cpu, |d| d.kind);
    let text = args.target.clone().unwrap_or_else(|| kind.name().to_owned());
    let targets = parse_targets(&[text])?;
    let [target] = targets.as_slice() else {
        return Err(
            Error::usage("kernels are tuned for one target at a time").hint("run `hal-tune` once for each target")
        );
    };
    let kind = DeviceKind::ALL.into_iter().find(|kind| kind.name() == target.device()).ok_or_else(|| {
        Error::usage(format!("`{target}` cannot be tuned for: nothing runs code for `{}` yet", target.device()))
            .code("cannot-measure")
    })?;
    let device = args.device.unwrap_or(DeviceName { kind, index: None });
    if device.kind != kind {
        return Err(Error::usage(format!("`--device={device}` does not run code for `{target}`"))
            .hint(format!("leave one of both flags out, or use `--device={}`", kind.name())));
    }
    if kind == DeviceKind::Cpu {
        check_cpu(target)?;
        return Ok((target.clone(), None));
    }
    let idle = (args.threads != 0).then_some("--threads").or(args.cold.then_some("--cold"));
    if let Some(flag) = idle {
        return Err(Error::usage(format!("`{flag}` has no effect on kernels of `{device}`"))
            .hint("it is for kernels of CPUs: leave it out"));
    }
    Ok((target.clone(), Some(TuningDevice::look_at(device)?)))
}

/// Errors: this machine does not run code for a CPU.
fn check_cpu(target: &Target) -> Result<()> {
    let host = CpuTarget::host();
    let Some(cpu) = target.cpu() else { return Ok(()) };
    if cpu.arch() != host.arch() {
        return Err(Error::usage(format!("`{target}` cannot be tuned for here: this machine is `{}`", host.arch()))
            .code("cannot-measure")
            .hint("run `hal-tune` on a machine of that kind"));
    }
    match cpu.enabled().find(|f| halyard_verify::TESTED_FEATURES.contains(f) && !host.has(f)) {
        Some(lacks) => Err(Error::usage(format!("`{target}` cannot be tuned for here: this CPU lacks `{lacks}`"))
            .code("cannot-measure")),
        None => Ok(()),
    }
}
