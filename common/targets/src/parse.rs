//! The grammar of `--target`:
//!
//! ```text
//! LIST    = ITEM {"," ITEM}
//! ITEM    = "cpu" [":" [CHIP] ["@" TRIPLE]]     a target
//!         | "vulkan"
//!         | "cuda" [":" CHIP]
//!         | ("+" | "-") FEATURE                 something that the target before has or lacks
//! ```
//!
//! `cpu` and `cpu:host` are the CPU of this machine; `cpu:@TRIPLE` is that triple's generic CPU. Examples:
//! `cpu:znver5`, `cpu:x86-64-v3,cpu:x86-64-v4`, `cpu:haswell,-fma`, `cpu:cortex-a72@aarch64-linux-gnu,+crc`,
//! `cpu,vulkan,cuda:sm_90`. Features of `vulkan` are capabilities of SPIR-V that code may use (`+CooperativeMatrixKHR`) or
//! must not use (`-Float16`); what core Vulkan has as an option may be used without being named. `cuda` is `cuda:sm_80`.
use super::CpuTarget;
use crate::{CAPABILITIES, CHIPS, CudaTarget, Target, VulkanTarget, subtarget as llvm};
use halyard_diag::{Error, Result, either, nearest};

/// Parses the values of `--target`. Errors: an unknown kind of target, triple, chip or feature (with near names), a
/// feature before any target, the same target twice.
pub fn parse_targets(lists: &[String]) -> Result<Vec<Target>> {
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
    let mut targets: Vec<Target> = Vec::new();
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

fn parse_target(item: &str, features: Vec<String>) -> Result<Target> {
    let (kind, rest) = item.split_once(':').unwrap_or((item, ""));
    match kind {
        "cpu" => parse_cpu(rest, features).map(Target::Cpu),
        "vulkan" => parse_vulkan(rest, &features).map(Target::Vulkan),
        "cuda" => parse_cuda(rest, &features).map(Target::Cuda),
        _ => Err(unknown(item, kind)),
    }
}

fn unknown(item: &str, kind: &str) -> Error {
    let error = usage(format!("unknown target `{item}`"));
    if CHIPS.contains(&kind) {
        return error.hint(format!("write `cuda:{item}`"));
    }
    if kind_is_chip(kind) {
        return error.hint(format!("write `cpu:{item}`"));
    }
    let near = match kind {
        "spirv" | "spir-v" | "spv" => vec!["vulkan"],
        "nvptx" | "nvptx64" | "nvidia" | "ptx" => vec!["cuda"],
        "gpu" | "rocm" | "hip" | "opencl" | "metal" => vec!["vulkan", "cuda"],
        _ => nearest(kind, ["cpu", "vulkan", "cuda"]),
    };
    let error = error.note("known targets are `cpu`, `cpu:CHIP[@TRIPLE]`, `vulkan` and `cuda:CHIP`");
    if near.is_empty() { error } else { error.hint(format!("did you mean {}?", either(&near))) }
}

fn parse_vulkan(rest: &str, features: &[String]) -> Result<VulkanTarget> {
    if !rest.is_empty() {
        return Err(usage(format!("target `vulkan` has no chips, but `{rest}` is given"))
            .hint("describe a device by features: `--target=vulkan,-Float16`"));
    }
    let mut target = VulkanTarget::default();
    for feature in features {
        let name = &feature[1..];
        if target.set(name, feature.starts_with('+')) {
            continue;
        }
        let error = usage(format!("unknown feature `{feature}` of `vulkan`"));
        let near = nearest(name, CAPABILITIES.iter().map(|c| c.name));
        return Err(match name {
            "Shader" => error.note("every Vulkan device has it"),
            _ if near.is_empty() => error.note("features are capabilities of SPIR-V, such as `Float16`"),
            _ => error.hint(format!("did you mean {}?", either(&near))),
        });
    }
    Ok(target)
}

fn parse_cuda(rest: &str, features: &[String]) -> Result<CudaTarget> {
    let target = match rest {
        "" => CudaTarget::default(),
        chip => CudaTarget::of_chip(chip).ok_or_else(|| {
            let error = usage(format!("unknown chip `{chip}` of `cuda`"));
            let near = nearest(chip, CHIPS.iter().copied());
            let exact =
                format!("sm_{}", chip.trim_start_matches("compute_").replace(['.', '_'], "").trim_start_matches("sm"));
            if CHIPS.contains(&&*exact) {
                error.hint(format!("did you mean `{exact}`?"))
            } else if near.is_empty() {
                error.note(format!("known chips are `{}`", CHIPS.join("`, `")))
            } else {
                error.hint(format!("did you mean {}?", either(&near)))
            }
        })?,
    };
    match features.first() {
        None => Ok(target),
        Some(feature) => {
            Err(usage(format!("feature `{feature}` of `{target}`: what an NVIDIA GPU has is said by its chip"))
                .hint("`--target=cuda:sm_90` names another chip"))
        }
    }
}

fn parse_cpu(rest: &str, features: Vec<String>) -> Result<CpuTarget> {
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

    fn parse(text: &str) -> Result<Vec<Target>> {
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
    fn gpus_stand_beside_cpus() {
        let targets = parse("vulkan,-Float16,+Int64,cuda,cuda:sm_90,cpu:haswell@x86_64-linux-gnu").unwrap();
        let texts: Vec<_> = targets.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["vulkan,-Float16", "cuda:sm_80", "cuda:sm_90", "cpu:haswell@x86_64-unknown-linux-gnu"]);
        assert_eq!(targets[0].device(), "vulkan");
    }

    #[test]
    fn an_empty_chip_is_generic() {
        assert_eq!(parse("cpu:@riscv64-linux-gnu").unwrap()[0].short(), "cpu:generic");
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
        assert_eq!(
            text("gpu"),
            "unknown target `gpu` | known targets are `cpu`, `cpu:CHIP[@TRIPLE]`, `vulkan` and `cuda:CHIP` did you mean `vulkan` or `cuda`?"
        );
        assert!(text("sm_90").ends_with(" | write `cuda:sm_90`"));
        assert!(text("spirv").ends_with("did you mean `vulkan`?"));
        assert_eq!(text("cuda:9.0"), "unknown chip `9.0` of `cuda` | did you mean `sm_90`?");
        assert!(text("cuda:sm_999").starts_with("unknown chip `sm_999` of `cuda` | did you mean `sm_89`"));
        assert!(text("cuda,+ptx80").starts_with("feature `+ptx80` of `cuda:sm_80`: what an NVIDIA GPU has"));
        assert_eq!(
            text("vulkan,+Float61"),
            "unknown feature `+Float61` of `vulkan` | did you mean `Float16` or `Float64`?"
        );
        assert!(text("vulkan:1.3").starts_with("target `vulkan` has no chips, but `1.3` is given"));
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
