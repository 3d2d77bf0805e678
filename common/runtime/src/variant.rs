//! Chooses the variant of each kernel that a program runs on its device.
use crate::{
    DeviceKind,
    commands::{Kernel, KernelCode, KernelVariant},
    device::{Adapter, info::DeviceOptions},
    device_modules::DeviceModules,
};
use halyard_diag::{Error, Result};

/// Chooses: of each kernel the first variant, the most demanding one, that the device can run.
pub(crate) struct Chooser<'a> {
    pub(crate) kernels: &'a [Kernel],
    pub(crate) modules: &'a DeviceModules,
    pub(crate) options: &'a DeviceOptions,
    /// The device; `None` for the CPU.
    pub(crate) adapter: Option<&'a dyn Adapter>,
}

/// Targets for an old and a new CPU of this architecture.
const TWO_CPUS: &str = if cfg!(target_arch = "aarch64") {
    "cpu:@aarch64-linux-gnu,cpu:neoverse-v1@aarch64-linux-gnu"
} else if cfg!(target_arch = "riscv64") {
    "cpu:@riscv64-linux-gnu,cpu:sifive-p670@riscv64-linux-gnu"
} else {
    "cpu:x86-64,cpu:x86-64-v4"
};

impl Chooser<'_> {
    /// The variant of each kernel. Errors: kernels that have none for the device, all of them; one whose variants all need
    /// what the device lacks.
    pub(crate) fn choose(&self) -> Result<Vec<usize>> {
        let mut chosen = Vec::new();
        let mut without: Vec<&Kernel> = Vec::new();
        for kernel in self.kernels {
            let mut found = self.on_device(kernel);
            if found.is_none() && self.options.fallback && self.adapter.is_some() {
                found = self.on_cpu(kernel);
            }
            match found {
                Some(variant) => chosen.push(variant),
                None if kernel.variants.iter().any(|v| self.is_for_device(v)) => {
                    return Err(self.lacking(kernel, self.adapter));
                }
                None if self.options.fallback && kernel.variants.iter().any(is_for_cpu) => {
                    return Err(self.lacking(kernel, None));
                }
                None => without.push(kernel),
            }
        }
        if without.is_empty() { Ok(chosen) } else { Err(self.missing(&without)) }
    }

    fn on_device(&self, kernel: &Kernel) -> Option<usize> {
        match self.adapter {
            None => self.on_cpu(kernel),
            Some(_) => kernel.variants.iter().position(|v| self.is_for_device(v) && self.lacks(kernel, v).is_empty()),
        }
    }

    fn on_cpu(&self, kernel: &Kernel) -> Option<usize> {
        kernel.variants.iter().position(|v| is_for_cpu(v) && cpu_lacks(v).is_empty())
    }

    fn is_for_device(&self, variant: &KernelVariant) -> bool {
        let kind = match &variant.code {
            KernelCode::Host { .. } => DeviceKind::Cpu,
            KernelCode::Device(code) => code.format.device(),
        };
        kind == self.options.device.kind
    }

    fn lacks(&self, kernel: &Kernel, variant: &KernelVariant) -> Vec<String> {
        match (&variant.code, self.adapter) {
            (KernelCode::Device(code), Some(adapter)) => {
                adapter.lacks(kernel, code, self.modules.get(code), &variant.features)
            }
            _ => cpu_lacks(variant),
        }
    }

    /// A device that cannot run any variant; `None` is the CPU.
    fn lacking(&self, kernel: &Kernel, adapter: Option<&dyn Adapter>) -> Error {
        let who = adapter.map_or_else(|| "this CPU".into(), Adapter::title);
        let message =
            format!("{who} cannot run executable `{}`: it lacks features of every variant", kernel.executable);
        let mut error = Error::environment(message).code("missing-features");
        for variant in
            kernel.variants.iter().filter(|v| if adapter.is_some() { self.is_for_device(v) } else { is_for_cpu(v) })
        {
            error = error.note(format!("variant `{}` needs {}", variant.name, self.lacks(kernel, variant).join(", ")));
        }
        match adapter {
            None => error.hint(format!("translate the program for this CPU too, as in `--target={TWO_CPUS}`")),
            Some(_) if self.options.fallback => error.hint("translate it for the CPU, too: `--target=cpu,…`"),
            Some(_) => error.hint("`--fallback=cpu` runs what the device cannot on the CPU"),
        }
    }

    /// Kernels without code for the device.
    fn missing(&self, kernels: &[&Kernel]) -> Error {
        let mut names: Vec<String> = kernels.iter().map(|k| format!("`{}`", k.executable)).collect();
        names.dedup();
        let (what, have) = if names.len() == 1 { ("executable", "has") } else { ("executables", "have") };
        let shown = names.len().min(10);
        let more = if names.len() > shown { format!(" and {} more", names.len() - shown) } else { String::new() };
        let kind = self.options.device.kind;
        let on = self.adapter.map_or_else(|| "the CPU".into(), Adapter::title);
        let message = format!("{what} {}{more} {have} no code for {on}", names[..shown].join(", "));
        let mut variants: Vec<String> =
            kernels.iter().flat_map(|k| &k.variants).map(|v| format!("`{}`", v.name)).collect();
        variants.sort();
        variants.dedup();
        let is = if variants.len() == 1 { "there is variant" } else { "there are variants" };
        let mut error =
            Error::environment(message).code("missing-variant").note(format!("{is} {}", variants.join(", ")));
        let on_cpu = kernels.iter().all(|k| self.on_cpu(k).is_some());
        if kind != DeviceKind::Cpu && !self.options.fallback && on_cpu {
            error = error.hint("`--fallback=cpu` runs them on the CPU");
        }
        // The hint suggests another kind of device that all of them have code for.
        let elsewhere = DeviceKind::gpus().filter(|_| kind == DeviceKind::Cpu).find(|d| {
            kernels
                .iter()
                .all(|k| k.variants.iter().any(|v| matches!(&v.code, KernelCode::Device(c) if c.format.device() == *d)))
        });
        if let Some(device) = elsewhere {
            error = error.hint(format!("`--device={}` runs it where it has code for", device.name()));
        }
        let example = DeviceKind::gpus().find(|gpu| kind == DeviceKind::Cpu || *gpu == kind).unwrap_or(kind);
        error.hint(format!("translate the program for it, too, as in `--target=cpu,{}`", example.name()))
    }
}

fn is_for_cpu(variant: &KernelVariant) -> bool {
    matches!(variant.code, KernelCode::Host { .. })
}

fn cpu_lacks(variant: &KernelVariant) -> Vec<String> {
    let lacking = variant.features.iter().filter(|f| halyard_cpu::has(f) != Some(true));
    lacking.map(|f| format!("`{f}`")).collect()
}
