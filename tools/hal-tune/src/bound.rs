//! The roofline of an executable: a lower bound of its kernels' time.
use crate::subject::Subject;
use halyard_ir::{
    Type,
    form::{Export, ExportWork, SizeSum},
};
use halyard_peaks::{ArithmeticKind, CacheState, Peaks, Roof};
use serde_json::{Value, json};
use std::cell::RefCell;

/// A kernel may take this part of the time that reading its bytes takes at the measured bandwidth: writes are not measured, and a core
/// that loads and stores at the same time moves up to two thirds more than one that loads.
const MEMORY_MARGIN: f64 = 2.0;
/// A kernel may take this part of the time that its products take at the measured peak: the largest of Winograd's transforms saves four
/// of five.
const PRODUCT_MARGIN: f64 = 8.0;

/// The lower bound of a call's time, on average over the measured sizes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bound {
    /// The roofline of what the source does.
    seconds: f64,
    /// What limits most of it.
    limit: String,
    /// A kernel that takes less than this many seconds has not done the work.
    floor: f64,
    operations: Option<f64>,
    bytes: Option<f64>,
}

impl Bound {
    /// The bound of a subject.
    pub(crate) fn of(subject: &Subject, peaks: &Peaks, caches: CacheState) -> Self {
        let mut sum = Self { operations: Some(0.0), bytes: Some(0.0), ..Self::default() };
        let mut longest = 0.0;
        for place in &subject.places {
            let exports = subject.executable.interface_exports();
            let Some(export) = exports.into_iter().find(|e| e.name() == place.export) else { continue };
            let work = ExportWork::of(subject.executable, export);
            let one = Self::of_work(&work, &constants(export, &place.sizes), peaks, caches);
            let weigh = |sum: &mut Option<f64>, part: Option<f64>| {
                *sum = sum.zip(part).map(|(sum, part)| sum + place.weight * part);
            };
            weigh(&mut sum.operations, one.operations);
            weigh(&mut sum.bytes, one.bytes);
            sum.seconds += place.weight * one.seconds;
            sum.floor += place.weight * one.floor;
            if place.weight * one.seconds >= longest {
                (longest, sum.limit) = (place.weight * one.seconds, one.limit);
            }
        }
        sum
    }

    fn of_work(work: &ExportWork, constants: &[Option<i64>], peaks: &Peaks, caches: CacheState) -> Self {
        let number = |sum: &Option<SizeSum>| value(sum.as_ref()?, constants);
        let (operations, products, bytes) = (number(&work.operations), number(&work.products), number(&work.bytes));
        let kind = work.kind.as_deref().and_then(ArithmeticKind::of);
        let roof = Roof::of(peaks, kind.zip(operations), bytes.unwrap_or(0), caches);
        // Caches are never so cold that nothing of it could be left there.
        let warm = Roof::of(peaks, None, bytes.unwrap_or(0), CacheState::Warm).memory;
        // There are ways to multiply bytes that are not measured.
        let floats = kind.filter(|kind| *kind != ArithmeticKind::I8);
        let products = Roof::of(peaks, floats.zip(products), 0, CacheState::Warm).arithmetic;
        Self {
            seconds: roof.seconds(),
            limit: roof.limit_name().to_owned(),
            floor: (warm / MEMORY_MARGIN).max(products / PRODUCT_MARGIN),
            operations: operations.map(|n| n as f64),
            bytes: bytes.map(|n| n as f64),
        }
    }

    /// Why a kernel that takes this many seconds cannot have done the work; `None` if it can.
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
        // Those of one place are whole numbers.
        let count = |n: Option<f64>| match n {
            Some(n) if n.fract() == 0.0 => json!(n as u64),
            other => json!(other),
        };
        json!({
            "seconds": self.seconds,
            "limit": self.limit,
            "operations": count(self.operations),
            "bytes": count(self.bytes),
        })
    }
}

/// The constants of a kernel that is called with arguments of these sizes, in the order of the kernel ABI.
fn constants(export: Export, sizes: &[Vec<Option<i64>>]) -> Vec<Option<i64>> {
    let interface = export.interface();
    let at = |i: usize, d: usize| sizes.get(i).and_then(|s| s.get(d).copied().flatten());
    let open = |ty: &Type| (0..ty.rank()).filter(|&d| ty.shape()[d].is_none()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for i in interface.tensor_inputs() {
        all.extend(open(&interface.inputs[i]).into_iter().map(|d| at(i, d)));
    }
    for (ty, dims) in interface.results.iter().zip(&interface.dims) {
        all.extend((0..open(ty).len()).map(|n| dims.get(n).and_then(|&i| at(i, 0))));
    }
    all.extend(interface.scalar_inputs().into_iter().map(|i| at(i, 0)));
    all
}

/// A sum where constants are known.
fn value(sum: &SizeSum, constants: &[Option<i64>]) -> Option<u64> {
    let mut total = 0i64;
    for (factor, of) in sum.terms() {
        let product = of.iter().try_fold(factor, |n, &c| n.checked_mul(constants.get(c).copied()??))?;
        total = total.checked_add(product)?;
    }
    u64::try_from(total).ok()
}

fn time(seconds: f64) -> String {
    format!("{:.3} µs", seconds * 1e6)
}

/// The peaks of this machine, which no kernel exceeds.
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

    /// The bound of a subject.
    pub(crate) fn bound(&self, subject: &Subject) -> Bound {
        Bound::of(subject, &self.peaks.borrow(), self.caches)
    }

    /// Why a kernel of a subject that takes this many seconds cannot have done the work. Before a kernel is rejected the peaks are
    /// measured again: the stored ones may come from a time when the machine was busy.
    pub(crate) fn refuses(&self, subject: &Subject, seconds: f64) -> Option<String> {
        self.decide(seconds, || self.bound(subject))
    }

    fn decide(&self, seconds: f64, bound: impl Fn() -> Bound) -> Option<String> {
        let first = bound().refuses(seconds)?;
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
        bound().refuses(seconds)
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
        Bound::of_work(work, &[], &peaks(1.0), CacheState::Cold).floor
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
        // Open sizes count where they are known.
        let sum = SizeSum::constant(1).times(&SizeSum::number(8)).unwrap();
        assert_eq!([value(&sum, &[None, Some(5)]), value(&sum, &[Some(5), None])], [Some(40), None]);
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
                Bound::of_work(&work(8000, 8000, 100, "f32"), &[], &gate.peaks.borrow(), gate.caches)
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
