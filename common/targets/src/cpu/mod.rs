//! A CPU target.
mod list;
mod parse;
mod portable;
mod subtarget;

use crate::device::{Device, Kind};
use halyard_ir::{Attr, Session, form::TargetParts};
pub(crate) use parse::parse;
pub(crate) use portable::portable;
use std::fmt;
use subtarget as llvm;
pub use subtarget::{initialize, normalize};

/// The kind of CPU targets.
pub(crate) const KIND: Kind = Kind {
    name: "cpu",
    forms: &[
        ("cpu", "the CPU of this machine, also `cpu:native`"),
        ("cpu:portable[@TRIPLE]", "several levels of an architecture in one program; the loader takes the best"),
        ("cpu:CHIP[@TRIPLE]", "a CPU by LLVM's name, for this or another architecture"),
    ],
    names: list::names,
    aliases: &[],
    is_chip: parse::is_chip,
    feature_words: "features are those that LLVM knows, such as `avx2`",
    attr: "#llvm.target",
    dialect: None,
    architectures: &[],
    files: None,
};

impl Device for CpuTarget {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn short(&self) -> String {
        format!("cpu:{}", self.chip)
    }

    fn attr(&self, session: &Session) -> Attr {
        let parts =
            TargetParts { triple: self.triple.clone(), chip: self.chip.clone(), features: self.features.clone() };
        parts.attr(session).expect("triple, chip and features are plain names")
    }

    /// `cpu_` and the chip as an identifier.
    fn variant_name(&self) -> String {
        let chip: String = self.chip.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("cpu_{chip}")
    }

    fn family(&self) -> &str {
        self.arch()
    }

    fn check_feature(&self, name: &str) -> Result<(), Vec<&'static str>> {
        let known = llvm::features(&self.triple, &self.chip, "").iter().any(|(known, _)| known == name);
        if known { Ok(()) } else { Err(Vec::new()) }
    }
}

/// A CPU with LLVM's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuTarget {
    /// The triple, normalized, e.g. `x86_64-unknown-linux-gnu`.
    pub triple: String,
    /// LLVM's name of the CPU, e.g. `znver5`.
    pub chip: String,
    /// The features that it has (`+avx2`) or lacks (`-avx512f`) beyond those of its name, in order.
    pub features: Vec<String>,
    /// All features that it has, including implied ones, sorted.
    enabled: Vec<String>,
}

impl CpuTarget {
    /// Makes a target of known names (see [`crate::parse_targets`]).
    pub(crate) fn new(triple: String, chip: String, features: Vec<String>) -> Self {
        let on = llvm::features(&triple, &chip, &features.join(","));
        let enabled = on.iter().filter(|(_, on)| *on).map(|(name, _)| name.clone()).collect();
        Self { triple, chip, features, enabled }
    }

    /// The CPU of this machine. The features say where the machine differs from what LLVM knows of the CPU's name (a
    /// virtual machine may hide some), so that the code runs here.
    pub fn host() -> Self {
        let triple = llvm::normalize(&llvm::host_triple());
        let mut chip = llvm::host_cpu();
        if !llvm::cpus(&triple).is_some_and(|known| known.contains(&chip)) {
            chip = "generic".into();
        }
        let implied = llvm::features(&triple, &chip, "");
        let differs = |f: &String| {
            let found = implied.binary_search_by(|(name, _)| name.as_str().cmp(&f[1..]));
            found.is_ok_and(|i| implied[i].1 != f.starts_with('+'))
        };
        let mut features: Vec<String> = llvm::host_features().into_iter().filter(differs).collect();
        features.sort();
        Self::new(triple, chip, features)
    }

    /// Whether it has a feature, by LLVM's name (`avx512f`).
    pub fn has(&self, feature: &str) -> bool {
        self.enabled.binary_search_by(|f| f.as_str().cmp(feature)).is_ok()
    }

    /// Returns all features that it has, including implied ones and LLVM's scheduling hints, sorted.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        self.enabled.iter().map(String::as_str)
    }

    /// The first part of the triple: `x86_64`, `aarch64`, `riscv64`, ….
    pub fn arch(&self) -> &str {
        self.triple.split('-').next().unwrap_or_default()
    }

    /// The width in bits of the vectors that generated code should use; 128 where nothing is known.
    pub fn vector_bits(&self) -> u32 {
        match self.arch() {
            "x86_64" | "i686" | "i386" if self.has("avx512f") => 512,
            "x86_64" | "i686" | "i386" if self.has("avx") => 256,
            _ => 128,
        }
    }

    /// Returns the number of vector registers.
    pub fn vector_registers(&self) -> u32 {
        match self.arch() {
            "x86_64" | "i686" | "i386" if !self.has("avx512f") => 16,
            "arm" | "armv7" | "thumbv7" => 16,
            _ => 32,
        }
    }

    /// Whether it has a fused multiply-add.
    pub fn has_fma(&self) -> bool {
        match self.arch() {
            "x86_64" | "i686" | "i386" => self.has("fma") || self.has("fma4") || self.has("avx512f"),
            "arm" | "armv7" => self.has("vfp4"),
            "riscv64" => self.has("d"),
            _ => true,
        }
    }

    /// The first- and second-level data caches of a core, in bytes: what CPUs with such vectors have at least. Those of
    /// this machine are not asked for, so that a target gives the same code wherever it is compiled.
    pub fn caches(&self) -> (u64, u64) {
        if self.vector_bits() == 512 { (48 << 10, 1 << 20) } else { (32 << 10, 512 << 10) }
    }

    /// Whether it has arithmetic on `f16`.
    pub fn has_f16_arithmetic(&self) -> bool {
        ["avx512fp16", "fullfp16", "zvfh"].iter().any(|f| self.has(f))
    }

    /// Whether it has conversions between `f32` and `bf16`.
    pub fn has_bf16_conversion(&self) -> bool {
        ["avx512bf16", "avxneconvert", "bf16", "zvfbfmin"].iter().any(|f| self.has(f))
    }

    /// Returns the features in LLVM's syntax.
    pub fn feature_string(&self) -> String {
        self.features.join(",")
    }

    /// Reads the target attribute of a variant; `None` if it is not that of a CPU, or has names that LLVM does not know.
    pub fn of_attr(attr: Attr) -> Option<Self> {
        let TargetParts { triple, chip, features } = TargetParts::of(attr).filter(|p| !p.triple.is_empty())?;
        // LLVM would complain on standard error by itself.
        let known = llvm::cpus(&triple)?.contains(&chip) || chip == "generic";
        let names = if known { llvm::features(&triple, &chip, "") } else { [].into() };
        let is_name = |f: &String| names.iter().any(|(name, _)| f.get(1..) == Some(name));
        (known && features.iter().all(is_name)).then(|| Self::new(triple, chip, features))
    }

    /// The least that every machine of an architecture has, by the name of the architecture in triples; `None` if LLVM
    /// does not know it.
    pub fn baseline(architecture: &str) -> Option<Self> {
        let triple = llvm::normalize(&format!("{architecture}-unknown-linux-gnu"));
        let known = llvm::cpus(&triple)?;
        let chip = if known.iter().any(|c| c == "x86-64") { "x86-64" } else { "generic" };
        Some(Self::new(triple.clone(), chip.to_owned(), parse::usual_features(&triple, chip)))
    }

    /// The instructions that it has, as far as code is made for them; what LLVM knows of their speed is not among them.
    fn instructions(&self) -> impl Iterator<Item = &str> {
        const NAMES: &[&str] = &[
            "adx",
            "aes",
            "amx",
            "avx",
            "bf16",
            "bmi",
            "crc",
            "cx16",
            "dotprod",
            "f16c",
            "fma",
            "fullfp16",
            "gfni",
            "i8mm",
            "lse",
            "lzcnt",
            "movbe",
            "neon",
            "pclmul",
            "popcnt",
            "rcpc",
            "rdm",
            "rdrnd",
            "rdseed",
            "sha",
            "sm4",
            "sme",
            "sse",
            "ssse",
            "sve",
            "vaes",
            "vpclmulqdq",
            "xop",
            "xsave",
            "zb",
            "zf",
            "zicond",
            "zv",
        ];
        // RISC-V's vectors have a name that others begin with.
        let is_one = |f: &&str| *f == "v" || NAMES.iter().any(|name| f.starts_with(name));
        self.enabled.iter().map(String::as_str).filter(is_one)
    }

    /// Ranks this CPU's use of code for another CPU: the number of instruction sets that it uses, or `None` if the
    /// code does not run.
    pub fn suits(&self, other: &CpuTarget) -> Option<usize> {
        let runs = self.arch() == other.arch() && other.instructions().all(|f| self.has(f));
        runs.then(|| other.instructions().count())
    }
}

impl fmt::Display for CpuTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cpu:{}@{}", self.chip, self.triple)?;
        self.features.iter().try_for_each(|feature| write!(f, ",{feature}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_follow_from_the_chip_and_the_list() {
        let target = CpuTarget::new("x86_64-unknown-linux-gnu".into(), "x86-64-v4".into(), vec!["-avx512f".into()]);
        assert!(target.has("avx2") && !target.has("avx512f"));
        assert_eq!(target.vector_bits(), 256);
        assert_eq!(target.variant_name(), "cpu_x86_64_v4");
        assert_eq!(target.to_string(), "cpu:x86-64-v4@x86_64-unknown-linux-gnu,-avx512f");
    }

    #[test]
    fn the_host_is_known_to_llvm() {
        let host = CpuTarget::host();
        assert!(llvm::cpus(&host.triple).unwrap().contains(&host.chip));
    }

    #[test]
    fn the_attribute_parses() {
        let session = Session::new();
        let target = CpuTarget::new("aarch64-unknown-linux-gnu".into(), "cortex-a72".into(), vec!["+sve".into()]);
        let text = target.attr(&session).to_string();
        assert!(text.contains("cortex-a72") && text.contains("+sve"), "{text}");
        assert_eq!(CpuTarget::of_attr(target.attr(&session)), Some(target));
        assert_eq!(CpuTarget::of_attr(Attr::parse(session.raw(), "#nvvm.target").unwrap()), None);
    }

    #[test]
    fn architectures_have_a_baseline() {
        let text = |name: &str| CpuTarget::baseline(name).map(|t| t.to_string());
        assert_eq!(text("x86_64").as_deref(), Some("cpu:x86-64@x86_64-unknown-linux-gnu"));
        assert_eq!(text("aarch64").as_deref(), Some("cpu:generic@aarch64-unknown-linux-gnu"));
        assert_eq!(text("quantum"), None);
    }
}
