//! `StringConcat`: appends the strings of one tensor to those of another.
use crate::onnx::{
    Context, Elem, Node, Order, Outcome,
    strings::{List, length_of, start_of},
};

pub(super) fn concat(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
    let (a, b) = (c.spans(&a)?, c.spans(&b)?);
    let shape = c.broadcast_shape(&[&a.numbers.shape, &b.numbers.shape])?;
    let (first, second) = (c.broadcast(&a.numbers, &shape)?, c.broadcast(&b.numbers, &shape)?);
    let shape = c.settle_shape(&shape);
    let lengths = c.elementwise_to(&shape, &[first.clone(), second.clone()], Elem::I64, |b, v| {
        let (x, y) = (length_of(b, &v[0]), length_of(b, &v[1]));
        let sum = b.add(&x, &y);
        b.cast(&sum, Elem::I64)
    })?;
    let count = c.product(&shape);
    let (first, second) = (c.reshape(&first, std::slice::from_ref(&count))?, c.reshape(&second, &[count])?);
    let [first, second, heads, tails] = [&first, &second, &a.bytes, &b.bytes].map(|list| List::of(c, list));
    let made = c.strings_of(&lengths, |b, owner, place| {
        let (x, y) = (first.at(b, owner), second.at(b, owner));
        let (start, length, other) = (start_of(b, &x), length_of(b, &x), start_of(b, &y));
        let in_head = b.compare(Order::Lt, place, &length);
        let head = b.add(&start, place);
        let behind = b.sub(place, &length);
        let tail = b.add(&other, &behind);
        let (head, tail) = (heads.at(b, &head), tails.at(b, &tail));
        b.select(&in_head, &head, &tail)
    })?;
    Ok(vec![made.value()])
}
