//! The steps of the pipeline `cpu` that this crate implements, and the state of an export in it.
use super::{
    abi, decompose, empties,
    export_state::ExportState,
    fastmath,
    floats::Floats,
    functions,
    level::signature,
    loops, quotients, reductions, rolled, scratch, small, tiles, widened,
    workgroup_count::{is_one, redundant_workgroups},
    wrap_lowered,
};
use crate::llvm::Shape;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Op,
    form::{self, Export, Level, Signature},
    names,
};
use halyard_stages::{Step, StepRunner};

/// The state of an export in its lowering to the LLVM dialect.
pub(super) struct Lowering<'a, 's> {
    pub(super) state: ExportState<'a, 's>,
    /// The level at which it arrived.
    pub(super) arrived: Level,
    stand_in: Option<wrap_lowered::WrappedExport>,
    floats: Option<Floats>,
}

impl<'a, 's> Lowering<'a, 's> {
    pub(super) fn new(state: ExportState<'a, 's>, arrived: Level) -> Self {
        Self { state, arrived, stand_in: None, floats: None }
    }

    /// Returns the export in its present form. Fails if a stage removed it.
    fn export(&self) -> Result<Op> {
        let ops = Op::from(self.state.module).body_ops();
        let found = ops.into_iter().find(|op| op.symbol().as_deref() == Some(self.state.name));
        found.ok_or_else(|| Error::input(format!("export `@{}` is gone", self.state.name)).code("no-export"))
    }

    /// Returns the present level. A lowered export keeps its original interface.
    fn signature(&self, export: Op) -> Result<Signature> {
        if self.arrived == Level::Tensors {
            form::adopt_interface(export, self.state.original);
        }
        signature(export)
    }

    fn tile(&mut self, step: &Step) -> Result<()> {
        let on_tensors = self.arrived == Level::Tensors && !form::is_lowered(self.export()?);
        self.state.emit(step, on_tensors)
    }

    fn kernel_signature(&mut self) -> Result<()> {
        if self.state.emitted.is_some() || self.state.wrapped.is_some() || self.arrived == Level::Kernel {
            return Ok(());
        }
        let export = self.export()?;
        let signature = self.signature(export)?;
        match signature.level {
            Level::Tensors => {
                let workgroups = self.state.make_grid(export)?;
                abi::wrap(Export { op: export }, workgroups.as_ref())?;
            }
            // A stage has made it one.
            Level::Kernel => return Ok(()),
            _ => {
                let single = abi::single_workgroup(Export { op: export });
                let given = wrap_lowered::wrap(self.state.session, self.state.module, export, &signature)?;
                if let Some(count) = self.state.count.filter(|&c| !given.knows_workgroup && !is_one(c)) {
                    return Err(redundant_workgroups(self.state.session, count, self.state.name));
                }
                self.state.count.get_or_insert(single);
                self.stand_in = Some(given);
            }
        }
        self.state.wrapped = Some(signature.level);
        Ok(())
    }

    /// On a GPU, maps loops to threads. On a CPU they stay loops.
    fn map_threads(&mut self) -> Result<()> {
        let tensors = self.state.wrapped == Some(Level::Tensors) && self.state.grid.is_some();
        let Some(threads) = self.state.code.llvm().and_then(|llvm| llvm.threads()).filter(|_| tensors) else {
            return Ok(());
        };
        let kernel = self.export()?;
        if let Some(sizes) = self.state.map_threads(kernel, threads.most, &threads.id) {
            kernel.set_attr(names::WORKGROUP_SIZE, Attr::i64s(kernel.context(), &sizes));
        }
        Ok(())
    }

    fn fast_math(&self, step: &Step) {
        let fast = step.flag("fast").unwrap_or(self.state.options.fast_math);
        // Kernels that the compiler emitted contain their own fused multiply-adds, and hand-written ones stay
        // unchanged.
        let as_it_is = self.state.emitted.is_some() || self.arrived == Level::Kernel;
        if !as_it_is || (fast && (self.state.emitted.is_some() || step.flag("fast").is_some())) {
            fastmath::set(Op::from(self.state.module), fast);
        }
    }

    fn lower_calls(&mut self) -> Result<()> {
        self.state.generated();
        functions::lower(self.state.session, self.state.module)?;
        self.floats = Some(Floats::of(Op::from(self.state.module)));
        Ok(())
    }

    fn lower_floats(&mut self, step: &Step) -> Result<()> {
        let module = Op::from(self.state.module);
        // GPUs have their functions as a library, see `llvm::device`.
        if self.state.emitted.is_none() && self.state.target.cpu().is_some() && self.state.options.opt_level > 0 {
            halyard_kernel::expand_vector_math(module, &self.state.code.machine_model(step, self.state.options));
        }
        quotients::rewrite(module);
        let mut found = Floats::of(module);
        found.add(self.floats.take().unwrap_or_default());
        let passes = found.passes(self.state.code);
        self.floats = Some(found);
        match passes.trim_end_matches(',') {
            "" => {}
            passes => self.state.session.run_pipeline_on(module, &format!("builtin.module({passes})"), false)?,
        }
        if self.state.target.cpu().is_some() {
            widened::rewrite(module);
        }
        small::rewrite(module);
        // The list of LLVM's passes for them unrolls loops only as a whole.
        if self.state.target.cpu().is_some() && self.shape() == Shape::Vectors {
            rolled::mark_long(module);
        }
        Ok(())
    }

    /// Whether it computes with floats of 16 bits or less.
    pub(super) fn narrow(&self) -> bool {
        self.floats.as_ref().map_or_else(|| Floats::of(Op::from(self.state.module)).narrow(), Floats::narrow)
    }

    /// Returns the shape of its code, which determines LLVM's passes.
    pub(super) fn shape(&self) -> Shape {
        let vectors = self.state.emitted.is_some() || self.arrived == Level::Kernel;
        if vectors { Shape::Vectors } else { Shape::Loops }
    }

    /// The end of the pipeline: what was put off.
    pub(super) fn finish(&mut self) {
        self.state.take_count();
        rolled::annotate(Op::from(self.state.module));
        if let Some(given) = &self.stand_in {
            wrap_lowered::resolve(self.state.module, given);
        }
    }

    /// Describes how it was lowered, and why.
    pub(super) fn explanation(&mut self) -> String {
        if let Some(family) = &self.state.emitted {
            return format!("tiled and vectorised{}", family.as_ref().map(|f| format!(": {f}")).unwrap_or_default());
        }
        let how = match (self.arrived, self.state.wrapped) {
            (Level::Tensors, Some(Level::Tensors)) => {
                return self.state.as_written("in one workgroup");
            }
            (Level::Tensors, _) => "lowered by the stages of the pipeline",
            (Level::Kernel, _) => "given with the kernel signature",
            (Level::Buffers, _) => "given on buffers",
            (Level::Descriptors, _) => "given in the LLVM dialect with memref descriptors",
            (Level::BarePointers, _) => "given in the LLVM dialect with bare pointers",
        };
        let remarks = self.stand_in.iter().flat_map(|g| &g.remarks).map(String::as_str);
        std::iter::once(how).chain(remarks).collect::<Vec<_>>().join("; ")
    }
}

impl StepRunner for Lowering<'_, '_> {
    fn step(&mut self, step: &Step, module: Op) -> Result<()> {
        match step.name() {
            "hal-tile-and-vectorize" => self.tile(step),
            "hal-inline-calls" => loops::inline_calls(self.state.session, self.state.module),
            "hal-decompose" => decompose::run(self.state.session, self.state.module),
            "hal-separate-empties" => {
                empties::separate(module);
                Ok(())
            }
            "hal-lower-tile-calls" => tiles::lower(self.state.session, module),
            "hal-kernel-signature" => self.kernel_signature(),
            "hal-copies-to-linalg" => {
                loops::copies_to_linalg(module, false);
                Ok(())
            }
            "hal-scratch-on-stack" => {
                if self.state.grid.is_some() {
                    scratch::rewrite(self.export()?);
                }
                Ok(())
            }
            "hal-map-threads" => self.map_threads(),
            "hal-fast-math" => {
                self.fast_math(step);
                Ok(())
            }
            "hal-lower-calls" => self.lower_calls(),
            "hal-lower-reductions" => {
                reductions::rewrite(module);
                Ok(())
            }
            "hal-lower-floats" => self.lower_floats(step),
            other => unreachable!("`{other}` is no step of the pipeline"),
        }
    }

    fn holds(&self, condition: &str, _: Op) -> bool {
        match condition {
            "tensors" => self.export().is_ok_and(|e| !form::is_lowered(e)),
            "tiled" => self.state.emitted.is_some(),
            "wrapped" => self.state.wrapped.is_some(),
            other => unreachable!("`{other}` is no condition of the pipeline"),
        }
    }

    fn before(&mut self, _: Op) {
        self.state.take_count();
    }
}
