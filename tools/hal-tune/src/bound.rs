//! The roofline of an executable: what no kernel of it can be faster than.
use halyard_ir::form::{Executable, ExportWork, SizeSum};
use halyard_peaks::{ArithmeticKind, CacheState, Peaks, Roof};
use serde_json::{Value, json};
use std::cell::RefCell;

/// A kernel may take this part of the time that reading its bytes takes at the measured bandwidth: writes are not measured, and a core
/// that loads and stores at the same time moves up to two thirds more than one that loads.
const MEMORY_MARGIN: f64 = 2.0;
/// A kernel may take this part of the time that its products take at the measured peak: the largest of Winograd's transforms saves four
/// of five.
const PRODUCT_MARGIN: f64 = 8.0;

/// The bound of an executable.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    /// The roofline of what its source does.
    roof: Roof,
    /// A kernel that takes less than this many seconds has not done the work.
    floor: f64,
    operations: Option<u64>,
    bytes: Option<u64>,
}

impl Bound {
    /// The bound of the only export of an executable of fixed sizes.
    pub(crate) fn of(executable: Executable, peaks: &Peaks, caches: CacheState) -> Option<Self> {
        let export = executable.interface_exports().into_iter().next()?;
        Some(Self::of_work(&ExportWork::of(executable, export), peaks, caches))
    }

    fn of_work(work: &ExportWork, peaks: &Peaks, caches: CacheState) -> Self {
        let number = |sum: &Option<SizeSum>| u64::try_from(sum.as_ref()?.as_number()?).ok();
        let (operations, products, bytes) = (number(&work.operations), number(&work.products), number(&work.bytes));
        let kind = work.kind.as_deref().and_then(ArithmeticKind::of);
        let roof = Roof::of(peaks, kind.zip(operations), bytes.unwrap_or(0), caches);
        // Caches are never so cold that nothing of it could be left there.
        let warm = Roof::of(peaks, None, bytes.unwrap_or(0), CacheState::Warm).memory;
        // There are ways to multiply bytes that are not measured.
        let floats = kind.filter(|kind| *kind != ArithmeticKind::I8);
        let products = Roof::of(peaks, floats.zip(products), 0, CacheState::Warm).arithmetic;
        Self { roof, floor: (warm / MEMORY_MARGIN).max(products / PRODUCT_MARGIN), operations, bytes }
    }

    /// Why a kernel that takes so many seconds cannot have done the work; `None` if it can.
    fn refuses(&self, seconds: f64) -> Option<String> {
        (seconds < self.floor).then(|| {
            format!(
                "it takes {}, and no kernel of it takes less than {} on this machine (`hal-benchmark --peaks`)",
                time(seconds),
                time(self.floor)
            )
        })
    }

    /// As generators are told.
    pub(crate) fn json(&self) -> Value {
        json!({
            "seconds": self.roof.seconds(),
            "limit": self.roof.limit_name(),
            "operations": self.operations,
            "bytes": self.bytes,
        })
    }
}

fn time(seconds: f64) -> String {
    format!("{:.3} µs", seconds * 1e6)
}

/// The peaks of this machine, and who may not be faster.
#[derive(Debug)]
pub(crate) struct Gate {
    peaks: RefCell<Peaks>,
    /// Whether they were measured in this run.
    fresh: RefCell<bool>,
    caches: CacheState,
    measure: fn(usize) -> Peaks,
}

impl Gate {
    pub(crate) fn new(peaks: Peaks, caches: CacheState) -> Self {
        Self { peaks: RefCell::new(peaks), fresh: RefCell::new(false), caches, measure: halyard_peaks::measure }
    }

    /// The peaks as generators are told.
    pub(crate) fn json(&self) -> Value {
        serde_json::to_value(&*self.peaks.borrow()).expect("numbers and strings serialise")
    }

    /// The bound of an executable.
    pub(crate) fn bound(&self, executable: Executable) -> Option<Bound> {
        Bound::of(executable, &self.peaks.borrow(), self.caches)
    }

    /// Why a kernel of an executable that takes so many seconds cannot have done the work. Before anyone is accused the peaks are
    /// measured anew: what was kept may be of a busy hour.
    pub(crate) fn refuses(&self, executable: Executable, seconds: f64) -> Option<String> {
        self.decide(seconds, || self.bound(executable))
    }

    fn decide(&self, seconds: f64, bound: impl Fn() -> Option<Bound>) -> Option<String> {
        let first = bound()?.refuses(seconds)?;
        if self.fresh.replace(true) {
            return Some(first);
        }
        let new = (self.measure)(self.peaks.borrow().threads);
        let mut peaks = self.peaks.borrow_mut();
        for (old, new) in peaks.levels.iter_mut().zip(&new.levels) {
            old.bandwidth = old.bandwidth.max(new.bandwidth);
        }
        for (old, new) in peaks.arithmetic.iter_mut().zip(&new.arithmetic) {
            old.operations = old.operations.max(new.operations);
        }
        drop(peaks);
        bound()?.refuses(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_peaks::{ArithmeticPeak, MemoryLevel};

    fn peaks(faster: f64) -> Peaks {
        let arithmetic = |kind| ArithmeticPeak { kind, by: "x".into(), operations: 1e9 * faster };
        let level = |name: &str, capacity, bandwidth| MemoryLevel { name: name.into(), capacity, bandwidth };
        Peaks {
            machine: "m".into(),
            threads: 1,
            arithmetic: vec![arithmetic(ArithmeticKind::F32), arithmetic(ArithmeticKind::I8)],
            levels: vec![level("L1", Some(1000), 1e9 * faster), level("memory", None, 1e8 * faster)],
            busy: false,
        }
    }

    fn work(operations: i64, products: i64, bytes: i64, kind: &str) -> ExportWork {
        let [operations, products, bytes] = [operations, products, bytes].map(|n| Some(SizeSum::number(n)));
        ExportWork { operations, kind: Some(kind.into()), products, bytes }
    }

    fn floor(work: &ExportWork) -> f64 {
        Bound::of_work(work, &peaks(1.0), CacheState::Cold).floor
    }

    #[test]
    fn honest_kernels_are_below_no_floor() {
        // 8000 products take 8 µs, Winograd's 2 µs; the floor is 1 µs.
        assert!((floor(&work(8000, 8000, 100, "f32")) - 1e-6).abs() < 1e-12);
        // 1000 bytes in L1 and 100 beyond it take 1 + 1 µs, even if the caches were emptied.
        assert!((floor(&work(0, 0, 1100, "f32")) - 1e-6).abs() < 1e-12);
        // Sums that are no products may be found in other ways; bytes may be multiplied by what was not measured.
        assert!(floor(&work(1 << 40, 0, 10, "f32")) < 1e-7);
        assert!(floor(&work(1 << 40, 1 << 40, 10, "i8")) < 1e-7);
        assert_eq!(floor(&ExportWork::default()), 0.0);
    }

    #[test]
    fn the_machine_is_measured_again_before_a_kernel_is_refused() {
        let gate = |measure| Gate {
            peaks: RefCell::new(peaks(1.0)),
            fresh: RefCell::new(false),
            caches: CacheState::Warm,
            measure,
        };
        let ask = |gate: &Gate, seconds| {
            gate.decide(seconds, || {
                Some(Bound::of_work(&work(8000, 8000, 100, "f32"), &gate.peaks.borrow(), gate.caches))
            })
        };
        let same = gate(|_| peaks(1.0));
        assert_eq!(ask(&same, 1.1e-6), None);
        assert_eq!(
            ask(&same, 0.5e-6).unwrap(),
            "it takes 0.500 µs, and no kernel of it takes less than 1.000 µs on this machine (`hal-benchmark --peaks`)"
        );
        // It was busy before.
        let faster = gate(|_| peaks(3.0));
        assert_eq!(ask(&faster, 0.5e-6), None);
        assert!(ask(&faster, 0.1e-6).is_some());
    }
}
