//! Selects executables by name, content key or origin.
use super::{Executable, ExecutableOrigin, content_key, escape_symbol};
use glob::Pattern;
use halyard_diag::{Error, Result, either, few, nearest};

/// Finds executables by what people write:
///
/// | written | means |
/// |---|---|
/// | `main_dispatch_7`, `@main_dispatch_7` | the executable of that name |
/// | `main_dispatch_*` | those whose name matches the pattern (`*`, `?`, `[…]`) |
/// | `key:0123abcd` | those whose content key starts so, with at least four digits |
/// | `origin:/layer1/*` | those made of a node, or place in MLIR, whose name matches the pattern |
#[derive(Debug, Clone)]
pub struct ExecutableSelector<'a> {
    executables: &'a [Executable],
}

impl<'a> ExecutableSelector<'a> {
    /// Prepares to select among these executables.
    pub fn new(executables: &'a [Executable]) -> Self {
        Self { executables }
    }

    /// Whether a text is more than a name: it remains valid if executables are renamed.
    pub fn is_pattern(text: &str) -> bool {
        text.starts_with("key:") || text.starts_with("origin:") || text.contains(['*', '?', '['])
    }

    /// The executables that are meant, in order; at least one. Errors: none, with near names; a malformed key or pattern.
    pub fn all(&self, text: &str) -> Result<Vec<Executable>> {
        let bare = text.strip_prefix('@').unwrap_or(text);
        if let Some(named) = self.executables.iter().find(|e| e.name() == bare) {
            return Ok(vec![*named]);
        }
        if let Some(key) = text.strip_prefix("key:") {
            return self.by_key(key);
        }
        if let Some(pattern) = text.strip_prefix("origin:") {
            return self.by_origin(pattern);
        }
        let wanted = self::pattern(text, bare)?;
        let found = self.filter(|e| wanted.matches(&e.name()));
        if found.is_empty() { Err(self.unmatched(text, bare)) } else { Ok(found) }
    }

    /// The one executable that is meant. Errors: as for [`ExecutableSelector::all`], or several.
    pub fn one(&self, text: &str) -> Result<Executable> {
        match self.all(text)?.as_slice() {
            [one] => Ok(*one),
            several => {
                let names: Vec<String> = several.iter().map(|e| e.name()).collect();
                Err(Error::usage(format!("`{text}` means {} executables, one is needed", names.len()))
                    .code("several-executables")
                    .note(format!("they are {}", few(&names)))
                    .hint("write more of the name, or the content key: `key:…`"))
            }
        }
    }

    /// Up to three names near to one, as file names have them; where the first word is missing (`dispatch_7`), those that end so.
    pub fn near(&self, name: &str) -> Vec<String> {
        let known: Vec<String> = self.executables.iter().map(|e| escape_symbol(&e.name())).collect();
        let ends = |k: &&String| k.strip_suffix(name).is_some_and(|start| start.ends_with('_'));
        let near: Vec<String> = known.iter().filter(ends).take(3).cloned().collect();
        if !near.is_empty() {
            return near;
        }
        nearest(name, known.iter().map(String::as_str)).into_iter().map(str::to_owned).collect()
    }

    fn filter(&self, mut is_meant: impl FnMut(Executable) -> bool) -> Vec<Executable> {
        self.executables.iter().copied().filter(|e| is_meant(*e)).collect()
    }

    fn by_key(&self, key: &str) -> Result<Vec<Executable>> {
        let digits = key.to_ascii_lowercase();
        if !(4..=16).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Error::usage(format!("`key:{key}` is not a content key")).hint("it has 4 to 16 hex digits"));
        }
        let found = self.filter(|e| content_key(e).starts_with(&digits));
        if !found.is_empty() {
            return Ok(found);
        }
        Err(Error::usage(format!("no executable has the content key `{key}`"))
            .code("no-executable")
            .note("a key changes with what the executable computes, its types and sizes")
            .hint("`hal-extract --list` prints names, keys and origins"))
    }

    fn by_origin(&self, text: &str) -> Result<Vec<Executable>> {
        let wanted = pattern(&format!("origin:{text}"), text)?;
        let found =
            self.filter(|e| ExecutableOrigin::of(e.op).names().iter().any(|name| name == text || wanted.matches(name)));
        if !found.is_empty() {
            return Ok(found);
        }
        let origins: Vec<ExecutableOrigin> = self.executables.iter().map(|e| ExecutableOrigin::of(e.op)).collect();
        let names: Vec<&str> = origins.iter().flat_map(|o| o.names()).map(String::as_str).collect();
        let error = Error::usage(format!("no executable comes from `{text}`")).code("no-executable");
        if names.is_empty() {
            return Err(error.note("the program does not record the origins of its executables"));
        }
        let near = nearest(text, names.iter().copied());
        let error = if near.is_empty() {
            error.note(format!("executables come from {}", few(&names)))
        } else {
            error.hint(format!("did you mean {}?", either(&near)))
        };
        Err(match origins.iter().any(ExecutableOrigin::is_cut) {
            true => error.note("executables made of many nodes name the first of them only"),
            false => error.hint("`hal-extract --list` prints names, keys and origins"),
        })
    }

    fn unmatched(&self, text: &str, bare: &str) -> Error {
        let known: Vec<String> = self.executables.iter().map(|e| escape_symbol(&e.name())).collect();
        let error = if Self::is_pattern(bare) {
            Error::usage(format!("no executable matches `{text}`"))
        } else {
            Error::usage(format!("there is no executable `{text}`"))
        };
        let error = error.code("no-executable");
        let near = self.near(bare);
        if !near.is_empty() {
            return error.hint(format!("did you mean {}?", either(&near)));
        }
        let first: Vec<_> = known.iter().take(3).map(|k| format!("`{k}`")).collect();
        let more = if known.len() > 3 { format!(", … ({} in all)", known.len()) } else { String::new() };
        error.note(format!("the program has {}{more}", first.join(", ")))
    }
}

fn pattern(text: &str, bare: &str) -> Result<Pattern> {
    Pattern::new(bare).map_err(|e| Error::usage(format!("`{text}` is not a pattern: {}", e.msg)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Op, Session, form::load_program};

    /// Selects in a program of four executables; returns their names, or the error.
    fn chosen(text: &str) -> Result<Vec<String>, String> {
        let one = |name: &str, origin: &str, op: &str| {
            format!(
                "module @{name} attributes {{hal.executable{origin}}} {{ func.func @{name}_k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {{hal.export}} {{ %y = arith.{op} %x, %x : tensor<4xf32> return %y : tensor<4xf32> }} }}\n"
            )
        };
        let program = [
            one("main_dispatch_0", ", hal.origin = [\"/layer1/conv\", \"/layer1/relu\"]", "addf"),
            one("main_dispatch_1", ", hal.origin = [\"/layer2/conv\"]", "mulf"),
            one("main_dispatch_10", "", "subf"),
            one("other", ", hal.origin = [\"a[0]\"]", "divf"),
        ]
        .concat();
        let text_of =
            format!("module attributes {{hal.phase = \"executables\", hal.version = 1 : i32}} {{ {program} }}");
        let session = Session::new();
        let (module, program) = load_program(&session, text_of.as_bytes(), "program.mlir").unwrap();
        assert!(Op::from(&module).verify());
        let executables = program.executables();
        let text = text.replace("KEY", &content_key(executables[1]));
        let found = ExecutableSelector::new(&executables).all(&text);
        found.map(|list| list.iter().map(|e| e.name()).collect()).map_err(|e| {
            let of =
                |d: &halyard_diag::Diagnostic| format!("{} {} {}", d.message, d.notes.join("; "), d.hints.join("; "));
            e.diagnostics.iter().map(of).collect::<Vec<_>>().join(" | ")
        })
    }

    #[test]
    fn by_name_key_and_origin() {
        let is = |text: &str, names: &[&str]| assert_eq!(chosen(text).unwrap(), names, "{text}");
        is("main_dispatch_1", &["main_dispatch_1"]);
        is("@other", &["other"]);
        is("main_dispatch_1*", &["main_dispatch_1", "main_dispatch_10"]);
        is("key:KEY", &["main_dispatch_1"]);
        is("origin:/layer*/conv", &["main_dispatch_0", "main_dispatch_1"]);
        is("origin:/layer1/relu", &["main_dispatch_0"]);
        is("origin:a[0]", &["other"]);
    }

    #[test]
    fn what_means_nothing_is_an_error_with_near_names() {
        let refused = |text: &str, words: &str| {
            let said = chosen(text).unwrap_err();
            assert!(said.contains(words), "{text}: {said}");
        };
        refused("dispatch_1", "did you mean `main_dispatch_1`?");
        refused("main_dispatch_2", "did you mean `main_dispatch_0`");
        refused("quite_different", "the program has `main_dispatch_0`");
        refused("no_*", "no executable matches `no_*`");
        refused("key:0000000000000000", "no executable has the content key");
        refused("key:xyz", "is not a content key");
        refused("origin:/layer1/con", "did you mean `/layer1/conv`");
        refused("origin:/lstm/*", "executables come from `/layer1/conv`");
    }
}
