//! Validates host commands once when a program is loaded, so that the interpreter need not: every index exists, no
//! read-only memory is written, every dispatch passes the arguments that its kernel expects. Ranges inside buffers
//! depend on run-time values and are checked when they are used.
use super::{
    ArchivePlace, Base, BindingSize, Buffer, ConstantData, DeviceArgument, DeviceCode, Function, HostPlace,
    HostProgram, HostType, Initial, Inst, Kernel, KernelCode, Operand, OutputSource, Register, ScalarInst,
};
use halyard_diag::{Error, Result};

type Check<T = ()> = std::result::Result<T, String>;

/// Validates a host program.
pub(crate) fn validate(host_program: &HostProgram) -> Result<()> {
    check(host_program)
        .map_err(|why| Error::input(format!("the host program is damaged: {why}")).code("damaged-program"))
}

fn check(host_program: &HostProgram) -> Check {
    for kernel in &host_program.kernels {
        let results = kernel.bindings.iter().rev().take_while(|&&written| written).count();
        require(kernel.results as usize <= results, || format!("the results of `{}` are not written", kernel.export))?;
        let name = &kernel.export;
        require(!kernel.variants.is_empty(), || format!("kernel `{name}` has no variant"))?;
        let mut sizes = kernel.types.iter().flat_map(|t| &t.dims);
        let typed = kernel.types.len() == kernel.bindings.len()
            && sizes.all(|d| !matches!(d, BindingSize::Constant(c) if *c >= kernel.constants));
        require(typed, || format!("the bindings of `{name}` have no types"))?;
        for variant in &kernel.variants {
            let count = &variant.workgroups;
            let constants = kernel.constants as usize + variant.load_constants.len();
            require(count.registers as usize >= constants, || {
                format!("the workgroup count of `{name}` has too few registers")
            })?;
            for name in &variant.load_constants {
                require(crate::property::is_known(name), || {
                    format!("`{name}` of `{}` is not a device property", kernel.export)
                })?;
            }
            match &variant.code {
                KernelCode::Host { symbol } => {
                    require(!symbol.is_empty(), || format!("a variant of `{}` has no symbol", kernel.export))?
                }
                KernelCode::Device(code) => device_code(kernel, code)?,
            }
            for (i, packed) in variant.packed.iter().enumerate() {
                let reads = kernel.bindings.get(packed.binding as usize) == Some(&false);
                let again = variant.packed[..i].iter().any(|p| p.binding == packed.binding);
                require(reads && !again && !packed.layout.is_empty(), || {
                    format!("binding {} of `{name}` cannot be packed", packed.binding)
                })?;
            }
            for inst in &count.body {
                scalar(inst, count.registers)?;
            }
            for &result in &count.results {
                operand(result, count.registers)?;
            }
        }
    }
    for constant in &host_program.constants {
        let bytes = constant.byte_count().ok_or("a constant is too large")?;
        match &constant.data {
            ConstantData::Splat(element) => {
                require(element.len() == constant.dtype.size(), || "a splat has the wrong size".into())?
            }
            ConstantData::Inline(offset) => {
                require(offset % 64 == 0 && offset.checked_add(bytes).is_some(), || {
                    "a constant lies at a wrong place".into()
                })?;
            }
            ConstantData::Archived { archive, .. } => index(*archive, host_program.archives.len(), "archive")?,
            ConstantData::Piece { archive, offset } => {
                index(*archive, host_program.archives.len(), "archive")?;
                let end = constant.byte_count().and_then(|n| offset.checked_add(n));
                require(end.is_some_and(|end| end <= host_program.archives[*archive as usize].bytes), || {
                    "a piece lies outside of its file".into()
                })?;
            }
        }
    }
    for weight in &host_program.weights {
        for (i, form) in weight.forms.iter().enumerate() {
            index(form.constant, host_program.constants.len(), "constant")?;
            let again = weight.forms[..i].iter().any(|f| f.layout == form.layout);
            require(!again, || "a weight has two forms of one layout".into())?;
        }
    }
    for (i, state) in host_program.states.iter().enumerate() {
        let name = state.spec.name.as_deref().unwrap_or_default();
        let known = host_program.states[..i].iter().any(|s| s.spec.name.as_deref() == Some(name));
        require(!name.is_empty() && !known, || format!("state {i} has no name of its own"))?;
        let (dtype, shape) = match &state.initial {
            Initial::Zeros(shape) => (state.spec.dtype, shape),
            Initial::Constant(constant) => {
                index(*constant, host_program.constants.len(), "constant")?;
                let constant = &host_program.constants[*constant as usize];
                (constant.dtype, &constant.shape)
            }
        };
        let shape: Option<Vec<usize>> = shape.iter().map(|&d| usize::try_from(d).ok()).collect();
        let fits =
            shape.is_some_and(|s| state.spec.accepts(dtype, &s) && crate::Tensor::byte_count(dtype, &s).is_some());
        require(fits, || format!("the initial value of state `{name}` has another type"))?;
    }
    for (i, archive) in host_program.archives.iter().enumerate() {
        match &archive.place {
            // A path could lead anywhere; archives lie beside the program.
            ArchivePlace::Named(name) => {
                require(!name.is_empty() && !name.contains('/'), || format!("`{name}` is not a file name"))?;
            }
            ArchivePlace::Own => require(archive.header.is_some(), || "its own archive has no header".into())?,
            ArchivePlace::Embedded => {
                let again = host_program.archives[..i].iter().any(|a| a.place == ArchivePlace::Embedded);
                require(!again, || "two archives lie at the end of the file".into())?;
            }
        }
    }
    for f in &host_program.functions {
        function(host_program, f).map_err(|why| format!("function `{}`: {why}", f.info.name))?;
    }
    Ok(())
}

/// Ranges of modules are checked with their section, see `crate::modules`.
fn device_code(kernel: &Kernel, code: &DeviceCode) -> Check {
    let name = &kernel.export;
    let placed = code.offset.is_multiple_of(64) && code.bytes > 0 && code.offset.checked_add(code.bytes).is_some();
    require(placed, || format!("a module of `{name}` lies at a wrong place"))?;
    // Drivers take it as a string of C.
    require(!code.entry.is_empty() && !code.entry.contains('\0'), || {
        format!("an entry point of `{name}` has no name")
    })?;
    let threads = code.workgroup_size.iter().try_fold(1u32, |n, &d| n.checked_mul(d));
    require(threads.is_some_and(|n| n > 0), || format!("a workgroup of `{name}` has a wrong size"))?;
    let Some(arguments) = &code.arguments else {
        return require(code.constants.len() == kernel.constants as usize, || {
            format!("a module of `{name}` takes other constants")
        });
    };
    let mut numbers = 0;
    for (i, argument) in arguments.iter().enumerate() {
        let exists = match argument {
            DeviceArgument::Buffer { binding, number } => {
                let again = |a: &DeviceArgument| matches!(a, DeviceArgument::Buffer { number: n, .. } if n == number);
                // Descriptors are counted in 16 bits by some drivers.
                (*binding as usize) < kernel.bindings.len() && *number < 1 << 16 && !arguments[..i].iter().any(again)
            }
            DeviceArgument::Number { of, fits, .. } => {
                numbers += 1;
                of.iter().all(|&c| c < kernel.constants) && fits.is_none_or(|bits| (1..=64).contains(&bits))
            }
        };
        require(exists, || format!("a module of `{name}` takes what there is not"))?;
    }
    require(code.constants.len() == numbers, || format!("a module of `{name}` takes other constants"))
}

fn function(host_program: &HostProgram, f: &Function) -> Check {
    require(isize::try_from(f.arena).is_ok(), || "its arena is too large".into())?;
    for t in &f.transients {
        let end = t.offset.checked_add(t.bytes);
        require(t.offset % 64 == 0 && end.is_some_and(|end| end <= f.arena), || {
            "a transient lies outside the arena".into()
        })?;
    }
    for &(input, dim, register) in &f.input_dims {
        let rank = f.info.inputs.get(input as usize).map(|s| s.shape.len());
        require(rank.is_some_and(|r| (dim as usize) < r), || "a dimension does not exist".into())?;
        operand(Operand::Register(register), f.registers)?;
    }
    require(f.outputs.len() == f.info.outputs.len(), || "it has the wrong number of outputs".into())?;
    for (output, spec) in f.outputs.iter().zip(&f.info.outputs) {
        let shape: Option<Vec<usize>> = spec.shape.iter().copied().collect();
        match output {
            OutputSource::Written => {
                let bytes = shape.and_then(|s| crate::Tensor::byte_count(spec.dtype, &s));
                require(bytes.is_some(), || "an output has no size".into())?;
            }
            OutputSource::Copied { source, dims } => {
                buffer(host_program, f, source, false)?;
                require(dims.len() == spec.shape.len(), || "an output has another rank".into())?;
                dims.iter().try_for_each(|&d| operand(d, f.registers))?;
            }
        }
    }
    insts(host_program, f, &f.body)
}

fn insts(host_program: &HostProgram, f: &Function, list: &[Inst]) -> Check {
    let read = |b: &Buffer| buffer(host_program, f, b, false);
    let write = |b: &Buffer| buffer(host_program, f, b, true);
    let value = |o: Operand| operand(o, f.registers);
    let slot = |s: u32| index(s, f.slots as usize, "slot");
    for inst in list {
        match inst {
            Inst::Scalar(inst) => scalar(inst, f.registers)?,
            Inst::Dispatch { kernel, bindings, constants, values } => {
                index(*kernel, host_program.kernels.len(), "kernel")?;
                let kernel = &host_program.kernels[*kernel as usize];
                let fits = kernel.bindings.len() == bindings.len()
                    && kernel.constants as usize == constants.len()
                    && (values.is_empty() || values.len() == bindings.len());
                require(fits, || format!("a dispatch does not fit kernel `{}`", kernel.export))?;
                for (i, (binding, &written)) in bindings.iter().zip(&kernel.bindings).enumerate() {
                    match binding.base {
                        Base::Weight(w) => weight(host_program, kernel, (i, binding), w)?,
                        _ => {
                            let packed = kernel.variants.iter().any(|v| v.layout(i).is_some());
                            require(!packed, || format!("a packed argument of `{}` is no weight", kernel.export))?;
                            buffer(host_program, f, binding, written)?;
                        }
                    }
                }
                constants.iter().try_for_each(|&c| value(c))?;
            }
            Inst::Copy { source, target } => {
                read(source)?;
                write(target)?;
            }
            Inst::Fill { target, value: v, width } => {
                write(target)?;
                value(*v)?;
                require(matches!(width, 1 | 2 | 4 | 8), || "a fill has a wrong width".into())?;
            }
            Inst::Allocate { slot: s, bytes } => {
                slot(*s)?;
                value(*bytes)?;
            }
            Inst::View { slot: s, source } => {
                slot(*s)?;
                read(source)?;
            }
            Inst::LoadState { slot: s, state, dims, .. } => {
                slot(*s)?;
                index(*state, host_program.states.len(), "state")?;
                let open = host_program.states[*state as usize].spec.shape.iter().filter(|d| d.is_none()).count();
                require(dims.len() == open, || "a state gives another number of sizes".into())?;
                dims.iter().try_for_each(|&d| value(Operand::Register(d)))?;
            }
            Inst::StoreState { state, source, dims } => {
                index(*state, host_program.states.len(), "state")?;
                read(source)?;
                let rank = host_program.states[*state as usize].spec.shape.len();
                require(dims.len() == rank, || "a state gets another rank".into())?;
                dims.iter().try_for_each(|&d| value(d))?;
            }
            Inst::Own { slot: s } | Inst::Release { slot: s } => slot(*s)?,
            Inst::Load { target, source, index, .. } => {
                value(Operand::Register(*target))?;
                read(source)?;
                value(*index)?;
            }
            Inst::Store { value: v, target, index, .. } => {
                value(*v)?;
                write(target)?;
                value(*index)?;
            }
            Inst::If { condition, then, otherwise } => {
                value(*condition)?;
                insts(host_program, f, then)?;
                insts(host_program, f, otherwise)?;
            }
            Inst::For { counter, lower, upper, step, body, .. } => {
                for o in [Operand::Register(*counter), *lower, *upper, *step] {
                    value(o)?;
                }
                insts(host_program, f, body)?;
            }
            Inst::While { before, condition, after } => {
                insts(host_program, f, before)?;
                value(*condition)?;
                insts(host_program, f, after)?;
            }
            Inst::Assert { condition, message, values } => {
                value(*condition)?;
                let template = halyard_diag::Template::parse(message)?;
                require(template.values() <= values.len(), || format!("the message `{message}` lacks a value"))?;
                values.iter().try_for_each(|v| value(v.value))?;
            }
            Inst::Host { function, inputs, results } => {
                index(*function, host_program.host_functions.len(), "host function")?;
                let callee = &host_program.host_functions[*function as usize];
                let fits = callee.inputs.len() == inputs.len() && callee.results.len() == results.len();
                require(fits, || format!("a call does not fit host function `{}`", callee.name))?;
                for (input, ty) in inputs.iter().zip(&callee.inputs) {
                    read(&input.buffer)?;
                    require(input.dims.len() == ty.shape.len(), || format!("`{}` gets another rank", callee.name))?;
                    input.dims.iter().try_for_each(|&d| value(d))?;
                }
                for (result, ty) in results.iter().zip(&callee.results) {
                    match &result.place {
                        HostPlace::Buffer(buffer) => write(buffer)?,
                        HostPlace::Slot(s) => slot(*s)?,
                    }
                    require(sizes_fit(ty, &result.dims), || format!("`{}` gives another shape", callee.name))?;
                    result.dims.iter().try_for_each(|&d| value(d))?;
                }
            }
        }
    }
    Ok(())
}

/// Whether static sizes are those of the type, and dynamic ones are in registers.
fn sizes_fit(ty: &HostType, dims: &[Operand]) -> bool {
    let fits = |(want, dim): (&Option<usize>, &Operand)| match (want, dim) {
        (Some(n), Operand::Immediate(v)) => *n as u64 == *v,
        (None, Operand::Register(_)) => true,
        _ => false,
    };
    ty.shape.len() == dims.len() && ty.shape.iter().zip(dims).all(fits)
}

/// A weight as a binding of a kernel: there must be the form that each variant takes.
fn weight(host_program: &HostProgram, kernel: &Kernel, (i, buffer): (usize, &Buffer), weight: u32) -> Check {
    index(weight, host_program.weights.len(), "weight")?;
    let weight = &host_program.weights[weight as usize];
    let whole = (buffer.offset, buffer.bytes) == (Operand::Immediate(0), Operand::Immediate(0));
    require(whole && !kernel.bindings[i], || format!("weight {i} of `{}` is not bound as a whole", kernel.export))?;
    kernel.variants.iter().try_for_each(|v| {
        require(weight.constant(v.layout(i)).is_some(), || {
            format!("variant `{}` of `{}` lacks its form of weight {i}", v.name, kernel.export)
        })
    })
}

fn buffer(host_program: &HostProgram, f: &Function, buffer: &Buffer, written: bool) -> Check {
    let (i, count, what) = match buffer.base {
        Base::Transient(i) => (i, f.transients.len(), "transient"),
        Base::Slot(i) => (i, f.slots as usize, "slot"),
        Base::Input(i) => (i, f.info.inputs.len(), "input"),
        Base::Output(i) => (i, f.outputs.len(), "output"),
        Base::Constant(i) => (i, host_program.constants.len(), "constant"),
        Base::Weight(_) => return Err("a weight is used by something other than a kernel".into()),
    };
    index(i, count, what)?;
    if let Base::Output(i) = buffer.base {
        require(f.outputs[i as usize] == OutputSource::Written, || format!("output {i} has no buffer"))?;
    }
    require(!(written && matches!(buffer.base, Base::Input(_) | Base::Constant(_))), || {
        format!("{what} {i} is written")
    })?;
    operand(buffer.offset, f.registers)?;
    operand(buffer.bytes, f.registers)
}

fn scalar(inst: &ScalarInst, registers: u32) -> Check {
    operand(Operand::Register(inst.target()), registers)?;
    inst.operands().try_for_each(|o| operand(o, registers))
}

fn operand(operand: Operand, registers: u32) -> Check {
    match operand {
        Operand::Register(r) => index::<Register>(r, registers as usize, "register"),
        Operand::Immediate(_) => Ok(()),
    }
}

fn index<T: Into<u64>>(i: T, count: usize, what: &str) -> Check {
    let i = i.into();
    require(i < count as u64, || format!("there is no {what} {i}"))
}

fn require(holds: bool, why: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(why()) }
}
