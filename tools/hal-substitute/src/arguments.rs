//! `NAME=ITEM, …`: the arguments of a kernel whose code does not have the kernel ABI.
use crate::SubstitutionName;
use std::{fmt, str::FromStr};

/// A list of arguments, as `hal.arguments` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentsArg {
    /// The kernels.
    pub name: SubstitutionName,
    /// The arguments of their code, in order.
    pub items: Vec<String>,
}

impl FromStr for ArgumentsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, list) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=ITEM,…"))?;
        let items = split(list);
        if items.iter().any(String::is_empty) {
            return Err(format!("`{list}` has an empty item; items are separated by commas: `buffers, sizes : i32`"));
        }
        Ok(Self { name: name.parse::<SubstitutionName>()?.or_all(), items })
    }
}

/// The items between commas that are in no parentheses.
fn split(list: &str) -> Vec<String> {
    let (mut depth, mut items) = (0i32, vec![String::new()]);
    for c in list.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            ',' if depth == 0 => items.push(String::new()),
            c => items.last_mut().expect("there is one").push(c),
        }
    }
    items.into_iter().map(|item| item.trim().to_owned()).collect()
}

impl fmt::Display for ArgumentsArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name.without_all(), self.items.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_may_have_commas_in_parentheses() {
        let arg: ArgumentsArg = "main_dispatch_0=arg1, dim(arg0, 1) : i32,result0".parse().unwrap();
        assert_eq!(arg.items, ["arg1", "dim(arg0, 1) : i32", "result0"]);
        assert_eq!(arg.to_string(), "main_dispatch_0=arg1, dim(arg0, 1) : i32, result0");
        assert!("main_dispatch_0=arg1,,arg2".parse::<ArgumentsArg>().is_err());
        assert!("main_dispatch_0".parse::<ArgumentsArg>().is_err());
    }
}
