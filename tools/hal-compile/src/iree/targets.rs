//! Maps IREE's devices and code generators to targets.
use super::IreeArgs;

/// The kind of device that IREE's word for a device or a code generator means.
pub(super) fn device(text: &str) -> Result<&'static str, String> {
    match text {
        "local" | "llvm-cpu" => Ok("cpu"),
        "vulkan" | "vulkan-spirv" => Ok("vulkan"),
        "cuda" => Ok("cuda"),
        "hip" | "rocm" | "amdgpu" => {
            Err("code for AMD GPUs is generated, but not run yet: `hal-translate --target=hip:CHIP --emit=asm`".into())
        }
        _ => Err(format!(
            "there are `local`, `llvm-cpu`, `vulkan`, `vulkan-spirv` and `cuda`, not `{text}`; `--target` says more"
        )),
    }
}

impl IreeArgs {
    /// Adds the targets that the flags select.
    pub(crate) fn apply(&self, targets: &mut Vec<String>) {
        let said =
            [&self.iree_hal_target_device, &self.iree_hal_target_backends, &self.iree_hal_local_target_device_backends];
        let mut kinds: Vec<&str> = Vec::new();
        for kind in said.into_iter().flatten() {
            if !kinds.contains(kind) {
                kinds.push(kind);
            }
        }
        let about_cpu = self.iree_llvmcpu_target_cpu.is_some()
            || self.iree_llvmcpu_target_cpu_features.is_some()
            || self.iree_llvmcpu_target_triple.is_some();
        if about_cpu && !kinds.contains(&"cpu") {
            kinds.push("cpu");
        }
        if self.iree_cuda_target.is_some() && !kinds.contains(&"cuda") {
            kinds.push("cuda");
        }
        // What is meant without a word.
        if kinds == ["cpu"] && !about_cpu {
            return;
        }
        for kind in kinds {
            targets.push(match (kind, &self.iree_cuda_target) {
                ("cpu", _) if about_cpu => self.cpu(),
                ("cuda", Some(chip)) => format!("cuda:{chip}"),
                _ => kind.to_owned(),
            });
        }
    }

    fn cpu(&self) -> String {
        let (chip, triple) = (&self.iree_llvmcpu_target_cpu, &self.iree_llvmcpu_target_triple);
        // IREE says `host` for the features of this machine, too, which are those of the chip `host`.
        let features = self.iree_llvmcpu_target_cpu_features.as_deref().filter(|f| *f != "host");
        let is_host = features.is_none() && self.iree_llvmcpu_target_cpu_features.is_some();
        let chip = chip.as_deref().unwrap_or(if is_host { "host" } else { "generic" });
        let mut target = format!("cpu:{chip}");
        if let Some(triple) = triple.as_deref().filter(|_| chip != "host") {
            target += &format!("@{triple}");
        }
        target.extend(features.map(|f| format!(",{f}")));
        target
    }
}
