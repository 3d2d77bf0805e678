//! Parses and prints durations and sizes.
use std::time::Duration;

/// The longest duration that may be given, three years: what is added to a clock has to fit into it.
const LONGEST: Duration = Duration::from_secs(100_000_000);

/// Reads `90`, `90s`, `1.5m`, `200ms`, `2h`; a number alone is seconds. For clap's `value_parser`. Errors: no number, an
/// unknown unit, zero, more than three years.
pub fn duration(text: &str) -> Result<Duration, String> {
    match duration_or_zero(text)? {
        Duration::ZERO => Err("the duration is zero".into()),
        duration => Ok(duration),
    }
}

/// Reads a [`duration`] that may be zero.
pub fn duration_or_zero(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("min", 60.0), ("m", 60.0), ("h", 3600.0)];
    let seconds = scaled(text, &units, 1.0).ok_or("a duration is a number with `ms`, `s`, `m` or `h`, as in `30s`")?;
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|d| *d <= LONGEST);
    duration.ok_or_else(|| "the duration is longer than three years".into())
}

/// Reads `4G`, `512MiB`, `100000`; units are powers of 1024, a number alone is bytes. For clap's `value_parser`. Errors: no
/// number, an unknown unit, zero.
pub fn size(text: &str) -> Result<u64, String> {
    let power = |n: i32| f64::from(1 << 10).powi(n);
    let units: Vec<(String, f64)> = ["K", "M", "G", "T"]
        .iter()
        .zip(1..)
        .flat_map(|(unit, n)| ["", "B", "iB"].map(|end| (format!("{unit}{end}"), power(n))))
        .chain([("B".to_owned(), 1.0)])
        .collect();
    let units: Vec<(&str, f64)> = units.iter().map(|(unit, factor)| (&**unit, *factor)).collect();
    let bytes = scaled(text, &units, 1.0).ok_or("a size is a number with `K`, `M`, `G` or `T`, as in `4G`")?;
    if bytes < 1.0 || bytes > u64::MAX as f64 { Err("the size is out of range".into()) } else { Ok(bytes as u64) }
}

fn scaled(text: &str, units: &[(&str, f64)], alone: f64) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let unit = text[end..].trim_start();
    let factor = match unit {
        "" => alone,
        unit => units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    Some(text[..end].parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, milliseconds) in
            [("90", 90_000), ("1.5m", 90_000), ("200ms", 200), ("2 h", 7_200_000), ("1min", 60_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "1x", "-1", "0", "0ms", "1e9", "1..2", "1000000h", "99999999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(duration_or_zero("0"), Ok(Duration::ZERO));
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [("4G", 4 << 30), ("512MiB", 512 << 20), ("1.5k", 1536), ("7", 7), ("7B", 7)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "1X", "-1", "0", "0.1"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
