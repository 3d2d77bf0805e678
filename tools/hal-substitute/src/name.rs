//! The name of a replaced part: `EXECUTABLE`, `EXECUTABLE/VARIANT` or `EXECUTABLE/VARIANT/EXPORT`. EXECUTABLE may be a
//! pattern, a content key or an origin, see [`ExecutableSelector`].
use halyard_ir::form::{ExecutableSelector, escape_symbol, unescape_symbol};
use std::{fmt, str::FromStr};

/// A place in a program. In text, characters of symbols that have a meaning here or in shells are escaped as in the names
/// of files: `a%2Fb` is the symbol `a/b`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubstitutionName {
    /// The executable.
    pub executable: String,
    /// The variants of it.
    pub variants: Variants,
    /// The export; `None` for all.
    pub export: Option<String>,
}

/// A selection of an executable's variants.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variants {
    /// The name does not say: the executable as a whole.
    Unsaid,
    /// All variants: `*`.
    All,
    /// One variant.
    One(String),
}

impl SubstitutionName {
    /// The name where one without a variant means all of them.
    pub(crate) fn or_all(self) -> Self {
        let variants = if self.variants == Variants::Unsaid { Variants::All } else { self.variants };
        Self { variants, ..self }
    }

    /// Returns the name as it is written.
    pub(crate) fn without_all(&self) -> Self {
        let variants = if self.variants == Variants::All { Variants::Unsaid } else { self.variants.clone() };
        Self { variants, ..self.clone() }
    }

    /// Names an executable as a whole.
    pub fn executable(name: &str) -> Self {
        Self { executable: name.into(), variants: Variants::Unsaid, export: None }
    }

    /// Whether the executable is selected by a pattern, a key or an origin.
    pub fn is_pattern(&self) -> bool {
        ExecutableSelector::is_pattern(&self.executable)
    }

    /// Whether two names have a part in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let same_variant = match (&self.variants, &other.variants) {
            (Variants::One(a), Variants::One(b)) => a == b,
            _ => true,
        };
        let same_export = self.export.is_none() || other.export.is_none() || self.export == other.export;
        self.executable == other.executable && same_variant && same_export
    }
}

impl FromStr for SubstitutionName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Names of nodes have slashes of their own.
        if text.starts_with("origin:") {
            return Ok(Self::executable(text));
        }
        let parts: Vec<&str> = text.split('/').collect();
        if parts.len() > 3 {
            return Err(format!("`{text}` has {} parts; a name is EXECUTABLE[/VARIANT[/EXPORT]]", parts.len()));
        }
        let symbols = parts.iter().enumerate().map(|(i, part)| {
            // `@name`, as MLIR writes it, is meant as often as `name`.
            let part = if i == 0 { part.strip_prefix('@').unwrap_or(part) } else { part };
            if part.is_empty() {
                return Err(format!("a part of the name `{text}` is empty"));
            }
            if i == 1 && part == "*" || i == 0 && ExecutableSelector::is_pattern(part) {
                return Ok(part.to_owned());
            }
            symbol(part).ok_or_else(|| {
                let escaped = escape_symbol(part);
                format!(
                    "`{part}` is no name: characters other than A-Z a-z 0-9 _ $ . - are written %XX, as in `{escaped}`"
                )
            })
        });
        let mut symbols = symbols.collect::<Result<Vec<_>, _>>()?.into_iter();
        let executable = symbols.next().unwrap_or_default();
        let variants = match symbols.next() {
            None => Variants::Unsaid,
            Some(all) if all == "*" => Variants::All,
            Some(one) => Variants::One(one),
        };
        Ok(Self { executable, variants, export: symbols.next() })
    }
}

/// Parses a symbol. Also accepts characters that [`escape_symbol`] would escape if they are unambiguous: people write
/// `größe` directly.
fn symbol(part: &str) -> Option<String> {
    unescape_symbol(part)
        .or_else(|| (!part.contains('%')).then(|| part.to_owned()).filter(|p| !p.contains(['*', '+', ' '])))
}

impl fmt::Display for SubstitutionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_pattern() {
            true => f.write_str(&self.executable)?,
            false => f.write_str(&escape_symbol(&self.executable))?,
        }
        match &self.variants {
            Variants::Unsaid => {}
            Variants::All => f.write_str("/*")?,
            Variants::One(variant) => write!(f, "/{}", escape_symbol(variant))?,
        }
        self.export.as_ref().map_or(Ok(()), |e| write!(f, "/{}", escape_symbol(e)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for text in [
            "main_dispatch_0",
            "e/cpu_x86_64_v4",
            "a%2Fb/v/k%25",
            "e/*",
            "e/*/k",
            "m$x.y-1",
            "e_*/v",
            "key:0123abcd/v/k",
            "origin:/a/b",
        ] {
            assert_eq!(text.parse::<SubstitutionName>().unwrap().to_string(), text);
        }
        assert_eq!("@e".parse::<SubstitutionName>().unwrap(), SubstitutionName::executable("e"));
        assert_eq!("a%2Fb".parse::<SubstitutionName>().unwrap().executable, "a/b");
        assert_eq!("größe".parse::<SubstitutionName>().unwrap().executable, "größe");
    }

    #[test]
    fn bad_names_are_explained() {
        for text in ["", "a//b", "a/", "a/b/c/d", "a%zz", "a b", "a/b*"] {
            assert!(text.parse::<SubstitutionName>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_overlap_where_they_share_a_place() {
        let overlap = |a: &str, b: &str| a.parse::<SubstitutionName>().unwrap().overlaps(&b.parse().unwrap());
        assert!(overlap("e", "e/v") && overlap("e/*", "e/v/k") && overlap("e/v", "e/v/k"));
        assert!(!overlap("e/v", "e/w") && !overlap("e/v/a", "e/v/b") && !overlap("e", "f"));
    }
}
