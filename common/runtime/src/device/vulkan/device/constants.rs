//! Constants on the device: many share one buffer.
use super::{super::memory::Use, DeviceRange, Vulkan};
use halyard_diag::Result;

/// Constants share buffers up to this size, and start at multiples of [`PLACE`].
const CONSTANTS: u64 = 256 << 20;
const PLACE: u64 = 256;

impl Vulkan {
    /// Copies constants to the device; see `Device::constants`.
    pub(super) fn place_constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>> {
        // Constants with the same start share memory, such as splats.
        let mut places: Vec<(&[u8], DeviceRange)> = Vec::new();
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|&i| (list[i].as_ptr() as usize, std::cmp::Reverse(list[i].len())));
        let mut spans = vec![DeviceRange::default(); list.len()];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for i in order {
            match groups.last_mut() {
                Some(group) if list[group[0]].as_ptr() == list[i].as_ptr() => group.push(i),
                _ => groups.push(vec![i]),
            }
        }
        let mut start = 0;
        while start < groups.len() {
            let (mut end, mut bytes) = (start, 0u64);
            while end < groups.len() {
                let more = (list[groups[end][0]].len() as u64).next_multiple_of(PLACE);
                if end > start && bytes + more > CONSTANTS {
                    break;
                }
                bytes += more;
                end += 1;
            }
            let buffer = self.memory.allocate(bytes, Use::Device)?;
            let mut offset = 0;
            for group in &groups[start..end] {
                let whole = list[group[0]];
                let span = DeviceRange { address: buffer.address + offset, bytes: whole.len() as u64 };
                offset += span.bytes.next_multiple_of(PLACE);
                places.push((whole, span));
                group.iter().for_each(|&i| spans[i] = DeviceRange { bytes: list[i].len() as u64, ..span });
            }
            start = end;
        }
        for (bytes, span) in places {
            self.upload(span, bytes)?;
        }
        Ok(spans)
    }
}
