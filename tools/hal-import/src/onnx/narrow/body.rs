//! Converts narrow numbers in bodies with arithmetic on their bits.
use super::{Format, Narrowing, Powers, Special};
use crate::onnx::{Body, Elem, Order, Scalar};

/// The sign bit of an f32.
const SIGN: i64 = 1 << 31;
/// The position of its exponent.
const PLACE: u32 = 23;

impl Body<'_> {
    /// Converts like [`Body::cast`], with the given conversion to narrow floats.
    pub(crate) fn convert(&mut self, a: &Scalar, to: Elem, narrowing: Narrowing) -> Scalar {
        if a.elem == Some(to) {
            return a.clone();
        }
        if a.elem.is_some_and(Elem::is_narrow) {
            let wide = self.widened(a);
            return self.convert(&wide, to, narrowing);
        }
        match to.format() {
            Some(format) => {
                let bits = self.single_bits(a);
                let code = match format.special {
                    Special::Scale => self.power(&bits, narrowing),
                    _ => self.code(&bits, format, narrowing),
                };
                let byte = self.cast(&code, Elem::I8);
                Scalar { elem: Some(to), ..byte }
            }
            None if to.is_narrow() => {
                let byte = self.cast(a, Elem::I8);
                let byte = self.low_bits(&byte, to);
                Scalar { elem: Some(to), ..byte }
            }
            None => self.cast(a, to),
        }
    }

    /// Reinterprets the bits as another type of the same width.
    pub(crate) fn reinterpret(&mut self, a: &Scalar, to: Elem) -> Scalar {
        let from = a.elem.unwrap_or(Elem::I64);
        if from == Elem::Bool {
            let byte = self.cast(a, Elem::U8);
            return Scalar { elem: Some(to), ..byte };
        }
        if from.mlir() != "i8" {
            return self.op(format!("arith.bitcast {} : {} to {}", a.name, from.mlir(), to.mlir()), Some(to));
        }
        let byte = Scalar { elem: Some(Elem::U8), ..a.clone() };
        if to == Elem::Bool {
            return self.cast(&byte, to);
        }
        let low = self.low_bits(&byte, to);
        Scalar { elem: Some(to), ..low }
    }

    /// A narrow number as an f32 or a byte.
    pub(crate) fn widened(&mut self, a: &Scalar) -> Scalar {
        let elem = a.elem.unwrap_or(Elem::I8);
        let byte = Scalar { elem: Some(Elem::U8), ..a.clone() };
        let Some(format) = elem.format() else {
            let wide = if elem.is_unsigned() { Elem::U8 } else { Elem::I8 };
            let low = self.low_bits(&byte, elem);
            return Scalar { elem: Some(wide), ..low };
        };
        let code = self.cast(&byte, Elem::U32);
        let code = Scalar { elem: Some(Elem::I32), ..code };
        let bits =
            if format.special == Special::Scale { self.power_bits(&code) } else { self.float_bits(&code, format) };
        self.op(format!("arith.bitcast {} : i32 to f32", bits.name), Some(Elem::F32))
    }

    /// The low bits of a byte, with the sign or zeros above them.
    fn low_bits(&mut self, byte: &Scalar, elem: Elem) -> Scalar {
        if elem.bits() == 8 {
            return byte.clone();
        }
        if elem.is_unsigned() || elem.is_float() {
            let mask = self.like(byte, f64::from((1u32 << elem.bits()) - 1));
            return self.and(byte, &mask);
        }
        let rest = self.like(byte, f64::from(8 - elem.bits()));
        let high = self.op(format!("arith.shli {}, {} : i8", byte.name, rest.name), byte.elem);
        self.op(format!("arith.shrsi {}, {} : i8", high.name, rest.name), byte.elem)
    }

    fn i32(&mut self, value: i64) -> Scalar {
        self.int(Elem::I32, i64::from(value as i32))
    }

    fn shift_left(&mut self, a: &Scalar, by: u32) -> Scalar {
        let by = self.i32(by.into());
        self.op(format!("arith.shli {}, {} : i32", a.name, by.name), a.elem)
    }

    fn right(&mut self, a: &Scalar, by: u32) -> Scalar {
        let by = self.i32(by.into());
        self.op(format!("arith.shrui {}, {} : i32", a.name, by.name), a.elem)
    }

    fn masked(&mut self, a: &Scalar, mask: i64) -> Scalar {
        let mask = self.i32(mask);
        self.and(a, &mask)
    }

    fn plus(&mut self, a: &Scalar, number: i64) -> Scalar {
        let number = self.i32(number);
        self.add(a, &number)
    }

    fn orders(&mut self, order: Order, a: &Scalar, number: i64) -> Scalar {
        let number = self.i32(number);
        self.compare(order, a, &number)
    }

    /// Returns the bits of the f32 that a code of f8E8M0 represents.
    fn power_bits(&mut self, code: &Scalar) -> Scalar {
        let normal = self.shift_left(code, PLACE);
        // 2^-127 is no normal f32.
        let (least, nan) = (self.i32(1 << 22), self.i32(0x7FC0_0000));
        let is_least = self.orders(Order::Eq, code, 0);
        let is_nan = self.orders(Order::Eq, code, 0xFF);
        let bits = self.select(&is_least, &least, &normal);
        self.select(&is_nan, &nan, &bits)
    }

    /// Returns the bits of the f32 that a code represents.
    fn float_bits(&mut self, code: &Scalar, format: Format) -> Scalar {
        let magnitude = self.masked(code, (1 << format.magnitude()) - 1);
        let sign = self.masked(code, format.sign().into());
        let sign = self.shift_left(&sign, 31 - format.magnitude());
        let shifted = self.shift_left(&magnitude, PLACE - format.mantissa);
        let normal = self.plus(&shifted, i64::from(127 - format.bias) << PLACE);
        // Numbers below the least normal one are multiples of one step. They are no sums of bits, which would go by way of
        // numbers that some devices take for 0.
        let count = self.cast(&magnitude, Elem::F32);
        let step = self.float(Elem::F32, 2f64.powi(1 - format.bias - format.mantissa as i32));
        let small = self.mul(&count, &step);
        let small = self.op(format!("arith.bitcast {} : f32 to i32", small.name), Some(Elem::I32));
        let is_small = self.orders(Order::Lt, &magnitude, 1 << format.mantissa);
        let mut bits = self.select(&is_small, &small, &normal);
        if matches!(format.special, Special::Ieee | Special::LastIsNan) {
            let above = self.orders(Order::Gt, &magnitude, format.largest().into());
            let fraction = self.masked(&magnitude, (1 << format.mantissa) - 1);
            let fraction = self.shift_left(&fraction, PLACE - format.mantissa);
            let infinity = self.i32(0x7F80_0000);
            let special = self.or(&fraction, &infinity);
            bits = self.select(&above, &special, &bits);
        }
        let bits = self.or(&bits, &sign);
        if format.special != Special::MinusZeroIsNan {
            return bits;
        }
        let nan = self.i32(0x7FC0_0000);
        let is_nan = self.orders(Order::Eq, code, format.sign().into());
        self.select(&is_nan, &nan, &bits)
    }

    /// A number as the bits of an f32, so that rounding them again is rounding the number.
    fn single_bits(&mut self, a: &Scalar) -> Scalar {
        let single = self.cast(a, Elem::F32);
        let bits = self.op(format!("arith.bitcast {} : f32 to i32", single.name), Some(Elem::I32));
        if a.elem != Some(Elem::F64) {
            return bits;
        }
        // What was rounded to an even number goes to the odd one on the other side of the f64: no tie that is none.
        let back = self.cast(&single, Elem::F64);
        let (wide, near) = (self.abs(a), self.abs(&back));
        let (below, above) = (self.compare(Order::Lt, &near, &wide), self.compare(Order::Gt, &near, &wide));
        // What is beyond the powers of f32 stays there.
        let beyond = self.float(Elem::F64, 2f64.powi(128));
        let within = self.compare(Order::Lt, &wide, &beyond);
        let above = self.and(&above, &within);
        let odd = self.masked(&bits, 1);
        let odd = self.orders(Order::Eq, &odd, 1);
        let (up, down) = (self.plus(&bits, 1), self.plus(&bits, -1));
        let moved = self.select(&below, &up, &bits);
        let moved = self.select(&above, &down, &moved);
        self.select(&odd, &bits, &moved)
    }

    /// The code of f8E8M0 for the bits of an f32, whose sign does not count.
    fn power(&mut self, bits: &Scalar, narrowing: Narrowing) -> Scalar {
        let magnitude = self.masked(bits, SIGN - 1);
        let exponent = self.right(&magnitude, PLACE);
        let fraction = self.masked(&magnitude, (1 << PLACE) - 1);
        // 2^-127 has the exponent 0, and the highest bit of the fraction.
        let half = 1i64 << (PLACE - 1);
        let is_small = self.orders(Order::Eq, &exponent, 0);
        let (normal, small) = match narrowing.powers {
            Powers::Up => (1, half + 1),
            Powers::Down => (1 << PLACE, 1 << PLACE),
            Powers::Nearest => (half, half + half / 2),
        };
        let (normal, small) = (self.i32(normal), self.i32(small));
        let limit = self.select(&is_small, &small, &normal);
        let up = self.compare(Order::Ge, &fraction, &limit);
        let next = self.plus(&exponent, 1);
        let code = self.select(&up, &next, &exponent);
        let (largest, beyond) = (0xFE, if narrowing.saturate { 0xFE } else { 0xFF });
        let above = self.orders(Order::Gt, &code, largest);
        let beyond = self.i32(beyond);
        let code = self.select(&above, &beyond, &code);
        let below = self.orders(Order::Lt, &magnitude, half);
        let none = self.i32(if narrowing.saturate { 0 } else { 0xFF });
        let code = self.select(&below, &none, &code);
        let nan = self.i32(0xFF);
        let is_nan = self.orders(Order::Gt, &magnitude, 0x7F80_0000);
        self.select(&is_nan, &nan, &code)
    }

    /// The code for the bits of an f32, rounded to nearest even.
    fn code(&mut self, bits: &Scalar, format: Format, narrowing: Narrowing) -> Scalar {
        let magnitude = self.masked(bits, SIGN - 1);
        let sign = self.right(bits, 31);
        let sign = self.shift_left(&sign, format.magnitude());
        // Normal numbers: half of what is cut is added, less one bit if the rest is even.
        let cut = PLACE - format.mantissa;
        let rebased = self.plus(&magnitude, -(i64::from(127 - format.bias) << PLACE));
        let last = self.right(&rebased, cut);
        let last = self.masked(&last, 1);
        let rounded = self.plus(&rebased, (1 << (cut - 1)) - 1);
        let rounded = self.add(&rounded, &last);
        let normal = self.right(&rounded, cut);
        // Smaller ones are multiples of one step, of which there are at most as many as the mantissa counts.
        let least = i64::from(128 - format.bias) << PLACE;
        let bound = self.i32(least);
        let bounded = self.min(&magnitude, &bound);
        let small = self.op(format!("arith.bitcast {} : i32 to f32", bounded.name), Some(Elem::F32));
        let steps = self.float(Elem::F32, 2f64.powi(format.bias - 1 + format.mantissa as i32));
        let small = self.mul(&small, &steps);
        let small = self.math("roundeven", &small);
        let small = self.whole(&small);
        let is_small = self.compare(Order::Lt, &magnitude, &bound);
        let code = self.select(&is_small, &small, &normal);
        // Too large.
        let largest = self.i32(format.largest().into());
        let above = self.compare(Order::Gt, &code, &largest);
        let infinite = self.orders(Order::Ge, &magnitude, 0x7F80_0000);
        let above = self.or(&above, &infinite);
        let overflow = self.i32(format.overflow(narrowing).into());
        let code = self.select(&above, &overflow, &code);
        let (nan, signed) = format.nan();
        let nan = self.i32(nan.into());
        let is_nan = self.orders(Order::Gt, &magnitude, 0x7F80_0000);
        if signed {
            let code = self.select(&is_nan, &nan, &code);
            return self.or(&code, &sign);
        }
        let code = if format.special == Special::MinusZeroIsNan {
            // There is no -0, whose code is NaN.
            let is_zero = self.orders(Order::Eq, &code, 0);
            let with_sign = self.or(&code, &sign);
            self.select(&is_zero, &code, &with_sign)
        } else {
            self.or(&code, &sign)
        };
        self.select(&is_nan, &nan, &code)
    }
}
