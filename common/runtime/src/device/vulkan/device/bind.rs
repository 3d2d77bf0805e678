//! Staging copies for bindings that cannot be bound directly.
use super::{super::commands::Command, DeviceRange, Vulkan};
use halyard_diag::{Error, Result};

/// Kernels load vectors of up to this many bytes at once, whatever the device asks of bindings.
pub(super) const VECTOR: u64 = 16;

impl Vulkan {
    /// Bindings as kernels get them: what the device cannot bind where it is, or must not share with another binding, is a
    /// copy. Gives those to copy back, too.
    pub(super) fn bindings(
        &mut self,
        kernel: usize,
        spans: &[DeviceRange],
    ) -> Result<(Vec<DeviceRange>, Vec<(DeviceRange, DeviceRange)>)> {
        let limits = &self.context.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(VECTOR);
        let most = u64::from(limits.max_storage_buffer_range);
        let Self { kernels, scratch, memory, commands, empty, context, .. } = self;
        let pipeline = kernels[kernel].as_ref().expect("the host_program was checked, and the CPU runs the others");
        let (mut bound, mut back) = (Vec::with_capacity(spans.len()), Vec::new());
        for (i, &span) in spans.iter().enumerate() {
            if span.bytes == 0 {
                bound.push(*empty);
                continue;
            }
            // Whole words; buffers end at multiples of them.
            let whole = span.bytes.next_multiple_of(4);
            if whole > most {
                return Err(Error::environment(format!(
                    "kernel `{}` takes a buffer of {} bytes as binding {i}, {} binds {most} at most",
                    pipeline.name, span.bytes, context.title
                ))
                .code("too-large")
                .hint("use a smaller batch, or another device"));
            }
            let others =
                spans.iter().zip(&pipeline.written).enumerate().filter(|(j, (s, _))| *j != i && s.overlaps(span));
            // SPIR-V takes buffers that are written for different memory than all others.
            let (mut shared, written) = (false, pipeline.written[i]);
            for (j, (_, other)) in others {
                if written && *other {
                    return Err(Error::input(format!(
                        "the program lets kernel `{}` write bindings {} and {} to the same memory",
                        pipeline.name,
                        i.min(j),
                        i.max(j)
                    ))
                    .code("program-failed"));
                }
                shared |= !written && *other;
            }
            if !shared && span.address.is_multiple_of(align) {
                bound.push(DeviceRange { bytes: whole, ..span });
                continue;
            }
            let copy = scratch.take(whole, memory)?;
            let part = DeviceRange { bytes: span.bytes, ..copy };
            // A written binding may be written only in part.
            commands.list.push(Command::Copy { source: span, target: part });
            if written {
                back.push((part, span));
            }
            bound.push(copy);
        }
        Ok((bound, back))
    }

    pub(super) fn check(&self, kernel: usize, workgroups: [u32; 3]) -> Result<()> {
        let most = self.context.limits.max_compute_work_group_count;
        if workgroups.iter().zip(most).any(|(&n, most)| n > most) {
            let name = self.kernels[kernel].as_ref().map_or("", |k| &k.name);
            return Err(Error::environment(format!(
                "kernel `{name}` takes {workgroups:?} workgroups, {} runs {most:?} at most",
                self.context.title
            ))
            .code("too-large")
            .hint("use smaller tensors, or another device"));
        }
        Ok(())
    }
}
