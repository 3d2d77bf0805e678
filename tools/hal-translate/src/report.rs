//! What `--explain` and `--time` say.
use crate::{
    job::{Done, Times},
    target::CpuTarget,
};
use std::fmt::Write;

/// What was done for each executable and target, in order.
#[derive(Debug, Default)]
pub struct Report {
    entries: Vec<Entry>,
    said: String,
}

#[derive(Debug)]
struct Entry {
    executable: String,
    chip: String,
    explanations: Vec<(String, String)>,
    needs: Vec<String>,
    times: Times,
    size: usize,
}

impl Report {
    pub(crate) fn add(&mut self, target: &CpuTarget, done: &Done) {
        self.entries.push(Entry {
            executable: done.member.name.clone(),
            chip: target.chip.clone(),
            explanations: done.member.exports.iter().cloned().zip(done.explanations.iter().cloned()).collect(),
            needs: done.needs.clone(),
            times: done.times,
            size: done.code.len(),
        });
    }

    pub(crate) fn hear(&mut self, said: &str) {
        self.said += said;
    }

    /// What LLVM and MLIR wrote to standard error by themselves, under the names of executables; mostly nothing.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// How many executables were translated, once per target.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was to be done.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How each export was translated, and what its object needs from elsewhere.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        for e in &self.entries {
            for (export, why) in &e.explanations {
                let _ = writeln!(text, "@{}::@{export} for cpu:{}: {why}", e.executable, e.chip);
            }
            if !e.needs.is_empty() {
                let _ = writeln!(text, "@{} for cpu:{}: needs {}", e.executable, e.chip, e.needs.join(", "));
            }
        }
        text
    }

    /// A table of milliseconds, the slowest last.
    pub fn times(&self) -> String {
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        let mut rows: Vec<&Entry> = self.entries.iter().collect();
        rows.sort_by_key(|e| e.times.total());
        let mut text = format!(
            "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  executable\n",
            "generate", "lower", "optimize", "codegen", "total ms", "bytes"
        );
        let mut sum = Times::default();
        for e in rows {
            let t = &e.times;
            let (generate, lower, optimize, codegen) = (ms(t.generate), ms(t.lower), ms(t.optimize), ms(t.codegen));
            let _ = writeln!(
                text,
                "{generate:>9.1} {lower:>9.1} {optimize:>9.1} {codegen:>9.1} {:>9.1} {:>9}  @{} for cpu:{}",
                ms(t.total()),
                e.size,
                e.executable,
                e.chip
            );
            sum.generate += t.generate;
            sum.lower += t.lower;
            sum.optimize += t.optimize;
            sum.codegen += t.codegen;
        }
        let _ = writeln!(
            text,
            "{:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9}  sum of {}",
            ms(sum.generate),
            ms(sum.lower),
            ms(sum.optimize),
            ms(sum.codegen),
            ms(sum.total()),
            self.entries.iter().map(|e| e.size).sum::<usize>(),
            self.entries.len()
        );
        text
    }
}
