//! Variants: executables lowered for one target, and their objects.
use super::{Executable, Export, Interface, Launch};
use crate::{Attr, Block, Builder, Op, Region, Type, dense_bytes, names};
use halyard_diag::{Error, Result};

/// A lowering of an executable for one target.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The module nested in the executable.
    pub op: Op,
}

impl Executable {
    /// The exports of the source or, where it was stripped, their declarations in the first variant.
    pub fn interface_exports(self) -> Vec<Export> {
        let exports = self.exports();
        if !exports.is_empty() {
            return exports;
        }
        self.variants().first().map(|v| v.exports()).unwrap_or_default()
    }

    /// Returns the variants in order.
    pub fn variants(self) -> Vec<Variant> {
        self.body().ops().into_iter().filter_map(Variant::view).collect()
    }
}

/// The location of an object's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectData {
    /// The bytes are in the program; they must have the recorded hash, if there is one.
    Embedded(Vec<u8>),
    /// The bytes are in a file, which must have the BLAKE3 hash (hex), if there is one.
    Path {
        /// The path as the program has it.
        path: String,
        /// The hash in hex digits.
        hash: Option<String>,
    },
}

/// One object of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// `elf`, `archive`, `ptx`, `spirv`, …
    pub format: String,
    /// The bytes.
    pub data: ObjectData,
}

/// The parts of a new variant.
#[derive(Debug)]
pub struct VariantSpec<'a> {
    /// The symbol name, e.g. `cpu_znver5`.
    pub name: &'a str,
    /// The target attribute, e.g. `#llvm.target<triple = …, chip = …>`.
    pub target: Attr,
    /// The objects. Embedded ones are stored as one `tensor<Nxi8>` resource or dense attribute each.
    pub objects: Vec<(String, Attr)>,
    /// For a GPU: the launch parameters of each export, in order. Empty for a CPU.
    pub launches: Vec<Launch>,
}

impl Variant {
    /// Views an operation; `None` unless it is a variant.
    pub fn view(op: Op) -> Option<Self> {
        (op.is("builtin.module") && op.has_attr(names::VARIANT)).then_some(Self { op })
    }

    /// Makes a variant at the end of an executable, with a declaration of each export; `workgroups` are functions in no
    /// block, one per export in order, that take over as the exports' workgroup counts.
    pub fn create(executable: Executable, spec: &VariantSpec<'_>, workgroups: &[Op]) -> Self {
        Self::create_for(executable, spec, &executable.exports(), workgroups)
    }

    /// Makes a variant like `create`, for exports without a source in the executable: `exports` are functions of their
    /// interface.
    pub fn create_for(executable: Executable, spec: &VariantSpec<'_>, exports: &[Export], workgroups: &[Op]) -> Self {
        let context = executable.op.context();
        let loc = executable.op.loc();
        let region = Region::create();
        let body = Block::create(&[], loc);
        region.append(body);
        let attrs = [
            ("sym_name", Attr::string(context, spec.name)),
            (names::VARIANT, Attr::unit(context)),
            (names::TARGET, spec.target),
            (names::OBJECTS, object_list(context, &spec.objects)),
        ];
        let op = Builder::create(loc, "builtin.module", &[], &[], &attrs, vec![region]);
        for (i, (export, count)) in exports.iter().zip(workgroups).enumerate() {
            let mut attrs = vec![
                ("sym_name", Attr::string(context, &export.name())),
                ("sym_visibility", Attr::string(context, "private")),
                ("function_type", Attr::ty(super::load_constants::kernel_type(export.op))),
                (names::EXPORT, Attr::unit(context)),
                (names::WORKGROUPS, Attr::symbol(context, &count.symbol().unwrap_or_default())),
                (names::FINGERPRINT, Attr::string(context, &super::fingerprint(export.op))),
            ];
            attrs.extend(export.op.attr(names::LOAD_CONSTANTS).map(|list| (names::LOAD_CONSTANTS, list)));
            if let Some(results) = super::fingerprint::result_attrs(export.op) {
                attrs.push(("res_attrs", results));
            }
            let declared = Builder::create(loc, "func.func", &[], &[], &attrs, vec![Region::create()]);
            if let Some(launch) = spec.launches.get(i) {
                launch.set(declared);
            }
            body.append(declared);
            body.append(*count);
        }
        executable.body().append(op);
        Self { op }
    }

    /// Makes a detached variant that has code and no objects yet: copies of `code`, operations of an executable or
    /// another variant.
    pub fn with_code(at: Op, name: &str, target: Attr, code: &[Op]) -> Self {
        let (context, loc) = (at.context(), at.loc());
        let region = Region::create();
        let body = Block::create(&[], loc);
        region.append(body);
        let attrs =
            [("sym_name", Attr::string(context, name)), (names::VARIANT, Attr::unit(context)), (names::TARGET, target)];
        let op = Builder::create(loc, "builtin.module", &[], &[], &attrs, vec![region]);
        for op in code {
            body.append(op.duplicate());
        }
        Self { op }
    }

    /// Returns the symbol name.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// Returns the target attribute.
    pub fn target(self) -> Option<Attr> {
        self.op.attr(names::TARGET)
    }

    /// The features that its device must have ([`names::FEATURES`]); `None` if not given.
    pub fn features(self) -> Option<Vec<String>> {
        let list = self.op.attr(names::FEATURES).and_then(Attr::as_array)?;
        Some(list.into_iter().filter_map(Attr::as_string).collect())
    }

    /// Sets the features that its device must have.
    pub fn set_features<'a>(self, features: impl IntoIterator<Item = &'a str>) {
        let context = self.op.context();
        let list: Vec<Attr> = features.into_iter().map(|f| Attr::string(context, f)).collect();
        self.op.set_attr(names::FEATURES, Attr::array(context, &list));
    }

    /// The declarations of the exports, in order.
    pub fn exports(self) -> Vec<Export> {
        self.op.body_ops().into_iter().filter_map(Export::view).collect()
    }

    /// The function that computes the workgroup count of an export.
    pub fn workgroups(self, export: Export) -> Option<Op> {
        let name = export.op.attr(names::WORKGROUPS)?.leaf_symbol()?;
        self.op.body()?.ops().into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(&*name))
    }

    /// Sets the load-time constants of an export's declaration and of its workgroup count.
    pub fn set_load_constants(self, export: Export, list: &[String]) {
        let context = self.op.context();
        let index = Type::index(context);
        let (mut interface, old) = (Interface::of(export.op), super::load_constants(export.op).len());
        if list.is_empty() {
            export.op.remove_attr(names::LOAD_CONSTANTS);
        } else {
            export.op.set_attr(names::LOAD_CONSTANTS, super::load_constants_attr(context, list));
        }
        interface.inputs.extend(vec![index; list.len()]);
        let ty = Type::function(context, &interface.inputs, &interface.results);
        export.op.set_attr("function_type", Attr::ty(ty));
        let Some(count) = self.workgroups(export).filter(|_| old != list.len()) else { return };
        // Another export may use it unchanged.
        let own = count.duplicate();
        let Some((block, args)) = own.body().map(|b| (b, b.args().len())) else { return };
        (args - old.min(args)..args).rev().for_each(|i| block.erase_arg(i));
        for _ in list {
            block.add_arg(index, own.loc());
        }
        let types: Vec<Type> = block.args().iter().map(|a| a.ty()).collect();
        own.set_attr("function_type", Attr::ty(Type::function(context, &types, &[index; 3])));
        let shared = self.exports().into_iter().any(|e| e.op != export.op && self.workgroups(e) == Some(count));
        let body = count.block().expect("it is in the variant");
        if shared {
            let name = format!("{}_of_{}", count.symbol().unwrap_or_default(), export.name());
            own.set_attr("sym_name", Attr::string(context, &name));
            export.op.set_attr(names::WORKGROUPS, Attr::symbol(context, &name));
        }
        body.insert_before(count, own);
        if !shared {
            count.erase();
        }
    }

    /// Sets the functions that its objects import from kernel libraries.
    pub fn set_imports(self, imports: &[String]) {
        let context = self.op.context();
        if imports.is_empty() {
            self.op.remove_attr(names::IMPORTS);
        } else {
            let list: Vec<Attr> = imports.iter().map(|name| Attr::string(context, name)).collect();
            self.op.set_attr(names::IMPORTS, Attr::array(context, &list));
        }
    }

    /// The functions that its objects import from kernel libraries.
    pub fn imports(self) -> Vec<String> {
        let list = self.op.attr(names::IMPORTS).and_then(Attr::as_array).unwrap_or_default();
        list.into_iter().filter_map(Attr::as_string).collect()
    }

    /// The objects. Errors: an entry without a format, or whose data are missing.
    pub fn objects(self) -> Result<Vec<Object>> {
        let list = self.op.attr(names::OBJECTS).and_then(Attr::as_array).unwrap_or_default();
        list.into_iter()
            .map(|dict| {
                let owner = self.op.parent().and_then(Op::symbol).map_or_else(String::new, |name| format!("@{name}::"));
                let bad = |what: &str| {
                    Error::input(format!("variant `{owner}@{}`: an object in `{}` {what}", self.name(), names::OBJECTS))
                        .code("bad-object")
                };
                let format = dict.get("format").and_then(Attr::as_string).ok_or_else(|| bad("has no `format`"))?;
                let data = if let Some(data) = dict.get("data") {
                    let bytes = object_bytes(data)
                        .ok_or_else(|| bad("has data that are missing or not of type `tensor<Nxi8>`"))?;
                    let hash = dict.get("hash").and_then(Attr::as_string);
                    if hash.is_some_and(|hash| *hash != *blake3::hash(&bytes).to_hex()) {
                        return Err(bad("is damaged: its data have another hash than `hash` says").hint(
                            "make the program again; who changes an object changes its `hash`, too, or leaves it out",
                        ));
                    }
                    ObjectData::Embedded(bytes)
                } else {
                    let path = dict
                        .get("path")
                        .and_then(Attr::as_string)
                        .ok_or_else(|| bad("has neither `data` nor `path`"))?;
                    ObjectData::Path { path, hash: dict.get("hash").and_then(Attr::as_string) }
                };
                Ok(Object { format, data })
            })
            .collect()
    }

    /// Replaces the objects by embedded ones, as in [`VariantSpec`].
    pub fn set_objects(self, objects: &[(String, Attr)]) {
        self.op.set_attr(names::OBJECTS, object_list(self.op.context(), objects));
    }

    /// Bytes as an attribute that prints as a resource, `dense_resource<name> : tensor<Nxi8>`.
    pub fn embed(context: mlir_sys::MlirContext, name: &str, bytes: &[u8]) -> Attr {
        let ty = Type::tensor(&[Some(bytes.len() as i64)], Type::integer(context, 8));
        crate::resource(ty, name, bytes::Bytes::copy_from_slice(bytes))
    }
}

/// The value of [`names::OBJECTS`] for embedded objects, each with its BLAKE3 hash.
pub fn object_list(context: mlir_sys::MlirContext, objects: &[(String, Attr)]) -> Attr {
    let entry = |(format, data): &(String, Attr)| {
        let mut items = vec![("format", Attr::string(context, format)), ("data", *data)];
        let hash = object_bytes(*data).map(|bytes| blake3::hash(&bytes).to_hex().to_string());
        items.extend(hash.map(|hash| ("hash", Attr::string(context, &hash))));
        Attr::dict(context, &items)
    };
    Attr::array(context, &objects.iter().map(entry).collect::<Vec<_>>())
}

/// The data of an embedded object; `None` if they are missing or no bytes.
fn object_bytes(data: Attr) -> Option<Vec<u8>> {
    let (bytes, splat) = dense_bytes(data)?;
    let count = data.value_type().element_count().unwrap_or(0) as usize;
    Some(if splat { vec![bytes[0]; count] } else { bytes })
}
