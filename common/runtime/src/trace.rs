//! Records all dispatches of a call with the contents of their buffers before and after.
use crate::{
    AlignedBytes, CapturedDispatch, DType, Tensor,
    commands::{HostProgram, KernelVariant},
    constants::Constants,
    device::{Device, DeviceRange, KernelCall},
    interpret::Observer,
    program::Loaded,
    record::CapturedBinding,
};
use halyard_diag::{Error, Result};
use std::{collections::HashMap, fmt, sync::Arc};

/// The dispatches of a call, in order.
#[derive(Debug, Default)]
pub struct CallTrace {
    /// The dispatches that were kept.
    pub dispatches: Vec<TracedDispatch>,
    /// The number of dispatches that were not kept, because their buffers exceeded the limit.
    pub left_out: usize,
    /// The bytes that contents take. The same contents are kept once.
    pub bytes: u64,
}

/// A dispatch of a traced call.
#[derive(Debug)]
pub struct TracedDispatch {
    /// The index in [`crate::LoadedProgram::kernels`].
    pub kernel: usize,
    /// The workgroup count.
    pub workgroups: [u32; 3],
    /// The scalars, as the kernel gets them.
    pub constants: Vec<i64>,
    /// The binding's contents, one per binding.
    pub bindings: Vec<TracedBinding>,
}

/// A tensor that a dispatch read or wrote.
#[derive(Debug)]
pub struct TracedBinding {
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape, that of the model where it is packed.
    pub shape: Vec<usize>,
    /// The model's name of the tensor after the dispatch; empty if it has none.
    pub value: String,
    /// The layout in which the kernel takes a weight, if that is not the model's.
    pub packed: Option<String>,
    /// The contents before the dispatch; `None` for a result with its own memory.
    pub before: Option<TracedContents>,
    /// The contents after the dispatch; `None` if the kernel only reads it.
    pub after: Option<TracedContents>,
    /// An earlier binding of the same memory.
    same: Option<usize>,
    /// Its size in bytes.
    bytes: u64,
}

/// The bytes of a buffer at one time.
#[derive(Clone)]
pub struct TracedContents(Source);

#[derive(Clone)]
enum Source {
    /// A copy, with its hash.
    Kept(Arc<[u8]>, [u8; 32]),
    /// A part of a constant of the program.
    Constant { weights: Arc<Constants>, constant: u32, offset: u64, bytes: u64 },
}

impl TracedContents {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Source::Kept(bytes, _) => bytes,
            Source::Constant { weights, constant, offset, bytes } => {
                &weights.bytes(*constant)[*offset as usize..][..*bytes as usize]
            }
        }
    }

    /// Whether it is a weight or another constant of the program.
    pub fn is_constant(&self) -> bool {
        matches!(self.0, Source::Constant { .. })
    }

    /// The hash of bytes that are no constant's.
    pub fn hash(&self) -> Option<[u8; 32]> {
        match &self.0 {
            Source::Kept(_, hash) => Some(*hash),
            Source::Constant { .. } => None,
        }
    }

    /// Whether both hold the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Source::Kept(_, a), Source::Kept(_, b)) => a == b,
            _ => self.bytes() == other.bytes(),
        }
    }
}

impl fmt::Debug for TracedContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes().len())
    }
}

impl TracedBinding {
    /// Returns the contents as a tensor. Fails if they are packed, or not of that type.
    pub fn tensor(&self, contents: &TracedContents) -> Result<Tensor> {
        if let Some(layout) = &self.packed {
            return Err(Error::input(format!("the weight is packed as `{layout}`")));
        }
        Tensor::from_bytes(self.dtype, &self.shape, contents.bytes())
    }
}

/// Keeps dispatches until there is no room.
pub(crate) struct Tracer<'a> {
    pub(crate) host_program: &'a HostProgram,
    /// For each kernel, the variant that runs.
    pub(crate) chosen: &'a [usize],
    pub(crate) constants: &'a Arc<Constants>,
    /// The ranges on the device.
    pub(crate) on_device: &'a [DeviceRange],
    /// The most bytes to keep.
    pub(crate) limit: u64,
    pub(crate) trace: CallTrace,
    pub(crate) kept: HashMap<[u8; 32], Arc<[u8]>>,
    pub(crate) values: Vec<String>,
}

impl Tracer<'_> {
    /// Keeps what a buffer holds now; `None` if there is no room.
    fn keep(&mut self, device: &mut dyn Device, span: DeviceRange) -> Result<Option<TracedContents>> {
        let size = usize::try_from(span.bytes).unwrap_or(usize::MAX);
        let mut bytes = AlignedBytes::try_zeroed(size)
            .ok_or_else(|| Error::environment(format!("cannot allocate {size} bytes")).code("out-of-memory"))?;
        device.read(span, &mut bytes)?;
        let hash = *blake3::hash(&bytes).as_bytes();
        if let Some(known) = self.kept.get(&hash) {
            return Ok(Some(TracedContents(Source::Kept(known.clone(), hash))));
        }
        if self.trace.bytes + span.bytes > self.limit {
            return Ok(None);
        }
        self.trace.bytes += span.bytes;
        let bytes: Arc<[u8]> = Arc::from(&bytes[..]);
        self.kept.insert(hash, bytes.clone());
        Ok(Some(TracedContents(Source::Kept(bytes, hash))))
    }

    fn before(
        &mut self,
        device: &mut dyn Device,
        kernel: usize,
        bindings: &[DeviceRange],
        constants: &[i64],
    ) -> Result<Option<Vec<TracedBinding>>> {
        let description = &self.host_program.kernels[kernel];
        let variant: &KernelVariant = &description.variants[self.chosen[kernel]];
        let results = bindings.len() - description.results as usize;
        let mut list = Vec::new();
        for (i, &span) in bindings.iter().enumerate() {
            let ty = &description.types[i];
            let shape = ty.shape(constants).ok_or_else(|| {
                Error::input(format!("binding {i} of kernel `{}` has no size", description.export))
                    .code("program-failed")
            })?;
            let mut spans = self.on_device.iter().enumerate();
            let constant = spans
                .find_map(|(c, constant)| Some((c as u32, constant.offset_of(span)?)))
                .filter(|_| !description.bindings[i] && span.bytes > 0);
            let before = match constant {
                _ if i >= results => None,
                Some((constant, offset)) => {
                    let weights = self.constants.clone();
                    Some(TracedContents(Source::Constant { weights, constant, offset, bytes: span.bytes }))
                }
                None => match self.keep(device, span)? {
                    None => return Ok(None),
                    kept => kept,
                },
            };
            list.push(TracedBinding {
                dtype: ty.dtype,
                shape,
                value: self.values.get(i).cloned().unwrap_or_default(),
                packed: variant.layout(i).map(str::to_owned),
                before,
                after: None,
                same: bindings[..i].iter().position(|&b| b == span && b.bytes > 0),
                bytes: span.bytes,
            });
        }
        Ok(Some(list))
    }
}

impl Observer for Tracer<'_> {
    fn about(&mut self, values: &[String]) {
        self.values = values.to_vec();
    }

    fn dispatch(&mut self, device: &mut dyn Device, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        // Dispatches after a gap could not be matched.
        let full = self.trace.left_out > 0;
        device.finish()?;
        // Before it runs: it may overwrite what it reads.
        let traced = if full { None } else { self.before(device, kernel, bindings, constants)? };
        device.dispatch(call)?;
        let Some(mut list) = traced else {
            self.trace.left_out += 1;
            return Ok(());
        };
        device.finish()?;
        for (i, binding) in list.iter_mut().enumerate().filter(|(i, _)| self.host_program.kernels[kernel].bindings[*i])
        {
            match self.keep(device, bindings[i])? {
                None => {
                    self.trace.left_out += 1;
                    return Ok(());
                }
                kept => binding.after = kept,
            }
        }
        let constants = constants.to_vec();
        self.trace.dispatches.push(TracedDispatch { kernel, workgroups, constants, bindings: list });
        Ok(())
    }
}

impl TracedDispatch {
    /// Prepares the same dispatch to be run again, on the program's constants and, where given, on other contents.
    /// Fails for contents of another size.
    pub(crate) fn again(&self, loaded: &Loaded, instead: &[Option<&[u8]>]) -> Result<CapturedDispatch> {
        let kernel = &loaded.host_program.kernels[self.kernel];
        let mut bindings = Vec::new();
        for (i, binding) in self.bindings.iter().enumerate() {
            let given = instead.get(i).copied().flatten();
            bindings.push(match (binding.same, binding.before.as_ref().map(|c| &c.0), given) {
                (Some(same), ..) => CapturedBinding::Same(same),
                (_, Some(&Source::Constant { constant, offset, bytes, .. }), _) => {
                    CapturedBinding::Constant { constant, offset, bytes }
                }
                (_, Some(Source::Kept(..)), Some(given)) if given.len() as u64 != binding.bytes => {
                    return Err(Error::input(format!("binding {i} of `{}` has another size", kernel.export)));
                }
                (_, Some(Source::Kept(own, _)), given) => {
                    CapturedBinding::Owned(AlignedBytes::copy_of(given.unwrap_or(own)))
                }
                (_, None, _) => CapturedBinding::Owned(AlignedBytes::zeroed(binding.bytes as usize)),
            });
        }
        Ok(CapturedDispatch {
            kernel: self.kernel,
            workgroups: self.workgroups,
            constants: self.constants.clone(),
            binding_bytes: self.bindings.iter().map(|b| b.bytes).collect(),
            occurrences: 1,
            nanos: 0,
            written: kernel.bindings.clone(),
            bindings,
            weights: loaded.constants.clone(),
        })
    }
}
