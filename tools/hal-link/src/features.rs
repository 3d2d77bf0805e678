//! The CPU features that a variant needs, which the loader checks before choosing it. `hal-translate` writes them; for
//! hand-written variants they are derived from the chip.
use halyard_ir::{
    Attr,
    form::{TargetParts, Variant},
};
use halyard_runtime::TESTED_FEATURES;

/// The target of a variant.
#[derive(Debug)]
pub(crate) struct Target(TargetParts);

impl Target {
    /// Reads `#llvm.target`; `None` for other attributes.
    pub(crate) fn of(attr: Attr) -> Option<Self> {
        TargetParts::of(attr).map(Self)
    }

    /// The architecture that the triple names.
    pub(crate) fn arch(&self) -> String {
        halyard_objects::architecture_of_triple(&self.0.triple)
    }

    /// The features beyond the architecture's baseline, sorted: those of the chip's level and those asked for.
    pub(crate) fn required(&self) -> Vec<String> {
        let mut list: Vec<String> = Vec::new();
        if self.arch() == "x86_64" {
            let level = level(&self.0.chip);
            list.extend(LEVELS[..level].iter().flat_map(|l| l.iter().map(|f| (*f).to_owned())));
            list.extend(beyond(&self.0.chip).iter().flat_map(|l| l.iter().map(|f| (*f).to_owned())));
        }
        for feature in &self.0.features {
            match feature.split_at_checked(1) {
                Some(("+", name)) => list.push(name.to_owned()),
                Some(("-", name)) => list.retain(|f| f != name && !implied_by(f).contains(&name)),
                _ => {}
            }
        }
        tested(list)
    }
}

/// The features that a variant needs, sorted.
pub(crate) fn required(variant: Variant, target: &Target) -> Vec<String> {
    variant.features().map_or_else(|| target.required(), tested)
}

/// Returns the features that the loader can test, sorted.
fn tested(mut list: Vec<String>) -> Vec<String> {
    list.retain(|f| TESTED_FEATURES.contains(&f.as_str()));
    list.sort();
    list.dedup();
    list
}

/// The features that each level of x86-64 adds (System V ABI, "Micro-Architecture Levels"), by LLVM's names.
const LEVELS: [&[&str]; 3] = [
    &["cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"],
    &["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"],
    &["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"],
];

/// The level of an x86-64 chip: 0 to 3 for v1 to v4. A chip that is not listed counts as v1, and what its name implies is
/// not checked when the program is loaded.
fn level(chip: &str) -> usize {
    match chip {
        "x86-64-v4" | "skylake-avx512" | "cascadelake" | "cooperlake" | "cannonlake" | "icelake-client"
        | "icelake-server" | "tigerlake" | "rocketlake" | "sapphirerapids" | "emeraldrapids" | "graniterapids"
        | "graniterapids-d" | "diamondrapids" | "znver4" | "znver5" => 3,
        "x86-64-v3" | "haswell" | "core-avx2" | "broadwell" | "skylake" | "alderlake" | "raptorlake" | "meteorlake"
        | "arrowlake" | "lunarlake" | "pantherlake" | "sierraforest" | "grandridge" | "clearwaterforest"
        | "gracemont" | "znver1" | "znver2" | "znver3" => 2,
        "x86-64-v2" | "nehalem" | "corei7" | "westmere" | "sandybridge" | "ivybridge" | "silvermont" | "goldmont"
        | "tremont" | "btver2" => 1,
        _ => 0,
    }
}

/// The features that Ice Lake and Zen 4 added.
const VBMI: &[&str] = &[
    "avx512bitalg",
    "avx512ifma",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512vnni",
    "avx512vpopcntdq",
    "gfni",
    "vaes",
    "vpclmulqdq",
];

/// Returns the features beyond its level that generated code uses on a chip.
fn beyond(chip: &str) -> &'static [&'static [&'static str]] {
    match chip {
        "cascadelake" => &[&["avx512vnni"]],
        "cooperlake" => &[&["avx512vnni", "avx512bf16"]],
        "icelake-client" | "icelake-server" | "tigerlake" | "rocketlake" => &[VBMI],
        "znver4" => &[VBMI, &["avx512bf16"]],
        "znver5" => &[VBMI, &["avx512bf16", "avx512vp2intersect", "avxvnni"]],
        "sapphirerapids" | "emeraldrapids" | "graniterapids" | "graniterapids-d" | "diamondrapids" => {
            &[VBMI, &["avx512bf16", "avx512fp16", "avxvnni"]]
        }
        "alderlake" | "raptorlake" | "meteorlake" | "arrowlake" | "lunarlake" | "pantherlake" => {
            &[&["avxvnni", "gfni", "vaes", "vpclmulqdq"]]
        }
        "znver3" => &[&["vaes", "vpclmulqdq"]],
        _ => &[],
    }
}

/// Returns the features that a feature implies.
fn implied_by(feature: &str) -> &'static [&'static str] {
    match feature {
        f if f.starts_with("avx512") && f != "avx512f" => &["avx512f"],
        "avx2" | "fma" | "f16c" => &["avx"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_lists_add_up() {
        let target = |chip: &str, features: &[&str]| {
            let features = features.iter().map(|f| (*f).to_owned()).collect();
            Target(TargetParts { triple: "x86_64-unknown-linux-gnu".into(), chip: chip.into(), features })
        };
        let required = target("x86-64-v4", &["-avx512f", "+gfni"]).required();
        assert!(required.contains(&"gfni".into()) && required.contains(&"avx2".into()));
        assert!(!required.iter().any(|f| f.starts_with("avx512")));
        assert!(target("x86-64", &[]).required().is_empty());
        assert_eq!(target("x86-64", &[]).arch(), "x86_64");
    }
}
