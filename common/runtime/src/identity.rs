//! The identity of a kernel, independent of its number: what it computes, and its origin in the model.
use serde::{Deserialize, Serialize};

/// The content key and the origin of a kernel's executable.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelIdentity {
    /// The content key of the executable, 16 hex digits: a hash of what it computes.
    pub key: String,
    /// Nodes of the model that it was made of, the last one `… 5 more` where some were left out; empty if unknown.
    pub origin: Vec<String>,
}

impl KernelIdentity {
    /// The nodes in a few words, such as `` `/conv1/Conv` and 3 more ``; `None` if they are unknown.
    pub fn short_origin(&self) -> Option<String> {
        let first = self.origin.first()?;
        let left_out = |last: &String| last.strip_prefix("… ")?.strip_suffix(" more")?.parse::<usize>().ok();
        let others = match self.origin.last().and_then(left_out) {
            Some(more) => self.origin.len() - 2 + more,
            None => self.origin.len() - 1,
        };
        Some(if others == 0 { format!("`{first}`") } else { format!("`{first}` and {others} more") })
    }
}

#[cfg(test)]
mod tests {
    use super::KernelIdentity;

    #[test]
    fn origins_are_counted() {
        let short = |list: &[&str]| {
            let origin = list.iter().map(|s| (*s).to_owned()).collect();
            KernelIdentity { key: String::new(), origin }.short_origin()
        };
        assert_eq!(short(&[]), None);
        assert_eq!(short(&["/a"]).as_deref(), Some("`/a`"));
        assert_eq!(short(&["/a", "/b"]).as_deref(), Some("`/a` and 1 more"));
        assert_eq!(short(&["/a", "/b", "… 8 more"]).as_deref(), Some("`/a` and 9 more"));
    }
}
