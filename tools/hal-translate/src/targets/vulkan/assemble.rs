//! Assembles `spirv.module`s to the binary of an executable.
use super::{check, iterations::LONG_LOOPS, merge, route::ShaderExport};
use crate::lowered::Lowered;
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Block, Builder, Module, Op, Region, Session, form::Launch};
use halyard_objects::{Pushed, SpirvModule, finish_spirv};
use halyard_targets::{Target, VulkanTarget};
use mlir_sys::*;

/// The binary of an executable.
pub(super) struct Shader {
    /// The module, with the requested names.
    pub module: SpirvModule,
    /// The launch parameters of each export, in order.
    pub launches: Vec<Launch>,
    /// The required features: the capabilities beyond `Shader`, by SPIR-V's names, and [`LONG_LOOPS`].
    pub features: Vec<String>,
}

/// Makes one binary of all exports of an executable, checked. Errors: what upstream's serialisation says; what the binary
/// needs and the target forbids; a shape that does not fit the kernel ABI.
pub(super) fn assemble(
    session: &Session,
    lowered: &[Lowered<'_, ShaderExport>],
    names: &[String],
    target: &VulkanTarget,
) -> Result<Shader> {
    let mut shaders = Vec::new();
    for export in lowered {
        Op::from(&export.module).walk(&mut |op| {
            if op.is("spirv.module") {
                shaders.push(op);
            }
        });
    }
    let copies: Vec<Op> = shaders.iter().map(|op| op.duplicate()).collect();
    let module = session.empty_module();
    let body = Op::from(&module).body().expect("a module has a body");
    let (first, others) = copies.split_first().ok_or_else(|| Error::input("there is no SPIR-V"))?;
    body.append(*first);
    if !others.is_empty() {
        others.iter().for_each(|op| {
            body.append(*op);
        });
        merge::merge(*first, others);
        session.run_pipeline(&module, "builtin.module(spirv.module(spirv-update-vce))")?;
    }
    let bytes = serialize(session, &module, *first, target)?;
    let with_load_constants = names.iter().zip(lowered).filter(|(_, l)| l.details.push.all > l.details.push.pushed);
    let kernels: Vec<_> =
        with_load_constants.map(|(entry, l)| Pushed { entry, words: l.details.push.pushed as u32 }).collect();
    let module = finish_spirv(&bytes, "generated code", &kernels)?;
    let abis: Vec<_> = lowered.iter().map(|l| &l.details.abi).collect();
    let launches = check::check(&module, &abis, target)?;
    let mut features = module.features();
    features.extend(lowered.iter().any(|l| l.details.runs_long).then(|| LONG_LOOPS.to_owned()));
    Ok(Shader { module, launches, features })
}

/// Serialises a `gpu.module` with upstream's serialiser.
fn serialize(session: &Session, module: &Module<'_>, shader: Op, target: &VulkanTarget) -> Result<Vec<u8>> {
    let context = session.raw();
    let inside = Block::create(&[], shader.loc());
    let region = Region::create();
    region.append(inside);
    let targets = Attr::array(context, &[Target::Vulkan(target.clone()).attr(session)]);
    let attrs = [("sym_name", Attr::string(context, "shader")), ("targets", targets)];
    let holder = Builder::create(shader.loc(), "gpu.module", &[], &[], &attrs, vec![region]);
    Op::from(module).body().expect("a module has a body").append(holder);
    shader.detach();
    inside.append(shader);
    session.run_pipeline_on(Op::from(module), "builtin.module(gpu-module-to-binary)", true)?;
    let ops = Op::from(module).body_ops();
    let binary = ops.into_iter().find(|op| op.is("gpu.binary"));
    let object =
        binary.and_then(|op| op.attr("objects")).and_then(Attr::as_array).and_then(|list| list.first().copied());
    let object = object.ok_or_else(|| session.error("MLIR made no binary"))?;
    // SAFETY: the attribute is an object of the gpu dialect; its bytes live as long as the context.
    let bytes = unsafe {
        let text = mlirGPUObjectAttrGetObject(object.0);
        std::slice::from_raw_parts(text.data.cast::<u8>(), text.length).to_vec()
    };
    Ok(bytes)
}
