//! Calls the built-in host functions of the runtime, for operators that no kernel can compute.
use super::{Context, Dim, Elem, Value, value::tensor_type};

impl Context<'_> {
    /// Calls `halyard.NAME`. Each argument is a list of any length, or a number (`i64`); results have these element types and sizes, and
    /// those sizes that are `None` are what comes.
    pub(crate) fn call_host(
        &mut self,
        name: &str,
        arguments: &[Value],
        results: &[(Elem, Vec<Option<i64>>)],
    ) -> Vec<Value> {
        let any = |count: usize| vec![Dim::symbol(usize::MAX); count];
        let unsigned = |elem: Elem| if elem.is_unsigned() && elem != Elem::Bool { " {hal.unsigned}" } else { "" };
        let (mut names, mut types, mut declared, mut symbol) =
            (Vec::new(), Vec::new(), Vec::new(), format!("halyard_{name}"));
        for v in arguments {
            let (ssa, own) = (self.ssa(v), v.ty());
            let (ssa, ty) = if v.rank() == 0 {
                (self.body().extract(&ssa, &own, v.elem, &[]).name, v.elem.mlir().to_owned())
            } else {
                let ty = tensor_type(v.elem, &any(v.rank()));
                (if ty == own { ssa } else { self.w.value(format!("tensor.cast {ssa} : {own} to {ty}")) }, ty)
            };
            symbol += &format!("_{:?}", v.elem).to_lowercase();
            declared.push(format!("{ty}{}", unsigned(v.elem)));
            names.push(ssa);
            types.push(ty);
        }
        let dims = |sizes: &[Option<i64>]| {
            sizes.iter().map(|s| s.map_or(Dim::symbol(usize::MAX), Dim::fixed)).collect::<Vec<_>>()
        };
        let given: Vec<_> = results.iter().map(|(elem, sizes)| tensor_type(*elem, &dims(sizes))).collect();
        symbol += "_to";
        for (elem, sizes) in results {
            let sizes: String = sizes.iter().flatten().map(|s| format!("_{s}")).collect();
            symbol += &format!("_{elem:?}{sizes}").to_lowercase();
        }
        let declared_results: Vec<_> =
            given.iter().zip(results).map(|(ty, (elem, _))| format!("{ty}{}", unsigned(*elem))).collect();
        let attributes = format!("hal.host_function = \"halyard.{name}\", hal.pure");
        let (declared, declared_results) = (declared.join(", "), declared_results.join(", "));
        let text =
            format!("  func.func private @{symbol}({declared}) -> ({declared_results}) attributes {{{attributes}}}");
        self.declare(&symbol, &text);
        let call =
            format!("func.call @{symbol}({}) : ({}) -> ({})", names.join(", "), types.join(", "), given.join(", "));
        let ssas = self.w.values(results.len(), &call);
        let sized = |(ssa, (elem, sizes)): (String, &(Elem, Vec<Option<i64>>))| {
            let sizes: Vec<_> = sizes.iter().map(|s| s.map(Dim::fixed)).collect();
            self.sized(ssa, *elem, &sizes)
        };
        ssas.into_iter().zip(results).map(sized).collect()
    }
}
