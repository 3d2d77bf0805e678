//! Sums of products of sizes: the work of a kernel as a function of its constants.
use std::{collections::BTreeMap, fmt, str::FromStr};

/// A sum of products, each of a number and of constants of a kernel: `128 * c0 * c1 + 4`. The constants are those of the kernel
/// ABI, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizeSum(BTreeMap<Vec<usize>, i64>);

impl SizeSum {
    /// Makes a constant.
    pub fn number(n: i64) -> Self {
        Self::of_term(n, Vec::new())
    }

    /// The value of a constant of the kernel.
    pub fn constant(index: usize) -> Self {
        Self::of_term(1, vec![index])
    }

    fn of_term(factor: i64, constants: Vec<usize>) -> Self {
        Self(if factor == 0 { BTreeMap::new() } else { BTreeMap::from([(constants, factor)]) })
    }

    /// The products: a number, and the constants that it is multiplied by.
    pub fn terms(&self) -> impl Iterator<Item = (i64, &[usize])> {
        self.0.iter().map(|(constants, factor)| (*factor, &**constants))
    }

    /// Returns the value, if no kernel constant occurs.
    pub fn as_number(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The sum; `None` where a number becomes too large.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.0.clone();
        for (constants, factor) in &other.0 {
            let old = sum.entry(constants.clone()).or_default();
            *old = old.checked_add(*factor)?;
        }
        sum.retain(|_, factor| *factor != 0);
        Some(Self(sum))
    }

    /// The product; `None` where a number becomes too large.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut sum = Self::default();
        for (a, m) in &self.0 {
            for (b, n) in &other.0 {
                let mut constants = [&a[..], &b[..]].concat();
                constants.sort_unstable();
                sum = sum.plus(&Self::of_term(m.checked_mul(*n)?, constants))?;
            }
        }
        Some(sum)
    }
}

impl fmt::Display for SizeSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let term = |(factor, constants): (i64, &[usize])| {
            let names: Vec<String> = constants.iter().map(|c| format!("c{c}")).collect();
            match (factor, names.is_empty()) {
                (1, false) => names.join(" * "),
                (_, false) => format!("{factor} * {}", names.join(" * ")),
                (_, true) => factor.to_string(),
            }
        };
        let terms: Vec<String> = self.terms().map(term).collect();
        f.write_str(if terms.is_empty() { "0" } else { "" })?;
        f.write_str(&terms.join(" + "))
    }
}

impl FromStr for SizeSum {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let factor = |word: &str| -> Option<Self> {
            let word = word.trim();
            match word.strip_prefix('c') {
                Some(index) => Some(Self::constant(index.parse().ok()?)),
                None => Some(Self::number(word.parse().ok()?)),
            }
        };
        let term = |text: &str| text.split('*').try_fold(Self::number(1), |p, word| p.times(&factor(word)?));
        text.split('+').try_fold(Self::default(), |sum, text| sum.plus(&term(text)?)).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_read_as_written() {
        for text in ["0", "7", "128 * c0 * c1", "4 + c0", "-2 * c1 + 3 * c1 * c12"] {
            assert_eq!(text.parse::<SizeSum>().unwrap().to_string(), text);
        }
        for text in ["", "x", "c", "2 *", "c0 +", "99999999999999999999", "4611686018427387904 * 4"] {
            assert_eq!(text.parse::<SizeSum>(), Err(()), "{text}");
        }
    }

    #[test]
    fn equal_terms_are_one() {
        let sum = |text: &str| text.parse::<SizeSum>().unwrap();
        assert_eq!(sum("c1 * c0 + 2 * c0 * c1"), sum("3 * c0 * c1"));
        assert_eq!(sum("c0 + 2").times(&sum("c0 + -2")).unwrap(), sum("c0 * c0 + -4"));
        assert_eq!(
            (sum("c0 + -1 * c0").as_number(), sum("5").as_number(), sum("c0").as_number()),
            (Some(0), Some(5), None)
        );
        assert_eq!(SizeSum::number(i64::MAX).plus(&SizeSum::number(1)), None);
    }
}
