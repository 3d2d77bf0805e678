//! Prints floating-point numbers in columns, as numpy's `FloatingFormat`.
use halyard_runtime::{DType, bf16, f16};

/// The number of digits after the point.
const PRECISION: usize = 8;

/// The text of a number: before and after the point, and its exponent (`e-05`, or empty).
struct Parts {
    whole: String,
    fraction: String,
    exponent: String,
}

/// The numbers, aligned: all positional, or all scientific if they are very large, very small or of very different
/// sizes.
pub(super) fn align(values: &[f64], dtype: DType) -> Vec<String> {
    let sizes = || values.iter().map(|v| v.abs()).filter(|v| v.is_finite() && *v != 0.0);
    let (low, high) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let scientific = high > 0.0 && (high >= largest_positional(dtype) || low < 1e-4 || high / low > 1e3);
    let parts: Vec<Option<Parts>> =
        values.iter().map(|&v| v.is_finite().then(|| split(v, dtype, scientific))).collect();
    let longest = |part: fn(&Parts) -> &String| parts.iter().flatten().map(|p| part(p).len()).max().unwrap_or(0);
    let (fraction, exponent) = (longest(|p| &p.fraction), longest(|p| &p.exponent));
    // What stands right of the first digits; `nan` and `inf` may need more room than that.
    let right = 1 + fraction + exponent;
    let special = values.iter().filter(|v| !v.is_finite()).map(|v| name_of_special(*v).len()).max().unwrap_or(0);
    let left = longest(|p| &p.whole).max(special.saturating_sub(right));
    let text = |(p, v): (&Option<Parts>, &f64)| match p {
        None => format!("{:>1$}", name_of_special(*v), left + right),
        // Scientific numbers get equally many digits, if need be of the exact value; positional ones get blanks.
        Some(p) if scientific => {
            let exact = format!("{v:.fraction$e}");
            let digits = exact.split(['.', 'e']).nth(1).filter(|_| fraction > 0).unwrap_or_default();
            format!("{:>left$}.{digits}{}", p.whole, p.exponent)
        }
        Some(p) => format!("{:>left$}.{:<fraction$}", p.whole, p.fraction),
    };
    parts.iter().zip(values).map(text).collect()
}

/// Returns the value from which numpy writes exponents: 10 to the number of decimal digits that a type surely holds,
/// at most 8.
fn largest_positional(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => 1e6,
        DType::F16 => 1e3,
        DType::Bf16 => 1e2,
        _ => 1e8,
    }
}

fn name_of_special(v: f64) -> &'static str {
    match v {
        v if v.is_nan() => "nan",
        v if v > 0.0 => "inf",
        _ => "-inf",
    }
}

fn split(v: f64, dtype: DType, scientific: bool) -> Parts {
    let (digits, exponent) = shortest(v, dtype);
    let cut = |text: &str| text.trim_end_matches('0').to_owned();
    if scientific {
        let text = if digits.len() > PRECISION + 1 {
            format!("{v:.PRECISION$e}")
        } else {
            format!("{v:.*e}", digits.len() - 1)
        };
        let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent: i32 = exponent.parse().expect("the exponent is an integer");
        let sign = if exponent < 0 { '-' } else { '+' };
        return Parts {
            whole: whole.into(),
            fraction: cut(fraction),
            exponent: format!("e{sign}{:02}", exponent.abs()),
        };
    }
    let sign = if v.is_sign_negative() { "-" } else { "" };
    let after_point = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    if after_point > PRECISION {
        let text = format!("{:.PRECISION$}", v.abs());
        let (whole, fraction) = text.split_once('.').expect("the format has a point");
        return Parts { whole: format!("{sign}{whole}"), fraction: cut(fraction), exponent: String::new() };
    }
    let (whole, fraction) = if exponent < 0 {
        ("0".to_owned(), "0".repeat((-exponent - 1) as usize) + &digits)
    } else {
        let point = exponent as usize + 1;
        let padded = format!("{digits:0<point$}");
        (padded[..point].to_owned(), padded[point..].to_owned())
    };
    Parts { whole: format!("{sign}{whole}"), fraction: cut(&fraction), exponent: String::new() }
}

/// The fewest decimal digits that read back as the same number of the type, and the exponent of the first.
fn shortest(v: f64, dtype: DType) -> (String, i32) {
    let text = match dtype {
        DType::F32 => format!("{:e}", v as f32),
        DType::F16 => fewest(v, |t| f16::from_f64(t).to_f64()),
        DType::Bf16 => fewest(v, |t| bf16::from_f64(t).to_f64()),
        _ => format!("{v:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits, exponent.parse().expect("the exponent is an integer"))
}

/// Five digits tell all numbers of 11 bits apart.
fn fewest(v: f64, round: impl Fn(f64) -> f64) -> String {
    let mut texts = (0..4).map(|digits| format!("{v:.digits$e}"));
    texts.find(|t| t.parse().is_ok_and(|t: f64| round(t) == v)).unwrap_or_else(|| format!("{v:.4e}"))
}
