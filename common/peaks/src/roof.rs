//! The roofline: the least time that work takes.
use crate::{ArithmeticKind, Peaks};
use serde::Serialize;

/// Where data are before a kernel reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheState {
    /// In the caches that can hold them: the kernel ran on them before.
    Warm,
    /// In memory.
    Cold,
}

/// The limit of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RoofLimit {
    /// The peak of arithmetic.
    Arithmetic(ArithmeticKind),
    /// The level that most of the time goes to.
    Level(String),
}

/// The least time that a kernel takes on a machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Roof {
    /// Seconds for its operations; 0 if there are none that a peak is known for.
    pub arithmetic: f64,
    /// The least time to move its bytes, in seconds.
    pub memory: f64,
    /// The limit that takes longer.
    pub limit: RoofLimit,
}

impl Roof {
    /// The roof of operations of a kind, and of bytes that are each moved once.
    ///
    /// With warm caches the first level holds as many of the bytes as it can, the next one of the rest, and so on: no kernel that is
    /// called again and again finds its data in a better place.
    pub fn of(peaks: &Peaks, operations: Option<(ArithmeticKind, u64)>, bytes: u64, caches: CacheState) -> Self {
        let compute = operations.and_then(|(kind, n)| Some((kind, n as f64 / peaks.operations(kind)?)));
        let (mut rest, mut memory) = (bytes, 0.0);
        let mut longest = (0.0, "memory");
        for level in &peaks.levels {
            let here = match level.capacity {
                Some(_) if caches == CacheState::Cold => 0,
                Some(capacity) => rest.min(capacity),
                None => rest,
            };
            rest -= here;
            let seconds = here as f64 / level.bandwidth;
            memory += seconds;
            if seconds > longest.0 {
                longest = (seconds, &level.name);
            }
        }
        let arithmetic = compute.map_or(0.0, |(_, seconds)| seconds);
        let limit = match compute {
            Some((kind, seconds)) if seconds >= memory => RoofLimit::Arithmetic(kind),
            _ => RoofLimit::Level(longest.1.to_owned()),
        };
        Self { arithmetic, memory, limit }
    }

    /// Returns the lower bound of the running time, in seconds.
    pub fn seconds(&self) -> f64 {
        self.arithmetic.max(self.memory)
    }

    /// Returns the name of the limit: `f32`, `L2`, `memory`.
    pub fn limit_name(&self) -> &str {
        match &self.limit {
            RoofLimit::Arithmetic(kind) => kind.name(),
            RoofLimit::Level(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArithmeticPeak, MemoryLevel};

    fn peaks() -> Peaks {
        let level = |name: &str, capacity, bandwidth| MemoryLevel { name: name.into(), capacity, bandwidth };
        Peaks {
            machine: "m".into(),
            threads: 1,
            arithmetic: vec![ArithmeticPeak { kind: ArithmeticKind::F32, by: "x".into(), operations: 100.0 }],
            levels: vec![level("L1", Some(100), 100.0), level("L2", Some(1000), 10.0), level("memory", None, 1.0)],
            busy: false,
        }
    }

    #[test]
    fn bytes_are_in_the_best_places() {
        let roof = |bytes| Roof::of(&peaks(), None, bytes, CacheState::Warm);
        assert_eq!((roof(50).seconds(), roof(50).limit_name()), (0.5, "L1"));
        assert_eq!((roof(200).seconds(), roof(200).limit_name()), (1.0 + 10.0, "L2"));
        assert_eq!((roof(1300).seconds(), roof(1300).limit_name()), (1.0 + 100.0 + 200.0, "memory"));
        let cold = Roof::of(&peaks(), None, 50, CacheState::Cold);
        assert_eq!((cold.seconds(), cold.limit_name()), (50.0, "memory"));
    }

    #[test]
    fn the_longer_one_counts() {
        let f32s = |n| Some((ArithmeticKind::F32, n));
        let roof = Roof::of(&peaks(), f32s(1000), 50, CacheState::Warm);
        assert_eq!((roof.seconds(), roof.limit_name()), (10.0, "f32"));
        let roof = Roof::of(&peaks(), f32s(1), 50, CacheState::Warm);
        assert_eq!((roof.seconds(), roof.limit_name()), (0.5, "L1"));
        // No peak was measured for these.
        assert_eq!(Roof::of(&peaks(), Some((ArithmeticKind::I8, 9000)), 50, CacheState::Warm).limit_name(), "L1");
        assert_eq!(Roof::of(&peaks(), None, 0, CacheState::Warm).seconds(), 0.0);
    }
}
