//! Parses `cpu[:CHIP[@TRIPLE]]` and features.
use super::{CpuTarget, subtarget as llvm};
use crate::{device::usage, target::KINDS};
use halyard_diag::{Result, either, nearest};

/// Reads what follows `cpu:`. Errors: an unknown triple, chip or feature.
pub(crate) fn parse(rest: &str, features: Vec<String>) -> Result<CpuTarget> {
    let (chip, triple) = rest.split_once('@').unwrap_or((rest, ""));
    let mut target = match (chip, triple) {
        ("" | "host" | "native", "") => CpuTarget::host(),
        ("host" | "native", triple) => {
            return Err(usage(format!(
                "`{chip}` is the CPU of this machine and takes no triple, but `{triple}` is given"
            )));
        }
        (chip, triple) => {
            let triple =
                llvm::normalize(if triple.is_empty() { llvm::host_triple() } else { triple.to_owned() }.as_str());
            let written = if chip.is_empty() { "generic" } else { chip };
            let chip = llvm::cpu_of_alias(written);
            check_triple(&triple)?;
            check_chip(&triple, &chip, written)?;
            let features = usual_features(&triple, &chip);
            CpuTarget::new(triple, chip, features)
        }
    };
    if !features.is_empty() {
        check_features(&target, &features)?;
        target.features.extend(features);
        target = CpuTarget::new(target.triple, target.chip, target.features);
    }
    check_width(&target)?;
    check_floats(&target)?;
    Ok(target)
}

/// Whether a chip has the registers of its triple; LLVM lists chips of 32 bits for triples of 64, too.
pub(super) fn is_wide_enough(target: &CpuTarget) -> bool {
    !matches!(target.arch(), "x86_64" | "riscv64") || target.has("64bit")
}

/// Errors: a chip of 32 bits in a triple of 64.
fn check_width(target: &CpuTarget) -> Result<()> {
    if is_wide_enough(target) {
        return Ok(());
    }
    Err(usage(format!("`{}` is a chip of 32 bits, and `{}` is for those of 64", target.chip, target.triple))
        .hint(format!("`--list-targets=cpu:@{}` lists those that fit", target.triple)))
}

/// Errors: kernels for a CPU would need floating-point functions that no library of theirs has.
fn check_floats(target: &CpuTarget) -> Result<()> {
    if !target.arch().starts_with("riscv") || target.has("d") {
        return Ok(());
    }
    Err(usage(format!("`{}` has no floating-point unit for `f64`, which kernels need", target.chip))
        .note("it lacks the RISC-V extension `d`")
        .hint(format!(
            "if the machine has more than its name says, add features: `cpu:{}@{},+m,+a,+f,+d,+c`",
            target.chip, target.triple
        )))
}

/// Errors: objects for a triple are not ELF.
fn check_triple(triple: &str) -> Result<()> {
    let format = match llvm::object_format(triple).as_str() {
        "macho" => "Mach-O",
        "coff" => "COFF",
        "xcoff" => "XCOFF",
        _ => return Ok(()),
    };
    let arch = triple.split('-').next().unwrap_or_default();
    let arch = if arch == "arm64" { "aarch64" } else { arch };
    Err(usage(format!("`{triple}` has {format} objects, and linked programs are ELF"))
        .hint(format!("for the same CPUs under Linux, give `@{arch}-linux-gnu`")))
}

/// Returns the features that every machine of a triple has beyond LLVM's generic CPU: RISC-V systems are built for
/// `rv64gc`.
pub(crate) fn usual_features(triple: &str, chip: &str) -> Vec<String> {
    let bare = triple.starts_with("riscv64") && matches!(chip, "generic" | "generic-rv64") && triple.contains("linux");
    if bare { ["+m", "+a", "+f", "+d", "+c"].map(str::to_owned).to_vec() } else { Vec::new() }
}

/// Whether this machine's architecture has a chip of that name.
pub(super) fn is_chip(word: &str) -> bool {
    llvm::cpus(&llvm::host_triple()).is_some_and(|known| known.iter().any(|k| k == word))
}

/// What vendors call chips, and what LLVM calls them.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("zen1", "znver1"),
    ("zen2", "znver2"),
    ("zen3", "znver3"),
    ("zen4", "znver4"),
    ("zen5", "znver5"),
    ("graviton2", "neoverse-n1"),
    ("graviton3", "neoverse-v1"),
    ("graviton4", "neoverse-v2"),
    ("raspberrypi4", "cortex-a72"),
    ("raspberrypi5", "cortex-a76"),
];

/// Errors: the chip does not exist; `written` is its name on the command line.
fn check_chip(triple: &str, chip: &str, written: &str) -> Result<()> {
    let arch = triple.split('-').next().unwrap_or_default();
    let others = KINDS.iter().flat_map(|kind| kind.architectures).chain(&["bpf", "wasm32", "wasm64"]);
    let no_cpu = others.into_iter().any(|other| *other == arch);
    let Some(known) = llvm::cpus(triple).filter(|_| !no_cpu) else {
        return Err(usage(format!("unknown triple `{triple}`")).note("LLVM has no CPU code generator for it"));
    };
    if known.iter().any(|k| k == chip) || chip == "generic" {
        return Ok(());
    }
    let error = usage(format!("unknown chip `{written}` for `{triple}`"));
    let elsewhere = [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "riscv64-unknown-linux-gnu",
        "powerpc64le-unknown-linux-gnu",
    ]
    .into_iter()
    .find(|other| llvm::cpus(other).is_some_and(|known| known.iter().any(|k| k == chip)));
    if let Some(other) = elsewhere {
        return Err(error.hint(format!("it is a chip of another triple: `cpu:{written}@{other}`")));
    }
    if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, name)| *other == chip && known.iter().any(|k| k == name))
    {
        return Err(error.hint(format!("LLVM calls it `{name}`")));
    }
    let near = nearest(chip, known.iter().map(String::as_str));
    Err(if near.is_empty() {
        error.hint(format!("`llc -mtriple={triple} -mcpu=help` lists the chips"))
    } else {
        error.hint(format!("did you mean {}?", either(&near)))
    })
}

fn check_features(target: &CpuTarget, features: &[String]) -> Result<()> {
    let known = llvm::features(&target.triple, &target.chip, "");
    for feature in features {
        let name = &feature[1..];
        if known.iter().any(|(k, _)| k == name) {
            continue;
        }
        let error = usage(format!("unknown feature `{feature}` of `{}`", target.triple));
        let near = nearest(name, known.iter().map(|(k, _)| k.as_str()));
        return Err(if near.is_empty() { error } else { error.hint(format!("did you mean {}?", either(&near))) });
    }
    Ok(())
}
