//! Launch parameters of exports on a GPU, beyond the workgroup count.
use crate::{Attr, Op, Type, names};

/// The launch parameters of an export on a GPU, attributes of its declaration in the variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Threads of a workgroup in x, y and z: SPIR-V's `LocalSize`, CUDA's block.
    pub workgroup_size: [u32; 3],
    /// For CUDA: the shared memory that a workgroup needs beyond what its code declares, in bytes.
    pub shared_memory: u64,
}

impl Launch {
    /// A workgroup of this many threads, without further shared memory.
    pub fn new(workgroup_size: [u32; 3]) -> Self {
        Self { workgroup_size, shared_memory: 0 }
    }

    /// Reads it from an export's declaration; `None` without GPU attributes. Errors: malformed attributes.
    pub fn of(export: Op) -> Result<Option<Self>, String> {
        let shared_memory = export.attr(names::SHARED_MEMORY).map_or(Ok(0), shared_memory)?;
        let Some(attr) = export.attr(names::WORKGROUP_SIZE) else {
            return match export.has_attr(names::SHARED_MEMORY) {
                true => Err(format!("`{}` stands without `{}`", names::SHARED_MEMORY, names::WORKGROUP_SIZE)),
                false => Ok(None),
            };
        };
        Ok(Some(Self { workgroup_size: workgroup_size(attr)?, shared_memory }))
    }

    /// Writes it on an export's declaration.
    pub fn set(self, export: Op) {
        let context = export.context();
        export.set_attr(names::WORKGROUP_SIZE, Attr::i64s(context, &self.workgroup_size.map(i64::from)));
        if self.shared_memory == 0 {
            export.remove_attr(names::SHARED_MEMORY);
        } else {
            let bytes = i64::try_from(self.shared_memory).unwrap_or(i64::MAX);
            export.set_attr(names::SHARED_MEMORY, Attr::integer(Type::integer(context, 64), bytes));
        }
    }

    /// Returns the number of threads of a workgroup.
    pub fn threads(self) -> u64 {
        self.workgroup_size.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul)
    }
}

/// Reads [`names::WORKGROUP_SIZE`]. Errors: what is wrong with it.
pub(super) fn workgroup_size(attr: Attr) -> Result<[u32; 3], String> {
    let numbers = attr.as_i64s().unwrap_or_default();
    let sizes: Vec<u32> = numbers.iter().filter_map(|&n| u32::try_from(n).ok().filter(|&n| n > 0)).collect();
    <[u32; 3]>::try_from(sizes).ok().filter(|_| numbers.len() == 3).ok_or_else(|| {
        let name = names::WORKGROUP_SIZE;
        format!("`{name}` is `{attr}`, not three positive numbers (`array<i64: 64, 1, 1>`)")
    })
}

/// Reads [`names::SHARED_MEMORY`]. Errors: what is wrong with it.
pub(super) fn shared_memory(attr: Attr) -> Result<u64, String> {
    attr.as_int()
        .and_then(|bytes| u64::try_from(bytes).ok())
        .ok_or_else(|| format!("`{}` is `{attr}`, not a number of bytes", names::SHARED_MEMORY))
}
