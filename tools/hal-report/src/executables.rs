//! The table of executables: what the program says of them, and what was measured.
use crate::{
    data::{Executable, KindData, Ratio, Shown, Times},
    graph::Graph,
    measure::{Kind, Measured},
};
use halyard_peaks::{ArithmeticKind, CacheState, Peaks, Roof};
use halyard_runtime::{
    KernelInfo, LoadedProgram,
    commands::{BindingSize, BindingType, Kernel},
};

/// The kernels in the order of the program.
pub(crate) fn executables(
    path: &str,
    program: &LoadedProgram,
    graph: &Graph,
    measured: &[Measured],
    other: Option<&LoadedProgram>,
    peaks: Option<&Peaks>,
) -> Vec<Executable> {
    let first = measured.first();
    let sum: f64 = first.iter().flat_map(|m| &m.kinds).map(total).sum();
    let kernels = program.kernels().iter().zip(&program.host_program().kernels).enumerate();
    kernels
        .map(|(i, (info, kernel))| {
            let kinds: Vec<&Kind> = first.iter().flat_map(|m| &m.kinds).filter(|k| k.kernel == i).collect();
            let own: Option<f64> = (!kinds.is_empty()).then(|| kinds.iter().map(|k| total(k)).sum());
            let roof = peaks.and_then(|peaks| roofline(peaks, info, &kinds));
            Executable {
                name: info.executable.clone(),
                export: info.export.clone(),
                key: info.identity.key.clone(),
                origin: info.identity.origin.clone(),
                variant: info.variant.clone(),
                others: info.others.clone(),
                symbol: info.symbol.clone(),
                kind: info.work.kind.clone(),
                flops: info.work.fixed_operations(),
                bytes: info.bytes,
                uses: graph.nodes.iter().filter(|n| n.kernel == Some(i)).count(),
                bindings: interface(kernel),
                times: kinds.iter().filter_map(|k| kind(k, info)).collect(),
                share: own.filter(|_| sum > 0.0).map(|t| t / sum),
                total: own,
                roofline: roof.as_ref().map(|r| r.0),
                limit: roof.map(|r| r.1),
                hot: None,
                tuning: Vec::new(),
                against: other.and_then(|other| against(info, &kinds, other, measured.get(1)?)),
                commands: commands(path, info),
            }
        })
        .collect()
}

/// Seconds in a call.
fn total(kind: &Kind) -> f64 {
    if kind.samples.is_empty() { 0.0 } else { halyard_statistics::median(&kind.samples) * kind.calls as f64 }
}

fn kind(kind: &Kind, info: &KernelInfo) -> Option<KindData> {
    Some(KindData {
        workgroups: kind.workgroups,
        constants: kind.constants.clone(),
        calls: kind.calls,
        time: Times::of(&kind.samples)?,
        flops: info.work.operations_of(&kind.constants),
        bytes: kind.bytes,
    })
}

/// The least time of all its dispatches as a part of the measured one, and what limits the longest of them.
fn roofline(peaks: &Peaks, info: &KernelInfo, kinds: &[&Kind]) -> Option<(f64, String)> {
    let arithmetic = info.work.kind.as_deref().and_then(ArithmeticKind::of);
    let (mut least, mut took, mut limit) = (0.0, 0.0, (0.0, String::new()));
    for kind in kinds {
        let needed = info.work.bytes_of(&kind.constants).unwrap_or(kind.bytes);
        let operations = info.work.operations_of(&kind.constants);
        let roof = Roof::of(peaks, arithmetic.zip(operations), needed, CacheState::Warm);
        least += roof.seconds() * kind.calls as f64;
        took += total(kind);
        if total(kind) >= limit.0 {
            limit = (total(kind), roof.limit_name().to_owned());
        }
    }
    (took > 0.0 && least > 0.0).then(|| (least / took, limit.1))
}

/// How many times as fast the kernel of that name and key is in the other program.
fn against(info: &KernelInfo, kinds: &[&Kind], other: &LoadedProgram, measured: &Measured) -> Option<Ratio> {
    let list = other.kernels();
    let same = |k: &KernelInfo| k.export == info.export && k.identity.key == info.identity.key;
    let place = list.iter().position(same).or_else(|| list.iter().position(|k| k.export == info.export))?;
    let sums = |kinds: &[&Kind]| -> Vec<f64> {
        let runs = kinds.iter().map(|k| k.samples.len()).min().unwrap_or(0);
        (0..runs).map(|r| kinds.iter().map(|k| k.samples[r] * k.calls as f64).sum()).collect()
    };
    let theirs: Vec<&Kind> = measured.kinds.iter().filter(|k| k.kernel == place).collect();
    let (a, b) = (sums(kinds), sums(&theirs));
    if a.is_empty() || a.len() != b.len() {
        return None;
    }
    let (speedup, interval) = halyard_statistics::ratio(&a, &b);
    let same = !info.digest.is_empty() && info.digest == list[place].digest;
    Some(Ratio { speedup, interval, same })
}

/// The type of each binding, and whether it is written.
fn interface(kernel: &Kernel) -> Vec<(String, bool)> {
    let text = |ty: &BindingType| {
        let size = |d: &BindingSize| match d {
            BindingSize::Fixed(n) => format!("{n}x"),
            BindingSize::Constant(_) => "?x".into(),
        };
        let dims: String = ty.dims.iter().map(size).collect();
        format!("{dims}{}", ty.dtype)
    };
    kernel.types.iter().map(text).zip(kernel.bindings.iter().copied()).collect()
}

/// Commands that show more of an executable.
fn commands(path: &str, info: &KernelInfo) -> Vec<Shown> {
    let shown = |what: &str, command: String| Shown { what: what.into(), command };
    let name = &info.executable;
    vec![
        shown("Measure by itself", format!("hal-benchmark {path} --per-executable=isolated")),
        shown("All of the assembly", format!("llvm-objdump-22 -M intel --disassemble-symbols={} {path}", info.symbol)),
        shown(
            "MLIR, to edit (from the model)",
            format!("hal-import MODEL -o p.mlirbc && hal-extract p.mlirbc {name} --to=kernels -o /dev/null"),
        ),
        shown("What each stage changes", "hal-translate p.mlirbc --save-stages=stages -o /dev/null".into()),
        shown("As C, to edit", format!("hal-extract p.mlirbc {name} --as=c --to=kernels -o /dev/null")),
        shown("The schedules", "hal-translate p.mlirbc --explain=schedule -o /dev/null".into()),
        shown(
            "Put an edited kernel in",
            format!("hal-substitute p.mlirbc {name}=kernels/{name}.mlir | hal-translate | hal-link -o edited.so"),
        ),
    ]
}
