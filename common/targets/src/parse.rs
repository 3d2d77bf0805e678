//! The grammar of `--target`:
//!
//! ```text
//! LIST    = ITEM {"," ITEM}
//! ITEM    = "cpu" [":" [CHIP] ["@" TRIPLE]]     a target
//!         | ("+" | "-") FEATURE                 something that the target before has or lacks
//! ```
//!
//! `cpu` and `cpu:host` are the CPU of this machine; `cpu:@TRIPLE` is that triple's generic CPU. Examples:
//! `cpu:znver5`, `cpu:x86-64-v3,cpu:x86-64-v4`, `cpu:haswell,-fma`, `cpu:cortex-a72@aarch64-linux-gnu,+crc`.
use super::CpuTarget;
use crate::subtarget as llvm;
use halyard_diag::{Error, Result, either, nearest};

/// Parses the values of `--target`. Errors: an unknown kind of target, triple, chip or feature (with near names), a
/// feature before any target, the same target twice.
pub fn parse_targets(lists: &[String]) -> Result<Vec<CpuTarget>> {
    let mut items: Vec<(&str, Vec<String>)> = Vec::new();
    for list in lists {
        for item in list.split(',').map(str::trim) {
            match (item.starts_with(['+', '-']), items.last_mut()) {
                (true, Some((_, features))) => features.push(item.to_owned()),
                (true, None) => {
                    return Err(usage(format!("feature `{item}` stands before any target"))
                        .hint("write it after the target: `--target=cpu:CHIP,+FEATURE`"));
                }
                (false, _) => items.push((item, Vec::new())),
            }
        }
    }
    let mut targets: Vec<CpuTarget> = Vec::new();
    for (item, features) in items {
        let target = parse_target(item, features)?;
        if targets.contains(&target) {
            return Err(usage(format!("target `{target}` is given twice")));
        }
        targets.push(target);
    }
    Ok(targets)
}

fn usage(message: String) -> Error {
    Error::usage(message).code("bad-target")
}

fn parse_target(item: &str, features: Vec<String>) -> Result<CpuTarget> {
    let (kind, rest) = item.split_once(':').unwrap_or((item, ""));
    if kind != "cpu" {
        let error = usage(format!("unknown target `{item}`"));
        return Err(if kind_is_chip(kind) {
            error.hint(format!("write `cpu:{item}`"))
        } else {
            error.note("known targets are `cpu` and `cpu:CHIP[@TRIPLE]`")
        });
    }
    let (chip, triple) = rest.split_once('@').unwrap_or((rest, ""));
    let mut target = match (chip, triple) {
        ("" | "host", "") => CpuTarget::host(),
        ("host", triple) => {
            return Err(usage(format!(
                "`host` is the CPU of this machine and takes no triple, but `{triple}` is given"
            )));
        }
        (chip, triple) => {
            let triple =
                llvm::normalize(if triple.is_empty() { llvm::host_triple() } else { triple.to_owned() }.as_str());
            let chip = if chip.is_empty() { "generic" } else { chip };
            check_chip(&triple, chip)?;
            let features = usual_features(&triple, chip);
            CpuTarget::new(triple, chip.to_owned(), features)
        }
    };
    if !features.is_empty() {
        check_features(&target, &features)?;
        target.features.extend(features);
        target = CpuTarget::new(target.triple, target.chip, target.features);
    }
    Ok(target)
}

/// What every machine of a triple has, where LLVM's generic CPU has less: RISC-V systems are built for `rv64gc`.
pub(crate) fn usual_features(triple: &str, chip: &str) -> Vec<String> {
    let bare = triple.starts_with("riscv64") && chip == "generic" && triple.contains("linux");
    if bare { ["+m", "+a", "+f", "+d", "+c"].map(str::to_owned).to_vec() } else { Vec::new() }
}

fn kind_is_chip(word: &str) -> bool {
    llvm::cpus(&llvm::host_triple()).is_some_and(|known| known.iter().any(|k| k == word))
}

fn check_chip(triple: &str, chip: &str) -> Result<()> {
    let arch = triple.split('-').next().unwrap_or_default();
    let gpu = ["nvptx", "nvptx64", "amdgcn", "r600", "spirv", "spirv32", "spirv64", "bpf", "wasm32", "wasm64"]
        .contains(&arch);
    let Some(known) = llvm::cpus(triple).filter(|_| !gpu) else {
        return Err(usage(format!("unknown triple `{triple}`")).note("LLVM has no CPU code generator for it"));
    };
    if known.iter().any(|k| k == chip) || chip == "generic" {
        return Ok(());
    }
    let error = usage(format!("unknown chip `{chip}` for `{triple}`"));
    let elsewhere = [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "riscv64-unknown-linux-gnu",
        "powerpc64le-unknown-linux-gnu",
    ]
    .into_iter()
    .find(|other| llvm::cpus(other).is_some_and(|known| known.iter().any(|k| k == chip)));
    if let Some(other) = elsewhere {
        return Err(error.hint(format!("it is a chip of another triple: `cpu:{chip}@{other}`")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<CpuTarget>> {
        parse_targets(&[text.to_owned()])
    }

    #[test]
    fn a_list_of_targets_with_features() {
        let targets = parse("cpu:haswell@x86_64-linux-gnu,-fma,cpu:cortex-a72@aarch64-linux-gnu,+crc").unwrap();
        let texts: Vec<_> = targets.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["cpu:haswell@x86_64-unknown-linux-gnu,-fma", "cpu:cortex-a72@aarch64-unknown-linux-gnu,+crc"]
        );
    }

    #[test]
    fn an_empty_chip_is_generic() {
        assert_eq!(parse("cpu:@riscv64-linux-gnu").unwrap()[0].chip, "generic");
    }

    #[test]
    fn errors_say_what_is_meant() {
        let text = |list: &str| {
            let e = parse(list).unwrap_err();
            let d = &e.diagnostics[0];
            format!("{} | {}", d.message, [d.notes.clone(), d.hints.clone()].concat().join(" "))
        };
        assert_eq!(
            text("cpu:znver55@x86_64-linux-gnu"),
            "unknown chip `znver55` for `x86_64-unknown-linux-gnu` | did you mean `znver5`, `znver1` or `znver2`?"
        );
        assert!(
            text("cpu:cortex-a72@x86_64-linux-gnu")
                .ends_with("it is a chip of another triple: `cpu:cortex-a72@aarch64-unknown-linux-gnu`")
        );
        assert_eq!(
            text("cpu:haswell@x86_64-linux-gnu,+avx5"),
            "unknown feature `+avx5` of `x86_64-unknown-linux-gnu` | did you mean `avx`, `avx2` or `avx512bf16`?"
        );
        assert_eq!(
            text("cpu:@quantum-linux"),
            "unknown triple `quantum-unknown-linux` | LLVM has no CPU code generator for it"
        );
        assert_eq!(text("gpu"), "unknown target `gpu` | known targets are `cpu` and `cpu:CHIP[@TRIPLE]`");
        assert_eq!(
            text("+avx2"),
            "feature `+avx2` stands before any target | write it after the target: `--target=cpu:CHIP,+FEATURE`"
        );
        assert_eq!(
            text("cpu:haswell@x86_64-linux-gnu,cpu:haswell@x86_64-linux-gnu").split(" | ").next(),
            Some("target `cpu:haswell@x86_64-unknown-linux-gnu` is given twice")
        );
    }
}
