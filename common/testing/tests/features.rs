//! Tests that the runtime and the compiler know the same CPU features.
use halyard_runtime::TESTED_FEATURES;
use halyard_targets::{CpuTarget, parse_targets};

fn cpu(text: &str) -> Option<CpuTarget> {
    parse_targets(&[text.to_owned()]).ok()?.first()?.cpu().cloned()
}

/// For an architecture that has the feature and a plain CPU of it that lacks it, returns whether code with the feature
/// is refused on a CPU that has everything that the feature implies, but not the feature itself.
fn is_compared(feature: &str) -> Option<bool> {
    let plain = [
        "cpu:x86-64@x86_64-unknown-linux-gnu",
        "cpu:generic@aarch64-unknown-linux-gnu",
        "cpu:generic@riscv64-unknown-linux-gnu",
    ];
    plain.iter().find_map(|plain| {
        let base = cpu(plain)?;
        let with = cpu(&format!("{plain},+{feature}")).filter(|with| with.has(feature) && !base.has(feature))?;
        let implied = with.enabled().filter(|f| !base.has(f) && *f != feature);
        let implied: String = implied.map(|f| format!(",+{f}")).collect();
        let without = cpu(&format!("{plain}{implied},-{feature}"))?;
        assert!(!without.has(feature), "{without} has {feature}");
        assert!(with.suits(&with).is_some());
        Some(without.suits(&with).is_none())
    })
}

#[test]
fn targets_are_compared_by_every_feature_that_is_tested_when_a_program_is_loaded() {
    let (of_all, others): (Vec<&str>, Vec<&str>) = TESTED_FEATURES.iter().partition(|f| is_compared(f).is_none());
    assert_eq!(of_all, ["neon"], "no CPU lacks these");
    let missing: Vec<&str> = others.into_iter().filter(|f| is_compared(f) == Some(false)).collect();
    assert_eq!(missing, [""; 0], "programs for CPUs with these features count as fit for CPUs without them");
}
