//! The grammar of an item:
//!
//! ```text
//! item   = ("buffers" | "sizes" | "scalars" | "workgroup" | buffer [ "@" NUMBER ] | shape | number) [ ":" TYPE ]
//! buffer = "arg" N | "result" N
//! shape  = ("sizes" | "strides" | "memref") "(" buffer ")"
//! number = ("low" | "high") "(" product ")" | product
//! product = factor { "*" factor }
//! factor = INTEGER | "arg" N | "dim(" buffer "," N ")" | ("workgroup_id" | "workgroup_count") "(" ("x"|"y"|"z") ")"
//! ```
use halyard_objects::Half;

/// The position of an argument or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Argument(usize),
    Result(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Factor {
    Integer(i64),
    Argument(usize),
    Dim(Whose, usize),
    WorkgroupId(usize),
    WorkgroupCount(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Buffers,
    AllSizes,
    Scalars,
    Workgroup,
    /// A buffer, or a scalar argument.
    Plain(Whose),
    Sizes(Whose),
    Strides(Whose),
    Memref(Whose),
    Number(Option<Half>, Vec<Factor>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) value: Value,
    /// The binding number in a shader.
    pub(super) number: Option<u32>,
    pub(super) ty: Option<String>,
}

const WORDS: [&str; 14] = [
    "buffers",
    "sizes",
    "scalars",
    "workgroup",
    "arg0",
    "result0",
    "dim",
    "strides",
    "memref",
    "low",
    "high",
    "workgroup_id",
    "workgroup_count",
    "words",
];

/// Reads an item. Errors: what is wrong with it, with the column.
pub(super) fn item(text: &str) -> Result<Item, String> {
    let mut reader = Reader { text, at: 0 };
    let item = reader.item().map_err(|why| format!("{why} (column {} of \"{text}\")", reader.at + 1))?;
    Ok(item)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, sign: char) -> bool {
        self.skip();
        let is = self.rest().starts_with(sign);
        self.at += if is { sign.len_utf8() } else { 0 };
        is
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("`{sign}` is missing")) }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn item(&mut self) -> Result<Item, String> {
        let value = self.value()?;
        let number = if self.take('@') { Some(self.integer()?) } else { None };
        let ty = if self.take(':') { Some(self.word().to_owned()) } else { None };
        self.skip();
        if !self.rest().is_empty() {
            return Err(format!("`{}` is left over", self.rest()));
        }
        Ok(Item { value, number, ty })
    }

    fn integer<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        self.skip();
        let start = self.at;
        let word = self.word();
        word.parse().map_err(|_| {
            self.at = start;
            format!("`{word}` is no number")
        })
    }

    fn whose(&mut self) -> Result<Whose, String> {
        self.skip();
        let start = self.at;
        let word = self.word();
        of(word).ok_or_else(|| {
            self.at = start;
            format!("`{word}` is neither `arg0`, `arg1`, … nor `result0`, …")
        })
    }

    fn value(&mut self) -> Result<Value, String> {
        self.skip();
        let start = self.at;
        let word = self.word();
        let opens = self.rest().trim_start().starts_with('(');
        let more = self.rest().trim_start().starts_with('*');
        Ok(match word {
            "buffers" => Value::Buffers,
            "scalars" => Value::Scalars,
            "workgroup" => Value::Workgroup,
            "sizes" if !opens => Value::AllSizes,
            "sizes" => Value::Sizes(self.inside()?),
            "strides" => Value::Strides(self.inside()?),
            "memref" => Value::Memref(self.inside()?),
            "low" | "high" => {
                self.expect('(')?;
                let product = self.product()?;
                self.expect(')')?;
                Value::Number(Some(if word == "low" { Half::Low } else { Half::High }), product)
            }
            _ if !more && of(word).is_some() => Value::Plain(of(word).expect("as asked")),
            _ => {
                self.at = start;
                Value::Number(None, self.product()?)
            }
        })
    }

    fn inside(&mut self) -> Result<Whose, String> {
        self.expect('(')?;
        let whose = self.whose()?;
        self.expect(')')?;
        Ok(whose)
    }

    fn product(&mut self) -> Result<Vec<Factor>, String> {
        let mut factors = vec![self.factor()?];
        while self.take('*') {
            factors.push(self.factor()?);
        }
        Ok(factors)
    }

    fn factor(&mut self) -> Result<Factor, String> {
        self.skip();
        let start = self.at;
        let word = self.word();
        match word {
            "dim" => {
                self.expect('(')?;
                let whose = self.whose()?;
                self.expect(',')?;
                let dimension = self.integer()?;
                self.expect(')')?;
                return Ok(Factor::Dim(whose, dimension));
            }
            "workgroup_id" | "workgroup_count" => {
                self.expect('(')?;
                let axis = self.word();
                let axis = ["x", "y", "z"].iter().position(|a| *a == axis);
                let axis = axis.ok_or("a workgroup has the positions `x`, `y` and `z`")?;
                self.expect(')')?;
                return Ok(if word == "workgroup_id" {
                    Factor::WorkgroupId(axis)
                } else {
                    Factor::WorkgroupCount(axis)
                });
            }
            _ => {}
        }
        if let Ok(number) = word.parse() {
            return Ok(Factor::Integer(number));
        }
        if let Some(Whose::Argument(i)) = of(word) {
            return Ok(Factor::Argument(i));
        }
        self.at = start;
        let near = halyard_diag::nearest(word, WORDS);
        let meant =
            if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", halyard_diag::either(&near)) };
        Err(format!("`{word}`{meant} is nothing that a kernel can be passed"))
    }
}

/// Prints a product, or half of it, as the grammar has it.
pub(super) fn written(half: Option<Half>, factors: &[Factor]) -> String {
    let whose = |w: &Whose| match w {
        Whose::Argument(i) => format!("arg{i}"),
        Whose::Result(i) => format!("result{i}"),
    };
    let axis = |a: &usize| ["x", "y", "z"][*a];
    let one = |factor: &Factor| match factor {
        Factor::Integer(n) => n.to_string(),
        Factor::Argument(i) => format!("arg{i}"),
        Factor::Dim(w, d) => format!("dim({}, {d})", whose(w)),
        Factor::WorkgroupId(a) => format!("workgroup_id({})", axis(a)),
        Factor::WorkgroupCount(a) => format!("workgroup_count({})", axis(a)),
    };
    let product = factors.iter().map(one).collect::<Vec<_>>().join(" * ");
    match half {
        Some(Half::Low) => format!("low({product})"),
        Some(Half::High) => format!("high({product})"),
        None => product,
    }
}

fn of(word: &str) -> Option<Whose> {
    let number = |prefix: &str| word.strip_prefix(prefix)?.parse::<usize>().ok();
    number("arg").map(Whose::Argument).or_else(|| number("result").map(Whose::Result))
}
