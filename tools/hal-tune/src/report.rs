//! Reports for people.
use crate::{
    judge::Judgement,
    tune::{Tuned, Winner},
};
use halyard_diag::Diagnostic;

/// A line for an executable: what was tried, and what won.
pub(crate) fn line(name: &str, seconds: f64, tuned: &Tuned) -> String {
    let tried = match tuned.tried {
        1 => "1 candidate".to_owned(),
        n => format!("{n} candidates"),
    };
    let rejected = if tuned.rejected > 0 { format!(", {} rejected", tuned.rejected) } else { String::new() };
    match &tuned.winner {
        None => format!("@{name}: {}, nothing is faster ({tried}{rejected})", time(seconds)),
        Some(Winner { source, judgement: Judgement { ratio, interval, seconds, .. }, .. }) => format!(
            "@{name}: {} to {}, {ratio:.3} ({:.3} to {:.3}) by {source} ({tried}{rejected})",
            time(seconds[0]),
            time(seconds[1]),
            interval[0],
            interval[1],
        ),
    }
}

/// Says which executables are left out because nothing says their sizes, and which flags would.
pub(crate) fn left_out(executables: &[&str], open: &[String]) -> Diagnostic {
    const SHOWN: usize = 6;
    let listed: Vec<String> = executables.iter().take(SHOWN).map(|name| format!("`@{name}`")).collect();
    let more = executables.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let are = if executables.len() == 1 { "is" } else { "are" };
    let text = format!("{}{more} {are} left out: nothing says at which sizes to measure", listed.join(", "));
    let note = Diagnostic::warning(text).code("missing-size");
    let flags: Vec<String> = open.iter().take(SHOWN).map(|name| format!("`--dim={name}=SIZE`")).collect();
    match flags.is_empty() {
        false => note.hint(format!("give {}", flags.join(" "))),
        true => note.hint("its sizes depend on data, or nothing calls it: no flag can set them"),
    }
}

/// The total gain: how much less time the kernels take, weighted by calls.
pub(crate) fn summary(before: f64, after: f64, faster: usize, tuned: usize) -> String {
    let kernels = if tuned == 1 { "kernel" } else { "kernels" };
    if faster == 0 {
        return format!("no faster schedule for {tuned} {kernels}");
    }
    format!(
        "{faster} of {tuned} {kernels} got faster: the kernels of a call take {} instead of {}, {:.3} of the time",
        time(after),
        time(before),
        after / before
    )
}

/// Seconds as people read them.
fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = 2usize.saturating_sub(value.max(1.0).log10() as usize);
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let times = [1.2345e-6, 12.345e-6, 0.4567, 123.4e-3, 12.0];
        assert_eq!(times.map(time), ["1.23 µs", "12.3 µs", "457 ms", "123 ms", "12.0 s"]);
    }

    #[test]
    fn a_sum_is_a_part_of_the_time() {
        assert_eq!(
            summary(2e-3, 1e-3, 1, 3),
            "1 of 3 kernels got faster: the kernels of a call take 1.00 ms instead of 2.00 ms, 0.500 of the time"
        );
    }
}
