//! The grammar of `--target`:
//!
//! ```text
//! LIST    = ITEM {"," ITEM}
//! ITEM    = "cpu" [":" [CHIP] ["@" TRIPLE]]     a target
//!         | "cpu:portable" ["@" TRIPLE]         some levels of an architecture, a target each
//!         | "vulkan"
//!         | "cuda" [":" CHIP]
//!         | "hip" [":" CHIP]
//!         | "opencl"
//!         | ("+" | "-") FEATURE                 something that the target before has or lacks
//! ```
//!
//! `cpu`, `cpu:native` and `cpu:host` are the CPU of this machine; `cpu:@TRIPLE` is that triple's generic CPU. Examples:
//! `cpu:znver5`, `cpu:x86-64-v3,cpu:x86-64-v4`, `cpu:haswell,-fma`, `cpu:cortex-a72@aarch64-linux-gnu,+crc`,
//! `cpu,vulkan,cuda:sm_90`. Features of `vulkan` are capabilities of SPIR-V that code may use (`+CooperativeMatrixKHR`) or
//! must not use (`-Float16`); what core Vulkan has as an option may be used without being named. `cuda` is `cuda:sm_80`, `hip` is `hip:gfx90a`.
use crate::{Target, cpu::portable, device::usage, target::KINDS};
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
        let several = match item.strip_prefix("cpu:") {
            Some(rest) => portable(rest, &features)?,
            None => None,
        };
        for item in several.as_deref().unwrap_or(&[item.to_owned()]) {
            let target = parse_target(item, features.clone())?;
            if targets.contains(&target) {
                return Err(usage(format!("target `{target}` is given twice")));
            }
            targets.push(target);
        }
    }
    Ok(targets)
}

fn parse_target(item: &str, features: Vec<String>) -> Result<Target> {
    let (name, rest) = item.split_once(':').unwrap_or((item, ""));
    Target::parse(name, rest, features).unwrap_or_else(|| Err(unknown(item, name)))
}

/// What people call architectures, and what triples call them.
const ARCHITECTURES: [(&str, &str); 9] = [
    ("x86_64", "x86_64"),
    ("x86-64", "x86_64"),
    ("amd64", "x86_64"),
    ("x86", "x86_64"),
    ("aarch64", "aarch64"),
    ("arm64", "aarch64"),
    ("arm", "aarch64"),
    ("riscv64", "riscv64"),
    ("riscv", "riscv64"),
];

fn unknown(item: &str, name: &str) -> Error {
    let error = usage(format!("unknown target `{item}`"));
    // A CPU may be called like a GPU's chip only by mistake, so GPUs come first.
    if let Some(kind) = KINDS.iter().rev().find(|kind| (kind.is_chip)(name)) {
        return error.hint(format!("write `{}:{item}`", kind.name));
    }
    if let Some((_, arch)) = ARCHITECTURES.iter().find(|(written, _)| *written == name) {
        return error.hint(format!(
            "for this machine write `cpu`, for all of that architecture `cpu:portable@{arch}-linux-gnu`"
        ));
    }
    let meant: Vec<&str> = KINDS.iter().filter(|kind| kind.aliases.contains(&name)).map(|kind| kind.name).collect();
    let near = if meant.is_empty() { nearest(name, KINDS.iter().map(|kind| kind.name)) } else { meant };
    let forms: Vec<String> = KINDS.iter().flat_map(|k| k.forms).map(|(form, _)| format!("`{form}`")).collect();
    let (last, others) = forms.split_last().expect("there are kinds of devices");
    let error = error.note(format!("known targets are {} and {last}", others.join(", ")));
    if near.is_empty() { error } else { error.hint(format!("did you mean {}?", either(&near))) }
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
    fn portable_is_several_levels() {
        let texts = |list: &str| parse(list).unwrap().iter().map(Target::short).collect::<Vec<_>>();
        assert_eq!(texts("cpu:portable@x86_64-linux-gnu"), ["cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"]);
        assert_eq!(texts("cpu:portable@aarch64-linux-gnu,vulkan"), ["cpu:generic", "cpu:neoverse-n1", "vulkan"]);
        assert_eq!(texts("cpu:portable@riscv64-linux-gnu"), ["cpu:generic"]);
    }

    #[test]
    fn a_chip_may_have_several_names() {
        assert_eq!(parse("cpu:apple-m1@aarch64-linux-gnu").unwrap()[0].short(), "cpu:apple-a14");
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
            "unknown target `gpu` | known targets are `cpu`, `cpu:portable[@TRIPLE]`, `cpu:CHIP[@TRIPLE]`, `vulkan`, `cuda:CHIP`, `hip:CHIP` and `opencl` did you mean `vulkan` or `cuda`?"
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
