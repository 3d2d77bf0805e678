//! The kernel ABI: the signature that a kernel of an interface must have, see `halyard/kernel.h`.
use halyard_diag::Error;
use halyard_ir::{
    Type,
    form::{Export, load_constants},
};
use halyard_objects::{CNumber, CParameter, DeclaredFunction};

/// The signature of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) symbol: String,
    /// The types of the buffers; scalar types where C has them.
    bindings: Vec<Option<CNumber>>,
    constants: usize,
    /// Properties of the device, the last constants.
    load_constants: Vec<String>,
    /// The C types of the buffers.
    pointers: Vec<String>,
    /// The declaration in C.
    pub(crate) c: String,
}

impl Signature {
    pub(crate) fn of(export: Export) -> Self {
        let interface = export.interface();
        let reads =
            interface.tensor_inputs().into_iter().map(|i| (interface.inputs[i], !interface.tied.contains(&Some(i))));
        let writes = interface.untied_results().into_iter().map(|i| (interface.results[i], false));
        let bindings: Vec<(Type, bool)> = reads.chain(writes).collect();
        let pointer =
            |&(ty, read): &(Type, bool)| format!("{}{} *", if read { "const " } else { "" }, c_name(ty.element()));
        let signature = Self {
            symbol: export.name(),
            bindings: bindings.iter().map(|(ty, _)| number(ty.element())).collect(),
            constants: interface.constant_count(),
            load_constants: Vec::new(),
            pointers: bindings.iter().map(pointer).collect(),
            c: String::new(),
        };
        signature.with_load_constants(&load_constants(export.op))
    }

    /// The signature of a kernel that takes these properties of the device.
    pub(crate) fn with_load_constants(&self, list: &[String]) -> Self {
        let mut parameters = self.pointers.clone();
        parameters.extend(vec!["int64_t".to_owned(); self.constants]);
        parameters.extend(list.iter().map(|name| format!("int64_t {}", name.replace('.', "_"))));
        parameters.push("const hal_workgroup_t *".into());
        let c = format!("void {}({})", self.symbol, parameters.join(", "));
        Self { load_constants: list.to_vec(), c, ..self.clone() }
    }

    /// Fails if a function is declared otherwise. What is passed in registers may be left out at the end: the workgroup.
    pub(crate) fn check(&self, is: &DeclaredFunction, owner: &str) -> Result<(), Error> {
        let constant = CParameter::Number(CNumber { float: false, bits: 64 });
        let count = self.bindings.len() + self.constants + self.load_constants.len();
        let found = is.parameters.len();
        let mut wrong = (found != count && found != count + 1).then(|| {
            format!(
                "it takes {found} argument{}, a kernel of this interface {}",
                if found == 1 { "" } else { "s" },
                count + 1
            )
        });
        for (i, parameter) in is.parameters.iter().enumerate() {
            let fits = match self.bindings.get(i) {
                Some(binding) => match (parameter, binding) {
                    (CParameter::Pointer(Some(to)), Some(element)) => same(*to, *element),
                    (CParameter::Pointer(_), _) => true,
                    _ => false,
                },
                None if i < count => *parameter == constant,
                None => matches!(parameter, CParameter::Pointer(_)),
            };
            if !fits && wrong.is_none() {
                wrong = Some(format!("its argument {i} is `{parameter}`, that of the kernel `{}`", self.expected(i)));
            }
        }
        if is.returns && wrong.is_none() {
            wrong = Some("it returns something".into());
        }
        wrong.map_or(Ok(()), |why| {
            Err(Error::input(format!(
                "{owner}: function `{}` does not have the kernel's signature: {why}",
                self.symbol
            ))
            .code("wrong-signature")
            .hint(format!("its signature in C is `{}`", self.c)))
        })
    }

    fn expected(&self, i: usize) -> String {
        match self.bindings.get(i) {
            Some(element) => element.map_or_else(|| "pointer".into(), |n| format!("{n} *")),
            None if i < self.bindings.len() + self.constants + self.load_constants.len() => "i64".into(),
            None => "const hal_workgroup_t *".into(),
        }
    }
}

/// Narrow floats are integers of their width to most people.
fn same(a: CNumber, b: CNumber) -> bool {
    a.bits == b.bits && (a.float == b.float || a.bits <= 16)
}

fn number(ty: Type) -> Option<CNumber> {
    let bits = ty.bits().max(8);
    (ty.is_float() || ty.is_integer() || ty.is_index()).then_some(CNumber { float: ty.is_float(), bits })
}

fn c_name(ty: Type) -> String {
    match (ty.to_string().as_str(), ty.bits()) {
        ("f32", _) => "float".into(),
        ("f64", _) => "double".into(),
        ("f16", _) => "_Float16".into(),
        ("bf16", _) => "__bf16".into(),
        ("i1", _) => "bool".into(),
        (_, bits) => format!("int{}_t", bits.max(8)),
    }
}
