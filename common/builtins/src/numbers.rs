//! Numbers as text: the shortest that reads back as the same number, as numpy writes them; and text as numbers.
use half::{bf16, f16};
use halyard_runtime::{DType, HostCall};

/// `halyard.write_numbers`: a list of numbers to strings: where each ends, and the bytes of all.
pub(crate) fn write(call: &mut HostCall<'_>) -> Result<(), String> {
    let input = call.input(0);
    let (mut ends, mut text) = (Vec::new(), String::new());
    for element in input.bytes.chunks_exact(input.dtype.size()) {
        text += &written(input.dtype, element);
        ends.extend_from_slice(&(text.len() as i64).to_le_bytes());
    }
    let count = (ends.len() / 8) as i64;
    call.result(0, &[count])?.copy_from_slice(&ends);
    call.result(1, &[text.len() as i64])?.copy_from_slice(text.as_bytes());
    Ok(())
}

/// `halyard.read_numbers`: strings, as where each ends and the bytes of all, to a list of numbers.
pub(crate) fn read(call: &mut HostCall<'_>) -> Result<(), String> {
    let (ends, bytes, dtype) = (call.input(0).bytes, call.input(1).bytes, call.result_dtype(0));
    let (mut start, mut numbers) = (0, Vec::new());
    for end in ends.as_chunks::<8>().0 {
        let end = usize::try_from(i64::from_le_bytes(*end)).unwrap_or(usize::MAX);
        let text = bytes.get(start..end).and_then(|piece| std::str::from_utf8(piece).ok());
        let text = text.ok_or("a string ends beyond its bytes, or is not UTF-8")?;
        numbers.extend(
            parsed(dtype, text).ok_or_else(|| format!("the string {text:?} is no number of type {}", dtype.name()))?,
        );
        start = end;
    }
    let count = ends.len() as i64 / 8;
    call.result(0, &[count])?.copy_from_slice(&numbers);
    Ok(())
}

/// Returns an element as text.
fn written(dtype: DType, bytes: &[u8]) -> String {
    fn first<const N: usize>(b: &[u8]) -> [u8; N] {
        b[..N].try_into().expect("as many bytes as the type has")
    }
    match dtype {
        DType::F32 => float(f64::from(f32::from_le_bytes(first(bytes))), 1e6, |v| format!("{:e}", v as f32)),
        DType::F64 => float(f64::from_le_bytes(first(bytes)), 1e16, |v| format!("{v:e}")),
        DType::F16 => {
            float(f16::from_le_bytes(first(bytes)).to_f64(), 1e3, |v| shortest(v, |v| f16::from_f64(v).to_f64()))
        }
        DType::Bf16 => {
            float(bf16::from_le_bytes(first(bytes)).to_f64(), 1e3, |v| shortest(v, |v| bf16::from_f64(v).to_f64()))
        }
        DType::I1 => if bytes[0] == 0 { "False" } else { "True" }.into(),
        DType::I8 => (bytes[0] as i8).to_string(),
        DType::U8 => bytes[0].to_string(),
        DType::I16 => i16::from_le_bytes(first(bytes)).to_string(),
        DType::U16 => u16::from_le_bytes(first(bytes)).to_string(),
        DType::I32 => i32::from_le_bytes(first(bytes)).to_string(),
        DType::U32 => u32::from_le_bytes(first(bytes)).to_string(),
        DType::I64 => i64::from_le_bytes(first(bytes)).to_string(),
        DType::U64 => u64::from_le_bytes(first(bytes)).to_string(),
    }
}

/// The fewest digits, with an exponent, that are rounded to a number again.
fn shortest(v: f64, rounded: impl Fn(f64) -> f64) -> String {
    let text = |digits: usize| format!("{v:.digits$e}");
    let reads_back = |text: &String| text.parse().is_ok_and(|read: f64| rounded(read) == v);
    (0..9).map(text).find(reads_back).unwrap_or_else(|| format!("{v:e}"))
}

/// Writes a float as numpy 2 does: with an exponent below 1e-4 and above `most`, which depends on the type.
/// `scientific` returns the digits, as `1.5e-7`.
fn float(v: f64, most: f64, scientific: impl FnOnce(f64) -> String) -> String {
    if v.is_nan() {
        return "nan".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "inf" } else { "-inf" }.into();
    }
    let text = scientific(v);
    let (digits, exponent) = text.split_once('e').expect("it is written with an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |d| ("-", d));
    if v != 0.0 && !(1e-4..most).contains(&v.abs()) {
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{digits}e{mark}{:02}", exponent.abs());
    }
    let digits: String = digits.chars().filter(|c| *c != '.').collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        trimmed => trimmed,
    };
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(-exponent as usize - 1));
    }
    let whole = exponent as usize + 1;
    let padded = format!("{digits:0<whole$}");
    let (before, after) = padded.split_at(whole);
    format!("{sign}{before}.{}", if after.is_empty() { "0" } else { after })
}

/// The bytes of the number that a text says, in decimal or scientific notation; integers are cut toward zero. `None`: it says none, or
/// one that does not fit an integer.
fn parsed(dtype: DType, text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let wide = || text.parse::<f64>().ok();
    let int =
        || text.parse::<i128>().ok().or_else(|| wide().filter(|v| v.is_finite() && v.abs() < 1e20).map(|v| v as i128));
    Some(match dtype {
        DType::F32 => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
        DType::F64 => wide()?.to_le_bytes().to_vec(),
        DType::F16 => f16::from_f64(wide()?).to_le_bytes().to_vec(),
        DType::Bf16 => bf16::from_f64(wide()?).to_le_bytes().to_vec(),
        DType::I1 => return None,
        DType::I8 => i8::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::U8 => u8::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::I16 => i16::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::U16 => u16::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::I32 => i32::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::U32 => u32::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::I64 => i64::try_from(int()?).ok()?.to_le_bytes().to_vec(),
        DType::U64 => u64::try_from(int()?).ok()?.to_le_bytes().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_by_numpy() {
        let double = |v: f64| written(DType::F64, &v.to_le_bytes());
        let single = |v: f32| written(DType::F32, &v.to_le_bytes());
        let half = |v: f64| written(DType::F16, &f16::from_f64(v).to_le_bytes());
        for (got, want) in [
            (double(0.0), "0.0"),
            (double(-0.0), "-0.0"),
            (double(100.0), "100.0"),
            (double(1e15), "1000000000000000.0"),
            (double(1e16), "1e+16"),
            (double(0.0001), "0.0001"),
            (double(-1.25e-5), "-1.25e-05"),
            (double(123.456), "123.456"),
            (double(1e300), "1e+300"),
            (single(0.1), "0.1"),
            (single(16_777_216.0), "1.6777216e+07"),
            (single(999_999.96), "999999.94"),
            (single(0.0001), "1e-04"),
            (single(f32::NAN), "nan"),
            (single(f32::NEG_INFINITY), "-inf"),
            (half(0.1), "0.1"),
            (half(65504.0), "6.55e+04"),
            (half(999.5), "999.5"),
            (written(DType::I1, &[1]), "True"),
            (written(DType::U64, &u64::MAX.to_le_bytes()), "18446744073709551615"),
        ] {
            assert_eq!(got, want);
        }
    }

    #[test]
    fn numbers_are_read() {
        let float = |text: &str| parsed(DType::F32, text).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
        assert_eq!(
            [float("2.75"), float(" 1E8 "), float("-INF"), float("+inf")],
            [Some(2.75), Some(1e8), Some(f32::NEG_INFINITY), Some(f32::INFINITY)]
        );
        assert!(float("NaN").unwrap().is_nan() && float("abc").is_none() && float("").is_none());
        let int = |text: &str| parsed(DType::I8, text).map(|b| b[0] as i8);
        assert_eq!(
            [int("100.5"), int("-7"), int("1e2"), int("200"), int("NaN")],
            [Some(100), Some(-7), Some(100), None, None]
        );
    }
}
