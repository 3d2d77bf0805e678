//! What each stage changed in an executable, as `hal-compile --dump-executable-stages-to` writes it, small enough for a
//! report.
use crate::{data::Texts, page::packed};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

/// The most bytes of the report for stages of executables. A report has 2 MB at most.
const BUDGET: usize = 1_000_000;

/// The most for those of the program before it has executables.
const IMPORT_BUDGET: usize = 250_000;

/// How many lines of a stage are shown: the largest number of these that fits.
const LINES: [usize; 6] = [2000, 500, 120, 40, 12, 3];

/// The texts of executables, by name: `stages:E` as far as their translation, and `lowered:E` from there.
#[derive(Debug, Default)]
pub(crate) struct StageTexts {
    texts: BTreeMap<String, (String, String)>,
}

impl StageTexts {
    /// Adds the files of an executable; what is not there is `None`.
    pub(crate) fn add(&mut self, executable: &str, source: Option<String>, lowered: Option<String>) {
        let files = [("stages", source), ("lowered", lowered)];
        for (what, text) in files.into_iter().filter_map(|(what, text)| Some((what, text?))) {
            self.texts.insert(format!("{what}:{executable}"), (executable.to_owned(), text));
        }
    }

    /// The texts as the page reads them: long stages cut, and one text for executables that are the same but for names.
    pub(crate) fn fitted(&self) -> Texts {
        fit(BUDGET, |lines| self.cut(lines), |texts| texts.values().map(String::as_str).collect())
    }

    fn cut(&self, lines: usize) -> Texts {
        let mut first: HashMap<String, String> = HashMap::new();
        let one = |(name, (executable, text)): (&String, &(String, String))| {
            let text = shortened(text, lines);
            let nameless = text.replace(&format!("@{executable}"), "@");
            let text = match first.get(&nameless) {
                Some(other) => format!("=== the same as {other}\n"),
                None => {
                    first.insert(nameless, executable.clone());
                    text
                }
            };
            (name.clone(), text)
        };
        self.texts.iter().map(one).collect()
    }
}

/// The stages of the program before it has executables, as the page reads them.
pub(crate) fn fitted_import(text: &str) -> String {
    fit(IMPORT_BUDGET, |lines| shortened(text, lines), |text| vec![text.as_str()])
}

/// What is cut to the largest number of lines that fits.
fn fit<T>(budget: usize, cut: impl Fn(usize) -> T, texts: impl Fn(&T) -> Vec<&str>) -> T {
    let fits = |made: &T| {
        let texts = texts(made);
        // Text is compressed thirty times at best.
        let raw: usize = texts.iter().map(|text| text.len()).sum();
        raw < 30 * budget && texts.iter().map(|text| packed(text).len()).sum::<usize>() <= budget
    };
    let (least, more) = LINES.split_last().expect("there are some");
    more.iter().map(|lines| cut(*lines)).find(fits).unwrap_or_else(|| cut(*least))
}

/// The text with at most some lines of each stage.
fn shortened(text: &str, most: usize) -> String {
    let mut short = String::new();
    let (mut shown, mut left) = (0, 0);
    let end = |short: &mut String, left: &mut usize| {
        if *left > 0 {
            let _ = writeln!(short, "… {left} more lines");
        }
        *left = 0;
    };
    for line in text.lines() {
        if line.starts_with("=== ") {
            end(&mut short, &mut left);
            shown = 0;
        } else {
            shown += 1;
        }
        if shown > most {
            left += 1;
        } else {
            short += line;
            short.push('\n');
        }
    }
    end(&mut short, &mut left);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_stages_are_cut() {
        let text = "=== a\n1\n2\n3\n=== b: no change\n=== c\n1\n";
        assert_eq!(shortened(text, 2), "=== a\n1\n2\n… 1 more lines\n=== b: no change\n=== c\n1\n");
        assert_eq!(shortened(text, 3), text);
    }

    #[test]
    fn what_is_the_same_is_there_once() {
        let mut all = StageTexts::default();
        for name in ["d_0", "d_1"] {
            all.add(name, None, Some(format!("=== export @{name}_matmul: plain loops\n@{name}_matmul\n")));
        }
        let texts = all.fitted();
        assert!(texts["lowered:d_0"].starts_with("=== export @d_0_matmul"));
        assert_eq!(texts["lowered:d_1"], "=== the same as d_0\n");
    }

    #[test]
    fn an_import_has_its_share() {
        let text = "=== a\n1\n2\n";
        assert_eq!(fitted_import(text), text);
        let mut state = 1u64;
        let mut line = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("+{state:x}\n")
        };
        let long: String = (0..40_000).map(|i| if i % 1000 == 0 { "=== stage\n".into() } else { line() }).collect();
        let size = packed(&fitted_import(&long)).len();
        assert!(size <= IMPORT_BUDGET && size > IMPORT_BUDGET / 20, "{size}");
    }

    #[test]
    fn many_stages_fit() {
        let mut all = StageTexts::default();
        let mut state = 1u64;
        for i in 0..40 {
            let mut text = String::new();
            for stage in 0..4 {
                let _ = writeln!(text, "=== stage {stage}");
                for _ in 0..1500 {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let _ = writeln!(text, "+{:x}", state >> 16);
                }
            }
            all.add(&format!("d_{i}"), Some(text), None);
        }
        let size: usize = all.fitted().values().map(|text| packed(text).len()).sum();
        assert!(size <= BUDGET && size > BUDGET / 10, "{size}");
    }
}
