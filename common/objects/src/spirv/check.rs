//! Checks that a shader is the kernel of an interface.
use super::{Access, Elements, LocalSize, PushConstantBlock, Resource, Scalar, SpirvBinding, SpirvEntry, SpirvModule};
use crate::{AbiBinding, KernelAbi};
use halyard_diag::{Error, Result, either, nearest};

/// The largest workgroup that devices commonly take: in all, and in x, y and z.
const MOST_THREADS: u32 = 1024;
const MOST_SIZE: [u32; 3] = [1024, 1024, 64];
/// The limits that every device supports ("Required Limits" of the Vulkan specification): threads, and bytes of shared
/// memory.
const LEAST_THREADS: u32 = 128;
const LEAST_SHARED: u64 = 16 << 10;

/// The kernel that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The threads of a workgroup.
    pub workgroup_size: [u32; 3],
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// Checks that a module holds the kernel of an interface: an entry point of its name (a single one is renamed),
/// bindings, push constants and specialisation constants as the kernel ABI has them, and a workgroup size that devices
/// support. `size` is the required workgroup size, if one is stated; the specialisation constants that it depends on
/// are set. Fails with the first mismatch.
pub fn fit_spirv(module: &mut SpirvModule, abi: &KernelAbi, size: Option<[u32; 3]>) -> Result<Fitted> {
    let mut remarks = Vec::new();
    if module.entries.iter().all(|e| e.name != abi.name) {
        let [only] = module.entries.as_slice() else { return Err(no_entry(module, abi)) };
        let old = only.name.clone();
        remarks.push(format!("its entry point `{old}` is called `{}` from now on", abi.name));
        module.rename_entry(&old, &abi.name);
    }
    let place = Place { owner: &module.owner, abi };
    let entry = module.entries.iter().find(|e| e.name == abi.name).expect("it is there, or was renamed");
    place.bindings(entry)?;
    place.push_constants(entry.push_constants.as_ref())?;
    place.load_constants(module)?;
    let local_size = entry.local_size;
    let shared_memory = entry.shared_memory;
    let local_size = place.local_size(&local_size, size)?;
    for (LocalSize { value, spec_id }, wanted) in
        module.entries.iter().find(|e| e.name == abi.name).expect("as above").local_size.into_iter().zip(local_size)
    {
        if let (Some(id), true) = (spec_id, value != wanted) {
            module.set_spec_constant(&id.to_string(), wanted.into())?;
        }
    }
    let threads: u32 = local_size.iter().product();
    if threads > LEAST_THREADS {
        remarks.push(format!(
            "a workgroup has {threads} threads; not every Vulkan device takes more than {LEAST_THREADS}"
        ));
    }
    if shared_memory > LEAST_SHARED {
        remarks.push(format!(
            "a workgroup shares {shared_memory} bytes; not every Vulkan device has more than {LEAST_SHARED}"
        ));
    }
    let first = u32::try_from(abi.load_constants.len()).unwrap_or(u32::MAX);
    let of_size = |id: u32| module.entries.iter().flat_map(|e| e.local_size).any(|s| s.spec_id == Some(id));
    for constant in module.spec_constants.iter().filter(|c| c.id >= first && !of_size(c.id)) {
        remarks.push(format!("specialisation constant {} is {}", constant.describe(), constant.value()));
    }
    Ok(Fitted { workgroup_size: local_size, remarks })
}

impl super::SpecConstant {
    /// Returns the default, as text.
    fn value(&self) -> String {
        match self.scalar {
            Some(Scalar { float: true, bits: 32 }) => f32::from_bits(self.default as u32).to_string(),
            Some(Scalar { float: true, bits: 64 }) => f64::from_bits(self.default).to_string(),
            Some(Scalar { bits: 32, .. }) => (self.default as u32 as i32).to_string(),
            Some(_) => (self.default as i64).to_string(),
            None => (self.default == 1).to_string(),
        }
    }
}

fn no_entry(module: &SpirvModule, abi: &KernelAbi) -> Error {
    let names: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
    let error = Error::input(format!("{}: there is no entry point `{}`", module.owner, abi.name))
        .code("missing-kernel")
        .note(format!("it has {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")));
    let near = nearest(&abi.name, names.iter().copied());
    if near.is_empty() {
        error.hint("the entry point must be named like the export, unless it is the only one")
    } else {
        error.hint(format!("did you mean {}? the entry point must be `{}`", either(&near), abi.name))
    }
}

struct Place<'a> {
    owner: &'a str,
    abi: &'a KernelAbi,
}

impl Place<'_> {
    fn wrong(&self, why: impl AsRef<str>) -> Error {
        let text = format!("{}: entry point `{}` {}", self.owner, self.abi.name, why.as_ref());
        Error::input(text).code("wrong-signature").hint(match self.abi.arguments {
            Some(_) => "`hal.arguments` says what the code takes, in order",
            None => {
                "`hal-extract --as=glsl` writes a shader of the right interface; `hal.arguments` declares another one"
            }
        })
    }

    fn bindings(&self, entry: &SpirvEntry) -> Result<()> {
        let count = self.abi.bindings.len();
        for found in &entry.bindings {
            if found.set != 0 {
                return Err(self.wrong(format!("has a binding in set {}; kernels have set 0 only", found.set)));
            }
            if let Resource::Other(what) = &found.resource {
                return Err(
                    self.wrong(format!("has {what} at binding {}; kernels take storage buffers", found.binding))
                );
            }
            let meant = (0..count).find(|&i| self.abi.binding_number(i) == Some(found.binding));
            let Some(meant) = meant.map(|i| &self.abi.bindings[i]) else {
                if self.abi.arguments.is_some() {
                    let text = format!("uses binding {}, which `hal.arguments` does not pass", describe(found));
                    return Err(self.wrong(text));
                }
                return Err(self.wrong(format!(
                    "uses binding {}; the kernel has {count} binding{}, 0 is the first",
                    describe(found),
                    if count == 1 { "" } else { "s" }
                )));
            };
            // Two bindings may be views of one buffer: as vectors and as numbers.
            self.binding(found, meant)?;
        }
        for (i, meant) in self.abi.bindings.iter().enumerate().filter(|(_, b)| b.written) {
            let i = self.abi.binding_number(i).expect("the form was verified: what is written is passed");
            let views: Vec<_> = entry.bindings.iter().filter(|b| b.binding == i).collect();
            if views.is_empty() {
                return Err(self.wrong(format!("does not use binding {i}, {}, which the kernel writes", meant.what)));
            }
            if views.iter().all(|b| b.written == Access::No) {
                return Err(self.wrong(format!(
                    "never writes to binding {}, {}, which the kernel writes",
                    describe(views[0]),
                    meant.what
                )));
            }
        }
        Ok(())
    }

    fn binding(&self, found: &SpirvBinding, meant: &AbiBinding) -> Result<()> {
        let name = describe(found);
        if found.written == Access::Yes && !meant.written {
            let text = format!("writes to binding {name}, {}, which the kernel only reads", meant.what);
            return Err(self.wrong(text));
        }
        let Resource::Buffer(Some(elements)) = &found.resource else { return Ok(()) };
        let Elements { scalar, lanes, stride } = *elements;
        let Some(wanted) = scalar_of(&meant.element) else { return Ok(()) };
        // Shaders commonly access narrow integers, and the bits of floats, through words.
        let raw = !scalar.float && (scalar.bits == 32 || scalar.bits == wanted.bits);
        if scalar != wanted && !raw {
            return Err(self.wrong(format!(
                "has numbers of type `{scalar}` at binding {name}; {} has `{}`",
                meant.what, meant.element
            )));
        }
        let packed = lanes.saturating_mul(scalar.bits / 8);
        if stride != packed {
            let text =
                format!("has {stride} bytes from number to number at binding {name}, which are {packed} in a tensor");
            return Err(self.wrong(text).hint("write `layout(std430)`, and no `vec3`"));
        }
        Ok(())
    }

    fn push_constants(&self, block: Option<&PushConstantBlock>) -> Result<()> {
        let Some(block) = block else { return Ok(()) };
        let layout = self.abi.push_constants().map_err(|why| Error::input(why).code("unsupported"))?;
        if layout.size != block.size {
            return Err(self.wrong(format!(
                "has {} bytes of push constants; the kernel passes {}{}",
                block.size,
                layout.size,
                if layout.size == 0 { String::new() } else { format!(": {}", self.constants()) }
            )));
        }
        for (constant, &(offset, width)) in self.abi.constants.iter().zip(&layout.places) {
            let slots: Vec<_> = block.slots.iter().filter(|(at, ..)| (offset..offset + width).contains(at)).collect();
            let bits: u32 = slots.iter().map(|(_, s, _)| s.bits).sum();
            let Some((at, scalar, name)) = slots.first() else {
                return Err(self.wrong(format!("has no push constant at offset {offset}, where {} is", constant.what)));
            };
            let name = name.as_ref().map(|n| format!(" `{n}`")).unwrap_or_default();
            if *at != offset || bits != width * 8 {
                return Err(self.wrong(format!(
                    "has a push constant{name} of {bits} bits at offset {at}; {} has {} bits at offset {offset}",
                    constant.what,
                    width * 8
                )));
            }
            let float = matches!(&*constant.element, "f32" | "f64");
            if scalar.float && !float {
                let error = self.wrong(format!(
                    "has the push constant{name}, a `{scalar}`, at offset {offset}, where {} is, an `{}`",
                    constant.what, constant.element
                ));
                return Err(match &*constant.element {
                    "f16" | "bf16" => error.hint("narrow floats are passed as the low bits of a `uint`"),
                    _ => error,
                });
            }
        }
        Ok(())
    }

    /// Returns the constants of the kernel, for messages.
    fn constants(&self) -> String {
        let list = self.abi.constants.iter().map(|c| format!("{} (`{}`)", c.what, c.element));
        list.collect::<Vec<_>>().join(", ")
    }

    /// Load-time constants are 32-bit specialisation constants, numbered from 0.
    fn load_constants(&self, module: &SpirvModule) -> Result<()> {
        for (n, property) in (0u32..).zip(&self.abi.load_constants) {
            let Some(found) = module.spec_constants.iter().find(|c| c.id == n) else { continue };
            if found.scalar != Some(Scalar { float: false, bits: 32 }) {
                let ty = found.scalar.map_or_else(|| "a truth value".into(), |s| format!("an `{s}`"));
                return Err(self.wrong(format!(
                    "has the specialisation constant {}, {ty}, where `{property}` is filled in, a 32-bit integer",
                    found.describe()
                )));
            }
            let of_size = module.entries.iter().flat_map(|e| e.local_size).any(|s| s.spec_id == Some(n));
            if of_size {
                return Err(self.wrong(format!(
                    "has the size of its workgroups in specialisation constant {n}, where `{property}` is filled in"
                )));
            }
        }
        Ok(())
    }

    fn local_size(&self, is: &[LocalSize; 3], wanted: Option<[u32; 3]>) -> Result<[u32; 3]> {
        let mut size = is.map(|s| s.value);
        if let Some(wanted) = wanted {
            for (i, one) in is.iter().enumerate() {
                if one.spec_id.is_some() {
                    size[i] = wanted[i];
                }
            }
            if size != wanted {
                let text = |s: [u32; 3]| s.map(|n| n.to_string()).join(" × ");
                return Err(self.wrong(format!(
                    "has workgroups of {} threads, {} are declared",
                    text(size),
                    text(wanted)
                )));
            }
        }
        let threads = size.iter().try_fold(1u32, |n, &s| n.checked_mul(s)).unwrap_or(u32::MAX);
        let over = size.iter().zip(MOST_SIZE).any(|(s, most)| *s > most) || threads > MOST_THREADS;
        if over || threads == 0 {
            let text = size.map(|n| n.to_string()).join(" × ");
            let error = self.wrong(format!("has workgroups of {text} threads, which no device takes"));
            return Err(error.note(format!(
                "devices take {MOST_THREADS} threads in all, at most {} × {} × {}",
                MOST_SIZE[0], MOST_SIZE[1], MOST_SIZE[2]
            )));
        }
        Ok(size)
    }
}

fn describe(binding: &SpirvBinding) -> String {
    match &binding.name {
        Some(name) => format!("{} (`{name}`)", binding.binding),
        None => binding.binding.to_string(),
    }
}

/// An element type as buffers have it.
fn scalar_of(element: &str) -> Option<Scalar> {
    let scalar = |float, bits| Some(Scalar { float, bits });
    match element {
        "f64" => scalar(true, 64),
        "f32" => scalar(true, 32),
        "f16" => scalar(true, 16),
        // Floats are passed as their bits.
        "bf16" => scalar(false, 16),
        "index" | "i64" => scalar(false, 64),
        "i1" | "i8" => scalar(false, 8),
        "i16" => scalar(false, 16),
        "i32" => scalar(false, 32),
        f8 if f8.starts_with("f8") => scalar(false, 8),
        _ => None,
    }
}
