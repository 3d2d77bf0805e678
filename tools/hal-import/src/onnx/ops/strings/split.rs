//! `StringSplit`: the parts of each string between delimiters, or between runs of white space.
use crate::onnx::{
    Body, Context, Elem, Iter, Node, Num, Order, Outcome, Scalar, Tensor, Value,
    generic::map,
    strings::{List, Spans, length_of, repeat, span_of, start_of},
};

/// How strings are split.
struct Cuts {
    /// For each byte of the strings, whether a delimiter starts there, or whether it belongs to white space (`u8`).
    marks: List,
    /// The bytes of a delimiter; none: white space.
    width: Option<i64>,
    /// The most delimiters that count.
    most: Option<i64>,
}

pub(super) fn split(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let spans = c.spans(&x)?;
    let delimiter = n.string("delimiter", "");
    let most = n.has("maxsplit").then(|| n.int("maxsplit", 0)).filter(|most| *most >= 0);
    let marks =
        if delimiter.is_empty() { white_space(c, &spans)? } else { delimiters(c, &spans, delimiter.as_bytes())? };
    let width = Some(delimiter.len() as i64).filter(|w| *w > 0);
    let cuts = Cuts { marks: List::of(c, &marks), width, most };
    let counts = c.elementwise(std::slice::from_ref(&spans.numbers), Elem::I64, |b, v| {
        let none = b.int(Elem::I64, -1);
        cuts.piece(b, &v[0], &none).1
    })?;
    // There are as many places for pieces as the string with the most of them has.
    let axes: Vec<_> = (0..counts.rank()).collect();
    let largest = c.reduce(&counts, &axes, Elem::I64, Num::I(0), |b, v, a| b.max(a, v));
    let largest = c.read_scalar(&largest)?;
    let largest = c.body().to_index(&largest).name;
    let largest = c.fresh_symbol(largest);
    let mut shape = x.shape.clone();
    shape.push(largest);
    let rank = shape.len();
    let out = c.empty(Elem::I64, &shape);
    let own = map(&(0..rank - 1).collect::<Vec<_>>());
    let all = map(&(0..rank).collect::<Vec<_>>());
    let mut pieces = c.generic(&vec![Iter::Parallel; rank], &[(&spans.numbers, own)], &[(&out, all)], |b, v| {
        let place = b.position(rank - 1);
        let place = b.cast(&place, Elem::I64);
        vec![cuts.piece(b, &v[0], &place).0]
    });
    let pieces = Spans { numbers: pieces.remove(0), bytes: spans.bytes };
    Ok(vec![pieces.value(), counts])
}

impl Cuts {
    /// The span of a piece of a string, the empty string if it has none of that number, and how many pieces it has.
    fn piece(&self, b: &mut Body<'_>, span: &Scalar, number: &Scalar) -> (Scalar, Scalar) {
        let (start, length) = (start_of(b, span), length_of(b, span));
        let end = b.add(&start, &length);
        let (zero, no) = (b.int(Elem::I64, 0), b.int(Elem::Bool, 0));
        // Whether a piece is open and where it starts, how many are closed, the span that is looked for, and where to go on.
        let begins = if self.width.is_some() { b.int(Elem::Bool, 1) } else { no };
        let initial = [begins, start.clone(), zero.clone(), zero, start.clone()];
        let last = repeat(b, &length, &initial, |b, i, s| {
            let [open, first, closed, found, from] = s else { unreachable!("five values are carried") };
            let at = b.add(&start, i);
            let mark = self.marks.at(b, &at);
            let marked = b.cast(&mark, Elem::Bool);
            let more = match self.most {
                Some(most) => {
                    let most = b.int(Elem::I64, most);
                    b.compare(Order::Lt, closed, &most)
                }
                None => b.int(Elem::Bool, 1),
            };
            let width = b.index_constant(self.width.unwrap_or(1));
            let behind = b.add(&at, &width);
            let mut closes = b.and(&marked, &more);
            match self.width {
                Some(_) => {
                    // Delimiters do not overlap, and lie in the string as a whole.
                    let later = b.compare(Order::Ge, &at, from);
                    let inside = b.compare(Order::Le, &behind, &end);
                    closes = b.and(&closes, &later);
                    closes = b.and(&closes, &inside);
                }
                None => closes = b.and(&closes, open),
            }
            let found = taken(b, &closes, (first, &at), (closed, number), found);
            let one = b.int(Elem::I64, 1);
            let next = b.add(closed, &one);
            let closed = b.select(&closes, &next, closed);
            if self.width.is_some() {
                let (first, from) = (b.select(&closes, &behind, first), b.select(&closes, &behind, from));
                return vec![open.clone(), first, closed, found, from];
            }
            let plain = b.not(&marked);
            let shut = b.not(open);
            let opens = b.and(&plain, &shut);
            let first = b.select(&opens, &at, first);
            let stays = b.not(&closes);
            let open = b.or(open, &opens);
            let open = b.and(&open, &stays);
            vec![open, first, closed, found, from.clone()]
        });
        let [open, first, closed, found, _] = &last[..] else { unreachable!("five values are carried") };
        let found = taken(b, open, (first, &end), (closed, number), found);
        let rest = b.cast(open, Elem::I64);
        (found, b.add(closed, &rest))
    }
}

/// The span of a piece that ends here, if it is the one that is looked for, else what was found before.
fn taken(
    b: &mut Body<'_>,
    ends: &Scalar,
    (first, end): (&Scalar, &Scalar),
    (here, wanted): (&Scalar, &Scalar),
    found: &Scalar,
) -> Scalar {
    let is_it = b.compare(Order::Eq, here, wanted);
    let is_it = b.and(ends, &is_it);
    let length = b.sub(end, first);
    let span = span_of(b, first, &length);
    b.select(&is_it, &span, found)
}

/// Finds where delimiters start.
fn delimiters(c: &mut Context<'_>, spans: &Spans, delimiter: &[u8]) -> Outcome<Value> {
    let wanted =
        Tensor::from_numbers(Elem::U8, vec![delimiter.len()], delimiter.iter().map(|&byte| Num::I(byte.into())));
    let wanted = Value::constant(wanted);
    let [wanted, bytes] = [&wanted, &spans.bytes].map(|list| List::of(c, list));
    c.elementwise(std::slice::from_ref(&spans.bytes), Elem::U8, |b, _| {
        let (here, width, yes) = (b.position(0), b.index_constant(delimiter.len() as i64), b.int(Elem::Bool, 1));
        let hit = repeat(b, &width, &[yes], |b, i, hit| {
            let at = b.add(&here, i);
            let (byte, own) = (bytes.at(b, &at), wanted.at(b, i));
            let same = b.compare(Order::Eq, &byte, &own);
            vec![b.and(&hit[0], &same)]
        });
        b.cast(&hit[0], Elem::U8)
    })
}

/// The characters that are white space: first and last of each stretch of code points.
const WHITE: &[(i64, i64)] = &[
    (0x09, 0x0D),
    (0x1C, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
];

/// Finds bytes of white space, as Unicode specifies. None of its characters has more than three bytes.
fn white_space(c: &mut Context<'_>, spans: &Spans) -> Outcome<Value> {
    let bytes = List::of(c, &spans.bytes);
    c.elementwise(std::slice::from_ref(&spans.bytes), Elem::U8, |b, _| {
        let here = b.position(0);
        let around: Vec<_> = (-2..=2)
            .map(|by| {
                let by = b.index_constant(by);
                let at = b.add(&here, &by);
                bytes.byte(b, &at)
            })
            .collect();
        let mut white = b.int(Elem::Bool, 0);
        // The character may start here, or one or two bytes before.
        for start in 0..=2 {
            for width in (2 - start + 1)..=3 {
                let is = written(b, &around[start..start + width]);
                white = b.or(&white, &is);
            }
        }
        b.cast(&white, Elem::U8)
    })
}

/// Whether bytes (`i32`) are the UTF-8 of a white-space character with this number of bytes.
fn written(b: &mut Body<'_>, bytes: &[Scalar]) -> Scalar {
    let width = bytes.len();
    let (lead_mask, lead) = [(0x80, 0x00), (0xE0, 0xC0), (0xF0, 0xE0)][width - 1];
    let mut fits = masked(b, &bytes[0], lead_mask, lead);
    let payload = b.int(Elem::I32, 0xFF & !lead_mask);
    let mut point = b.and(&bytes[0], &payload);
    for byte in &bytes[1..] {
        let follows = masked(b, byte, 0xC0, 0x80);
        fits = b.and(&fits, &follows);
        let (six, low) = (b.int(Elem::I32, 6), b.int(Elem::I32, 0x3F));
        let low = b.and(byte, &low);
        let high = b.shift(&point, &six, true);
        point = b.or(&high, &low);
    }
    let mut white = b.int(Elem::Bool, 0);
    // Those that are written with as many bytes.
    let (least, most) = [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF)][width - 1];
    for &(first, last) in WHITE.iter().filter(|(first, last)| *first >= least && *last <= most) {
        let (first, last) = (b.int(Elem::I32, first), b.int(Elem::I32, last));
        let (from, to) = (b.compare(Order::Ge, &point, &first), b.compare(Order::Le, &point, &last));
        let inside = b.and(&from, &to);
        white = b.or(&white, &inside);
    }
    b.and(&fits, &white)
}

fn masked(b: &mut Body<'_>, byte: &Scalar, mask: i64, wanted: i64) -> Scalar {
    let (mask, wanted) = (b.int(Elem::I32, mask), b.int(Elem::I32, wanted));
    let bits = b.and(byte, &mask);
    b.compare(Order::Eq, &bits, &wanted)
}
