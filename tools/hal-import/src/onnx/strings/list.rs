//! Lists that bodies of operations read at computed positions, and loops over them.
use crate::onnx::{Body, Context, Dim, Elem, Num, Order, Scalar, Value};

/// A list that bodies read.
pub(crate) struct List {
    ssa: String,
    ty: String,
    elem: Elem,
    /// The size, an index.
    size: Scalar,
}

impl List {
    /// Names a list for bodies that are written after this.
    pub(crate) fn of(c: &mut Context<'_>, list: &Value) -> Self {
        let (ssa, ty) = (c.ssa(list), list.ty());
        let size = match list.shape[0].get() {
            Some(_) => c.index(&list.shape[0]),
            // That of the list itself, so that what reads an index tells that it is inside.
            None => {
                let zero = c.index(&Dim::fixed(0));
                c.w.value(format!("tensor.dim {ssa}, {zero} : {ty}"))
            }
        };
        Self { ssa, ty, elem: list.elem, size: Scalar::index(size) }
    }

    /// The element at an index; 0 beyond the list, where nothing is read.
    pub(crate) fn at(&self, b: &mut Body<'_>, at: &Scalar) -> Scalar {
        let zero = b.index_constant(0);
        let from = b.compare(Order::Ge, at, &zero);
        let to = b.compare(Order::Lt, at, &self.size);
        let inside = b.and(&from, &to);
        let ty = self.elem.mlir();
        let read = b.w.open_values(1, &format!("scf.if {} -> ({ty}) {{", inside.name)).remove(0);
        let element = b.extract(&self.ssa, &self.ty, self.elem, std::slice::from_ref(at));
        b.w.line(format!("scf.yield {} : {ty}", element.name));
        b.w.between("} else {");
        let nothing = b.number(self.elem, Num::I(0));
        b.w.line(format!("scf.yield {} : {ty}", nothing.name));
        b.w.close("}");
        Scalar::new(read, self.elem)
    }

    /// Reads a byte as an `i32`.
    pub(crate) fn byte(&self, b: &mut Body<'_>, at: &Scalar) -> Scalar {
        let byte = self.at(b, at);
        b.cast(&byte, Elem::I32)
    }
}

/// Writes a loop of a number of steps (an index) with carried values: `step` receives its number and the previous
/// values.
pub(crate) fn repeat(
    b: &mut Body<'_>,
    count: &Scalar,
    initial: &[Scalar],
    step: impl FnOnce(&mut Body<'_>, &Scalar, &[Scalar]) -> Vec<Scalar>,
) -> Vec<Scalar> {
    let (zero, one) = (b.index_constant(0), b.index_constant(1));
    let number = b.w.name();
    let carried: Vec<_> = initial.iter().map(|s| Scalar { name: b.w.name(), elem: s.elem }).collect();
    let types: Vec<_> = initial.iter().map(|s| s.elem.map_or("index", Elem::mlir)).collect();
    let types = types.join(", ");
    let pairs: Vec<_> = carried.iter().zip(initial).map(|(c, i)| format!("{} = {}", c.name, i.name)).collect();
    let head = format!(
        "scf.for {number} = {} to {} step {} iter_args({}) -> ({types}) {{",
        zero.name,
        count.name,
        one.name,
        pairs.join(", ")
    );
    let results = b.w.open_values(initial.len(), &head);
    let next = step(b, &Scalar::index(number), &carried);
    let names: Vec<_> = next.iter().map(|s| s.name.as_str()).collect();
    b.w.line(format!("scf.yield {} : {types}", names.join(", ")));
    b.w.close("}");
    results.into_iter().zip(initial).map(|(name, s)| Scalar { name, elem: s.elem }).collect()
}
