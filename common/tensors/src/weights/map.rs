//! Maps names of a model's weights to names in files that differ.
use std::str::FromStr;

/// `PATTERN=REPLACEMENT`: the name in the files of a weight whose name matches the pattern. `*` matches any text; each
/// `*` of the replacement stands for the text of the corresponding `*` of the pattern, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameMap {
    pattern: Vec<String>,
    replacement: Vec<String>,
    /// The text as written.
    pub text: String,
}

impl FromStr for NameMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((pattern, replacement)) = text.split_once('=').filter(|(p, r)| !p.is_empty() && !r.is_empty()) else {
            return Err("it is not `PATTERN=REPLACEMENT`, as in `layers.*.q_proj.weight=blk.*.attn_q.weight`".into());
        };
        let parts = |text: &str| text.split('*').map(str::to_owned).collect::<Vec<_>>();
        let (pattern, replacement) = (parts(pattern), parts(replacement));
        if replacement.len() > pattern.len() {
            return Err("the replacement has more `*` than the pattern".into());
        }
        Ok(Self { pattern, replacement, text: text.into() })
    }
}

impl NameMap {
    /// The name in the files, if the pattern fits. Each `*` but the last is as short as can be.
    pub(super) fn apply(&self, name: &str) -> Option<String> {
        let mut rest = name.strip_prefix(self.pattern[0].as_str())?;
        let mut found = Vec::new();
        for (i, part) in self.pattern.iter().enumerate().skip(1) {
            let last = i + 1 == self.pattern.len();
            let at = if last {
                rest.ends_with(part.as_str()).then(|| rest.len() - part.len())
            } else {
                rest.find(part.as_str())
            }?;
            found.push(&rest[..at]);
            rest = &rest[at + part.len()..];
        }
        if !rest.is_empty() {
            return None;
        }
        let mut named = self.replacement[0].clone();
        for (star, text) in found.iter().zip(&self.replacement[1..]) {
            named += star;
            named += text;
        }
        Some(named)
    }
}

#[cfg(test)]
mod tests {
    use super::NameMap;

    fn apply(map: &str, name: &str) -> Option<String> {
        map.parse::<NameMap>().unwrap().apply(name)
    }

    #[test]
    fn stars_are_carried_over() {
        assert_eq!(apply("layers.*.q.*=blk.*.attn_q.*", "layers.12.q.weight").as_deref(), Some("blk.12.attn_q.weight"));
        assert_eq!(apply("*=model.*", "w").as_deref(), Some("model.w"));
        assert_eq!(apply("a.*.b=c", "a.x.b").as_deref(), Some("c"));
        assert_eq!(apply("a=b", "a").as_deref(), Some("b"));
        assert_eq!(apply("*.b*=*-*", "a.b.b").as_deref(), Some("a-.b"));
    }

    #[test]
    fn what_does_not_fit_stays() {
        for (map, name) in [("a=b", "aa"), ("a*b=c*", "ac"), ("aa*aa=x", "aaa"), ("*x=y", "z")] {
            assert_eq!(apply(map, name), None, "{map} {name}");
        }
        for wrong in ["", "a", "=a", "a=", "a=*"] {
            assert!(wrong.parse::<NameMap>().is_err(), "{wrong}");
        }
    }
}
