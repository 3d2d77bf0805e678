//! Numbers for the unknown sizes of an export.
use super::{Size, Sizes};
use crate::random::Random;

/// Numbers for the unknowns.
pub(crate) type Chosen = Vec<i64>;

impl Sizes {
    /// Numbers for the unknowns: each size that is free is one of the first list, each number one of the second. `None` if they
    /// do not fit together.
    pub(crate) fn choose(&self, (sizes, numbers): (&[i64], &[i64]), random: &mut Random) -> Option<Chosen> {
        let mut any = |from: &[i64]| from[random.below(from.len() as u64) as usize];
        self.completed(self.numbers.iter().map(|&number| any(if number { numbers } else { sizes })).collect())
    }

    /// Numbers for the unknowns where arguments have these sizes, and scalars these values; what is not given is small. `None` if they
    /// do not fit together.
    pub(crate) fn choose_at(&self, given: &[Vec<Option<i64>>], random: &mut Random) -> Option<Chosen> {
        let mut chosen: Chosen = self.numbers.iter().map(|_| random.below(8) as i64).collect();
        let places = || self.arguments.iter().zip(given).flat_map(|(own, given)| own.iter().zip(given));
        for (size, given) in places() {
            if let (Size::Unknown(i), Some(n)) = (self.resolve(size), given) {
                chosen[i] = *n;
            }
        }
        let chosen = self.completed(chosen)?;
        let fits = |(size, given): (&Size, &Option<i64>)| match (self.value(size, &chosen), given) {
            (Some(own), Some(n)) => own == *n,
            _ => true,
        };
        places().all(fits).then_some(chosen)
    }

    /// The same with the numbers that follow from others. `None` if they do not fit together.
    fn completed(&self, mut chosen: Chosen) -> Option<Chosen> {
        // What is bound may depend on what is bound later.
        for _ in 0..self.bound.len() {
            let before = chosen.clone();
            for (i, bound) in self.bound.iter().enumerate() {
                if let Some(size) = bound {
                    chosen[i] = self.value(size, &chosen)?;
                }
            }
            if before == chosen {
                break;
            }
        }
        let fits = self.equal.iter().all(|(a, b)| match (self.value(a, &chosen), self.value(b, &chosen)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        });
        let positive = self.arguments.iter().flatten().all(|s| self.value(s, &chosen).is_none_or(|n| n >= 0));
        (fits && positive).then_some(chosen)
    }

    /// The number that a size is; `None` if that is not known.
    pub(crate) fn value(&self, size: &Size, chosen: &Chosen) -> Option<i64> {
        Some(match size {
            Size::Known(n) => *n,
            Size::Unknown(i) => chosen[*i],
            Size::Any => return None,
            Size::Of(how, a, b) => {
                let (a, b) = (self.value(a, chosen)?, self.value(b, chosen)?);
                match *how {
                    "+" => a.checked_add(b)?,
                    "-" => a.checked_sub(b)?,
                    "*" => a.checked_mul(b)?,
                    "floor" => a.checked_div_euclid(b)?,
                    "ceil" => a.checked_add(b.checked_sub(1)?)?.checked_div_euclid(b)?,
                    "mod" => a.checked_rem_euclid(b)?,
                    "max" => a.max(b),
                    _ => a.min(b),
                }
            }
        })
    }
}
