//! Floats of at most eight bits, and integers of less than eight: the meaning of their bits.
mod body;

/// How a number is converted to a narrow float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Narrowing {
    /// Whether numbers that are too large become the largest finite number; otherwise they become infinity or NaN.
    pub(crate) saturate: bool,
    /// The rounding of f8E8M0, which has powers of two only. The others round to nearest even.
    pub(crate) powers: Powers,
}

/// The power of two that represents a number between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Powers {
    Up,
    Down,
    /// The nearer one; the larger one in the middle.
    Nearest,
}

impl Default for Narrowing {
    fn default() -> Self {
        Self { saturate: true, powers: Powers::Up }
    }
}

/// The meaning of the largest codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    /// As in IEEE 754: the largest exponent is for infinities and NaNs.
    Ieee,
    /// The largest code is NaN, there is no infinity.
    LastIsNan,
    /// The code of -0 is NaN, there is neither -0 nor an infinity.
    MinusZeroIsNan,
    /// All codes are finite numbers.
    Finite,
    /// There is no sign and no mantissa: a code is an exponent, the last one is NaN.
    Scale,
}

/// The layout of a narrow float: a sign, an exponent, a mantissa.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    special: Special,
}

impl Format {
    pub(super) const F8E4M3FN: Self = Self::new(4, 3, 7, Special::LastIsNan);
    pub(super) const F8E4M3FNUZ: Self = Self::new(4, 3, 8, Special::MinusZeroIsNan);
    pub(super) const F8E5M2: Self = Self::new(5, 2, 15, Special::Ieee);
    pub(super) const F8E5M2FNUZ: Self = Self::new(5, 2, 16, Special::MinusZeroIsNan);
    pub(super) const F8E8M0: Self = Self::new(8, 0, 127, Special::Scale);
    pub(super) const F6E2M3: Self = Self::new(2, 3, 1, Special::Finite);
    pub(super) const F6E3M2: Self = Self::new(3, 2, 3, Special::Finite);
    pub(super) const F4E2M1: Self = Self::new(2, 1, 1, Special::Finite);

    const fn new(exponent: u32, mantissa: u32, bias: i32, special: Special) -> Self {
        Self { exponent, mantissa, bias, special }
    }

    /// Returns the number of bits without the sign.
    fn magnitude(self) -> u32 {
        self.exponent + self.mantissa
    }

    fn sign(self) -> u8 {
        if self.special == Special::Scale { 0 } else { 1 << self.magnitude() }
    }

    /// The code of the largest finite number.
    fn largest(self) -> u8 {
        let all = ((1u32 << self.magnitude()) - 1) as u8;
        match self.special {
            Special::Ieee => all - (1 << self.mantissa),
            Special::LastIsNan | Special::Scale => all - 1,
            Special::MinusZeroIsNan | Special::Finite => all,
        }
    }

    /// The code for numbers that are too large, without the sign.
    fn overflow(self, narrowing: Narrowing) -> u8 {
        match self.special {
            _ if narrowing.saturate => self.largest(),
            Special::Finite => self.largest(),
            Special::MinusZeroIsNan => self.sign(),
            _ => self.largest() + 1,
        }
    }

    /// The code of NaN, and whether it takes the sign. A type without NaN has -0 in its place, as ml_dtypes does.
    fn nan(self) -> (u8, bool) {
        match self.special {
            Special::Ieee => (self.largest() + 1 + (1 << (self.mantissa - 1)), true),
            Special::LastIsNan => (self.largest() + 1, true),
            Special::MinusZeroIsNan | Special::Finite => (self.sign(), false),
            Special::Scale => (0xFF, false),
        }
    }

    /// Returns the number that a code represents.
    pub(super) fn decode(self, code: u8) -> f64 {
        if self.special == Special::Scale {
            return if code == 0xFF { f64::NAN } else { 2f64.powi(i32::from(code) - self.bias) };
        }
        let magnitude = code & (self.sign() - 1);
        let negative = code & self.sign() != 0;
        let fraction = i32::from(magnitude & ((1 << self.mantissa) - 1));
        let power = i32::from(magnitude >> self.mantissa);
        let value = match self.special {
            Special::MinusZeroIsNan if negative && magnitude == 0 => f64::NAN,
            Special::Ieee if magnitude == self.largest() + 1 => f64::INFINITY,
            Special::Ieee | Special::LastIsNan if magnitude > self.largest() => f64::NAN,
            _ if power == 0 => f64::from(fraction) * 2f64.powi(1 - self.bias - self.mantissa as i32),
            _ => f64::from(fraction + (1 << self.mantissa)) * 2f64.powi(power - self.bias - self.mantissa as i32),
        };
        if negative { -value } else { value }
    }

    /// Returns the code that represents a number.
    pub(super) fn encode(self, value: f64, narrowing: Narrowing) -> u8 {
        if value.is_nan() {
            let (code, signed) = self.nan();
            return if signed && value.is_sign_negative() { code | self.sign() } else { code };
        }
        if self.special == Special::Scale {
            return self.encode_power(value.abs(), narrowing);
        }
        let sign = if value.is_sign_negative() { self.sign() } else { 0 };
        // The step between numbers of this size; below the least normal number it does not shrink.
        let power = if value.abs().is_normal() && value.is_finite() { exponent_of(value.abs()) } else { -1022 };
        let power = power.max(1 - self.bias).min(200);
        let steps = (value.abs() * 2f64.powi(self.mantissa as i32 - power)).round_ties_even();
        // A mantissa that is rounded up to the next power carries into the exponent.
        let code = steps + f64::from((power - 1 + self.bias) << self.mantissa);
        let code = if code > f64::from(self.largest()) { self.overflow(narrowing) } else { code as u8 };
        match self.special {
            // There is no -0.
            Special::MinusZeroIsNan if code == 0 || code == self.sign() => code,
            _ => code | sign,
        }
    }

    fn encode_power(self, value: f64, narrowing: Narrowing) -> u8 {
        let (least, beyond) = (2f64.powi(-self.bias), if narrowing.saturate { 0xFE } else { 0xFF });
        if value < least {
            return if narrowing.saturate { 0 } else { 0xFF };
        }
        if value.is_infinite() {
            return beyond;
        }
        let power = exponent_of(value);
        let below = 2f64.powi(power);
        let up = match narrowing.powers {
            Powers::Up => value > below,
            Powers::Down => false,
            Powers::Nearest => value >= below * 1.5,
        };
        let code = power + self.bias + i32::from(up);
        if code > 0xFE { beyond } else { code as u8 }
    }
}

/// The power of two below a positive number that is normal.
fn exponent_of(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7FF) as i32 - 1023
}

#[cfg(test)]
mod tests;
