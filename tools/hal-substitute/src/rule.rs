//! Substitutions as the command line states them.
use crate::{SubstitutionName, Variants};
use std::{fmt, path::PathBuf, str::FromStr};

/// `NAME=FILE`, or `NAME+=FILE` for a further object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The place in the program that is replaced.
    pub name: SubstitutionName,
    /// The file.
    pub file: PathBuf,
    /// Whether the file is linked with those of the previous rule for the name.
    pub further: bool,
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=FILE"))?;
        let (name, further) = name.strip_suffix('+').map_or((name, false), |n| (n, true));
        if file.is_empty() {
            return Err(format!("`{text}` names no file"));
        }
        Ok(Self { name: name.parse()?, file: file.into(), further })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}={}", self.name, if self.further { "+" } else { "" }, self.file.display())
    }
}

/// The value of `--workgroups`: `NAME=X[,Y[,Z]]`, the workgroup count of a hand-written kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workgroups {
    /// The kernels: all exports that the name covers.
    pub name: SubstitutionName,
    /// The count in x, y and z.
    pub count: [u32; 3],
}

impl FromStr for Workgroups {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, list) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=X,Y,Z"))?;
        let mut count = [1; 3];
        let numbers: Vec<&str> = list.split([',', 'x']).collect();
        if numbers.len() > 3 {
            return Err(format!("`{list}` has {} numbers; workgroups form a grid of 3 dimensions", numbers.len()));
        }
        for (i, number) in numbers.into_iter().enumerate() {
            let parsed = number.trim().parse().ok().filter(|n| *n > 0);
            count[i] = parsed.ok_or_else(|| format!("`{number}` is no number of workgroups"))?;
        }
        let name: SubstitutionName = name.parse()?;
        // There is one count an export and variant; a name without a variant means all.
        let variants = if name.variants == Variants::Unsaid { Variants::All } else { name.variants };
        Ok(Self { name: SubstitutionName { variants, ..name }, count })
    }
}

impl fmt::Display for Workgroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.count;
        let whole = self.name.variants == Variants::All && self.name.export.is_none();
        let name = if whole { SubstitutionName::executable(&self.name.executable) } else { self.name.clone() };
        write!(f, "{name}={x},{y},{z}")
    }
}

/// A folder of files that are named after what they replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The path.
    pub path: PathBuf,
    /// The kinds of its files to use.
    pub only: Only,
    /// Whether its other files are used before or after this: then unused files need no report.
    pub rest_is_taken: bool,
}

/// A selection of a folder's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    /// All files that can be substituted.
    Any,
    /// MLIR.
    Sources,
    /// All files except MLIR.
    Objects,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let rule: Rule = "e/v=dir/a=b.o".parse().unwrap();
        assert_eq!(
            (rule.name.to_string().as_str(), rule.file.to_str(), rule.further),
            ("e/v", Some("dir/a=b.o"), false)
        );
        assert!("e+=b.o".parse::<Rule>().unwrap().further);
        for bad in ["e", "e=", "=f", "+=f", "e/=f"] {
            assert!(bad.parse::<Rule>().is_err(), "{bad}");
        }
    }

    #[test]
    fn workgroup_counts() {
        let count = |text: &str| text.parse::<Workgroups>().map(|w| w.count);
        assert_eq!(count("e=4"), Ok([4, 1, 1]));
        assert_eq!(count("e/v/k=4,2,3"), Ok([4, 2, 3]));
        for bad in ["e", "e=", "e=0", "e=-1", "e=1,2,3,4", "e=4294967296"] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }
}
