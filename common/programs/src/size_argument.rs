//! `--dim=NAME=SIZE`.
use std::{fmt, str::FromStr};

/// A size of an input that a program leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeArgument {
    /// The name of a size, or an input and the number of its dimension: `x.0`, `1.2`.
    pub name: String,
    /// The size.
    pub size: usize,
}

impl SizeArgument {
    /// What a size of an input may be called: by its name in the model, by the input's name, by the input's number.
    pub fn names(input: usize, dim: usize, of_dim: Option<&str>, of_input: Option<&str>) -> Vec<String> {
        let own = of_dim.filter(|n| !n.is_empty()).map(str::to_owned);
        let by_name = of_input.map(|name| format!("{name}.{dim}"));
        own.into_iter().chain(by_name).chain([format!("{input}.{dim}")]).collect()
    }
}

impl FromStr for SizeArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, size) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or("write NAME=SIZE")?;
        let size = size.parse().map_err(|_| format!("`{size}` is no size, a whole number"))?;
        Ok(Self { name: name.to_owned(), size })
    }
}

impl fmt::Display for SizeArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--dim={}={}", self.name, self.size)
    }
}
