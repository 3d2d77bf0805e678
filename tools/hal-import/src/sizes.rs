//! Sizes and types of a model's inputs that the command line gives.

/// What is known of the model's inputs beyond what it says.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DimArgs {
    /// Fix or bound a dynamic dimension of an ONNX model: `batch=4`, `length=1..512`, `length=8..512:8` (repeatable)
    ///
    /// NAME is the model's name for the dimension, or INPUT.AXIS, such as `image.2`. Either end of a range may be
    /// omitted; the number after a colon divides the size. A fixed size gives the kernels of a static model; a range or
    /// divisor makes some code unnecessary and is checked at run time.
    #[arg(long = "dim", value_name = "NAME=SIZE|MIN..MAX[:DIVISOR]", value_parser = DimRule::parse, help_heading = "Model")]
    pub dims: Vec<DimRule>,
    /// Add a static copy of the model for calls with these sizes, such as `batch=1` or `batch=1,seq=128`; repeatable
    ///
    /// Calls with other sizes run as without this flag. Sizes are named as for --dim. The first copy that fits is used;
    /// all copies share the weights.
    #[arg(long, value_name = "NAME=SIZE[,NAME=SIZE…]", value_parser = Specialization::parse, help_heading = "Model")]
    pub specialize: Vec<Specialization>,
}

/// Sizes that a copy of the model has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specialization {
    /// The text as written.
    pub text: String,
    /// The sizes, one per rule.
    pub dims: Vec<DimRule>,
}

impl Specialization {
    fn parse(text: &str) -> Result<Self, String> {
        let dims = text.split(',').map(DimRule::parse).collect::<Result<Vec<_>, _>>()?;
        match dims.iter().find(|d| d.size().is_none()) {
            Some(open) => Err(format!("`{}` is more than one size", open.text)),
            None => Ok(Self { text: text.to_owned(), dims }),
        }
    }
}

impl DimArgs {
    /// The equivalent command-line arguments.
    pub fn words(&self) -> Vec<String> {
        let copies = self.specialize.iter().map(|s| format!("--specialize={}", s.text));
        self.dims.iter().map(|d| format!("--dim={}", d.text)).chain(copies).collect()
    }
}

/// A rule about a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimRule {
    /// The text as written.
    pub text: String,
    /// The name of the size, or an input and an axis.
    pub name: String,
    /// The least size.
    pub least: i64,
    /// The largest size; `None` if unbounded.
    pub most: Option<i64>,
    /// A number that the size is a multiple of.
    pub divisor: i64,
}

impl DimRule {
    /// Returns the size, if the rule allows only one.
    pub fn size(&self) -> Option<i64> {
        self.most.filter(|most| *most == self.least)
    }

    /// Whether the rule allows a size.
    pub fn holds(&self, size: i64) -> bool {
        size >= self.least && self.most.is_none_or(|most| size <= most) && size % self.divisor == 0
    }

    fn parse(text: &str) -> Result<Self, String> {
        let Some((name, rule)) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err("NAME=SIZE or NAME=MIN..MAX is expected, such as `batch=1..64`".into());
        };
        let size = |t: &str| match t.parse::<i64>() {
            Ok(n) if n >= 0 => Ok(n),
            _ => Err(format!("`{t}` is no size")),
        };
        let (range, divisor) = match rule.split_once(':') {
            Some((range, divisor)) => (range, size(divisor)?),
            None => (rule, 1),
        };
        if divisor == 0 {
            return Err("no size is a multiple of 0".into());
        }
        let (least, most) = match range.split_once("..") {
            Some((least, most)) => {
                let least = if least.is_empty() { 0 } else { size(least)? };
                (least, if most.is_empty() { None } else { Some(size(most)?) })
            }
            None if range.is_empty() => (0, None),
            None => (size(range)?, Some(size(range)?)),
        };
        let holds = |n: i64| most.is_none_or(|most| n <= most);
        let first = least.checked_add(divisor - 1).map(|n| n / divisor * divisor);
        if !first.is_some_and(holds) {
            return Err(format!("no size is in `{rule}`"));
        }
        Ok(Self { text: text.to_owned(), name: name.to_owned(), least, most, divisor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let rule = |t: &str| DimRule::parse(t).map(|r| (r.name, r.least, r.most, r.divisor));
        assert_eq!(rule("batch=4"), Ok(("batch".into(), 4, Some(4), 1)));
        assert_eq!(rule("a=b=1..64:8"), Ok(("a=b".into(), 1, Some(64), 8)));
        assert_eq!(rule("n=..:2"), Ok(("n".into(), 0, None, 2)));
        assert_eq!(rule("n=:2"), Ok(("n".into(), 0, None, 2)));
        assert_eq!(rule("n=3.."), Ok(("n".into(), 3, None, 1)));
        assert_eq!(Specialization::parse("a=1,b=2").map(|s| s.dims.len()), Ok(2));
        assert_eq!(Specialization::parse("a=1,b=2..3"), Err("`b=2..3` is more than one size".into()));
        for wrong in ["n", "=3", "n=x", "n=-1", "n=5..4", "n=9..15:8", "n=4:0", "n=3:2"] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
