//! Operations that move elements: views, slices, pads, joins.
use super::{
    body::{Body, Place, is_view},
    index::{Shape, product, sum},
    types::is_bf16,
};
use halyard_ir::{Attr, Op, Type, Value};

/// What stands for a dynamic entry in the static lists of tensor operations.
const DYNAMIC: i64 = i64::MIN;

impl Body<'_> {
    /// An operation whose first result is a tensor.
    pub(super) fn tensor(&mut self, op: Op) -> Result<(), String> {
        let name = op.name();
        let result = op.result(0);
        if is_view(op) {
            let shape = self.view_shape(op, result.ty())?;
            let place = self.place(op.operand(0))?.with_shape(shape);
            self.places.insert(result, place);
            return Ok(());
        }
        match &*name {
            "tensor.empty" => {
                let sizes = self.values(op.operands())?;
                let shape = filled(&result.ty().shape(), &mut sizes.into_iter())?;
                self.places.insert(result, Place::Empty { shape });
                Ok(())
            }
            "tensor.splat" => {
                let value = self.value(op.operand(0))?;
                let sizes = self.values(op.operands()[1..].to_vec())?;
                let shape = filled(&result.ty().shape(), &mut sizes.into_iter())?;
                self.places.insert(result, Place::Splat { value, shape });
                Ok(())
            }
            "tensor.extract_slice" => self.extract_slice(op),
            "tensor.insert_slice" => self.insert_slice(op),
            "tensor.pad" => self.pad(op),
            "tensor.concat" => self.concat(op),
            "tensor.generate" => self.generate(op),
            "tensor.from_elements" => self.elements(op),
            _ => Err(format!("`{name}` is not written in C")),
        }
    }

    fn values(&self, values: Vec<Value>) -> Result<Vec<String>, String> {
        values.into_iter().map(|v| self.value(v)).collect()
    }

    /// The shape of a view: sizes that its type does not say follow from those of its source.
    fn view_shape(&self, op: Op, ty: Type) -> Result<Shape, String> {
        let source = self.shape(op.operand(0))?;
        let groups = |op: Op| -> Option<Vec<Vec<usize>>> {
            let list = op.attr("reassociation")?.as_array()?;
            list.into_iter().map(|g| Some(g.as_i64s()?.into_iter().map(|d| d as usize).collect())).collect()
        };
        let shape = ty.shape();
        match &*op.name() {
            "tensor.cast" => Ok(shape.iter().zip(source).map(|(d, s)| d.map_or(s, |d| d.to_string())).collect()),
            "tensor.collapse_shape" => {
                let groups = groups(op).ok_or("a reshape has no groups")?;
                let size = |g: &Vec<usize>| product(&g.iter().map(|&d| source[d].clone()).collect::<Vec<_>>());
                Ok(shape.iter().zip(&groups).map(|(d, g)| d.map_or_else(|| size(g), |d| d.to_string())).collect())
            }
            "tensor.expand_shape" => filled(&shape, &mut self.values(op.operands()[1..].to_vec())?.into_iter()),
            _ if ty.is_static() => filled(&shape, &mut std::iter::empty()),
            _ => Err("a reshape to sizes in a tensor is not written in C".into()),
        }
    }

    /// Offsets, sizes and strides of a slice.
    fn slice(&self, op: Op) -> Result<[Vec<String>; 3], String> {
        let segments = op.attr("operandSegmentSizes").and_then(Attr::as_i64s).ok_or("a slice has no segments")?;
        let fixed = segments.len() - 3;
        let mut next = segments[..fixed].iter().sum::<i64>() as usize;
        let mut lists: [Vec<String>; 3] = Default::default();
        for (k, name) in ["static_offsets", "static_sizes", "static_strides"].iter().enumerate() {
            let list = op.attr(name).and_then(Attr::as_i64s).ok_or("a slice has no sizes")?;
            for v in list {
                lists[k].push(if v == DYNAMIC {
                    next += 1;
                    self.value(op.operand(next - 1))?
                } else {
                    v.to_string()
                });
            }
        }
        Ok(lists)
    }

    fn extract_slice(&mut self, op: Op) -> Result<(), String> {
        let [offsets, sizes, strides] = self.slice(op)?;
        let (source, result) = (self.place(op.operand(0))?, op.result(0));
        let kept = kept(&sizes, result.ty())?;
        let shape: Shape = kept.iter().map(|&d| sizes[d].clone()).collect();
        let place = self.new_buffer(result, shape)?;
        self.text.comment("tensor.extract_slice");
        let names = self.open(&sizes);
        let from = shifted(&names, &offsets, &strides);
        let to: Vec<String> = kept.iter().map(|&d| names[d].clone()).collect();
        self.move_element(&source, &from, &place, &to, result)?;
        self.text.close(sizes.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn insert_slice(&mut self, op: Op) -> Result<(), String> {
        let [offsets, sizes, strides] = self.slice(op)?;
        let (source, result) = (self.place(op.operand(0))?, op.result(0));
        let kept = kept(&sizes, op.operand(0).ty())?;
        let place = self.updated(result, op.operand(1), true)?;
        self.text.comment("tensor.insert_slice");
        let names = self.open(&sizes);
        let from: Vec<String> = kept.iter().map(|&d| names[d].clone()).collect();
        self.move_element(&source, &from, &place, &shifted(&names, &offsets, &strides), result)?;
        self.text.close(sizes.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn pad(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let source = self.place(op.operand(0))?;
        let mut dynamic = self.values(op.operands()[1..].to_vec())?.into_iter();
        let mut list = |name: &str| -> Result<Vec<String>, String> {
            let list = op.attr(name).and_then(Attr::as_i64s).ok_or("a pad has no widths")?;
            list.into_iter()
                .map(|v| {
                    if v == DYNAMIC { dynamic.next().ok_or("a width is missing".to_owned()) } else { Ok(v.to_string()) }
                })
                .collect()
        };
        let (low, high) = (list("static_low")?, list("static_high")?);
        let old = source.shape().clone();
        let shape: Shape =
            old.iter().zip(low.iter().zip(&high)).map(|(s, (l, h))| sum(&[s.clone(), l.clone(), h.clone()])).collect();
        let block = op.body().ok_or("a pad has no body")?;
        let end = block.terminator().ok_or("a pad has no value")?;
        if block.args().iter().any(|a| a.has_uses()) {
            return Err("a pad whose value depends on the place is not written in C".into());
        }
        for inner in block.ops().into_iter().filter(|inner| *inner != end) {
            self.inner(inner)?;
        }
        let value = self.value(end.operand(0))?;
        let place = self.new_buffer(result, shape.clone())?;
        self.text.comment("tensor.pad");
        self.copy(&Place::Splat { value, shape }, &place, result.ty().element())?;
        let names = self.open(&old);
        let ones = vec!["1".to_owned(); names.len()];
        self.move_element(&source, &names, &place, &shifted(&names, &low, &ones), result)?;
        self.text.close(old.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn concat(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let dim = op.attr("dim").and_then(Attr::as_int).ok_or("a concat has no dimension")? as usize;
        let parts = op.operands().into_iter().map(|v| self.place(v)).collect::<Result<Vec<_>, _>>()?;
        let mut shape = parts[0].shape().clone();
        let along: Vec<String> = parts.iter().map(|p| p.shape()[dim].clone()).collect();
        shape[dim] = sum(&along);
        let place = self.new_buffer(result, shape)?;
        self.text.comment("tensor.concat");
        for (i, part) in parts.iter().enumerate() {
            let sizes = part.shape().clone();
            let names = self.open(&sizes);
            let mut to = names.clone();
            to[dim] = sum(&[names[dim].clone(), sum(&along[..i])]);
            self.move_element(part, &names, &place, &to, result)?;
            self.text.close(sizes.len());
        }
        self.places.insert(result, place);
        Ok(())
    }

    fn generate(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let sizes = self.values(op.operands())?;
        let shape = filled(&result.ty().shape(), &mut sizes.into_iter())?;
        let place = self.new_buffer(result, shape.clone())?;
        self.text.comment("tensor.generate");
        let names = self.open(&shape);
        let block = op.body().ok_or("a generate has no body")?;
        for (argument, name) in block.args().into_iter().zip(&names) {
            self.scalars.insert(argument, name.clone());
        }
        let end = block.terminator().ok_or("a generate has no value")?;
        for inner in block.ops().into_iter().filter(|inner| *inner != end) {
            self.inner(inner)?;
        }
        let value = self.value(end.operand(0))?;
        self.store(&place, &names, &value, result)?;
        self.text.close(names.len());
        self.places.insert(result, place);
        Ok(())
    }

    fn elements(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let shape: Shape = result.ty().shape().iter().map(|d| d.unwrap_or(0).to_string()).collect();
        let values = self.values(op.operands())?;
        let place = self.new_buffer(result, shape.clone())?;
        let flat = place.with_shape(vec![values.len().to_string()]);
        for (i, value) in values.iter().enumerate() {
            self.store(&flat, &[i.to_string()], value, result)?;
        }
        self.places.insert(result, place);
        Ok(())
    }

    /// Opens a loop per dimension; gives their variables.
    fn open(&mut self, sizes: &[String]) -> Vec<String> {
        let names: Vec<String> =
            (0..sizes.len()).map(|d| ["i", "j", "k", "l"].get(d).map_or(format!("d{d}"), |n| (*n).into())).collect();
        for (name, size) in names.iter().zip(sizes) {
            self.text.each(name, size);
        }
        names
    }

    fn move_element(
        &mut self,
        from: &Place,
        at: &[String],
        to: &Place,
        place: &[String],
        like: Value,
    ) -> Result<(), String> {
        let ty = like.ty().element();
        // A bf16 in a buffer is moved as it is.
        if let (true, Place::Buffer { name, shape, .. }, Place::Buffer { name: target, shape: other, .. }) =
            (is_bf16(ty), from, to)
        {
            let (a, b) = (super::index::position(shape, at), super::index::position(other, place));
            self.text.line(format!("{target}[{b}] = {name}[{a}];"));
            return Ok(());
        }
        let value = self.load(from, at, ty)?;
        self.store(to, place, &value, like)
    }
}

/// A shape whose dynamic sizes are taken in order.
fn filled(shape: &[Option<i64>], sizes: &mut dyn Iterator<Item = String>) -> Result<Shape, String> {
    let size = |d: &Option<i64>| match d {
        Some(n) => Ok(n.to_string()),
        None => sizes.next().ok_or_else(|| "a size is missing".to_owned()),
    };
    shape.iter().map(size).collect()
}

/// `offset + i * stride` in each dimension.
fn shifted(names: &[String], offsets: &[String], strides: &[String]) -> Vec<String> {
    (0..names.len()).map(|d| sum(&[product(&[strides[d].clone(), names[d].clone()]), offsets[d].clone()])).collect()
}

/// The dimensions of a slice that its type keeps: those of size 1 may be left out.
fn kept(sizes: &[String], ty: Type) -> Result<Vec<usize>, String> {
    let shape = ty.shape();
    let mut left = sizes.len() - shape.len();
    let mut kept = Vec::new();
    for (d, size) in sizes.iter().enumerate() {
        let wanted = shape.get(kept.len());
        let fits = wanted.is_some_and(|w| w.is_none_or(|w| *size == w.to_string() || size.parse::<i64>().is_err()));
        // The first of several dimensions of size 1 is left out as well as the last: the elements are the same.
        if size == "1" && left > 0 && (!fits || left > shape.len() - kept.len() || sizes.len() - d <= left) {
            left -= 1;
        } else if fits {
            kept.push(d);
        } else if size == "1" && left > 0 {
            left -= 1;
        } else {
            return Err("a slice of another form".into());
        }
    }
    if kept.len() == shape.len() { Ok(kept) } else { Err("a slice of another form".into()) }
}
