//! Lowers `gpu.block_id` and `gpu.grid_dim`, with which kernels on buffers read their workgroup.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Reads a field of the workgroup that a pointer leads to: its number in x, y and z, then their counts, as an `index`.
pub(super) fn read(at: &Builder, workgroup: Value, field: i32) -> Value {
    let context = at.context();
    let word = Type::integer(context, 32);
    let attrs = [("rawConstantIndices", Attr::i32s(context, &[field])), ("elem_type", Attr::ty(word))];
    let address = at.value("llvm.getelementptr", &[workgroup], workgroup.ty(), &attrs);
    let value = at.value("llvm.load", &[address], word, &[]);
    at.value("arith.index_castui", &[value], Type::index(context), &[])
}

/// Adds the pointer to the workgroup as an argument of a function, and lowers its reads of the workgroup. Returns
/// whether there are any; otherwise nothing changes.
pub(super) fn pass(function: Op) -> bool {
    let mut asks = Vec::new();
    function.walk(&mut |op| {
        if matches!(&*op.name(), "gpu.block_id" | "gpu.grid_dim") {
            asks.push(op);
        }
    });
    if asks.is_empty() {
        return false;
    }
    let context = function.context();
    let pointer = Type::parse(context, "!llvm.ptr").expect("a type of the LLVM dialect");
    let body = function.body().expect("it holds operations");
    let workgroup = body.add_arg(pointer, function.loc());
    let ty = function.attr("function_type").and_then(Attr::as_type).expect("functions have a type");
    let mut inputs = ty.inputs();
    inputs.push(pointer);
    function.set_attr("function_type", Attr::ty(Type::function(context, &inputs, &ty.results())));
    if let Some(mut attrs) = function.attr("arg_attrs").and_then(Attr::as_array) {
        attrs.push(Attr::dict(context, &[]));
        function.set_attr("arg_attrs", Attr::array(context, &attrs));
    }
    for op in asks {
        let at = Builder::before(op);
        let dimension = op.attr("dimension").map(|d| d.to_string()).unwrap_or_default();
        // `#gpu<dim x>`; `hal_workgroup_t` holds id[3], then count[3], 32 bits each.
        let axis = ["x", "y", "z"].iter().position(|a| dimension.contains(&format!(" {a}"))).unwrap_or(0) as i32;
        let field = axis + if op.is("gpu.grid_dim") { 3 } else { 0 };
        let value = read(&at, workgroup, field);
        op.result(0).replace_all_uses(value);
        op.erase();
    }
    true
}
