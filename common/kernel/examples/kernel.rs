//! Runs the kernel emitter alone: reads a function on tensors, writes the kernel as the LLVM dialect (or, with `--raw`, as it
//! was emitted). `cargo run -p halyard-kernel --example kernel -- EXPORT [--bits=512 | --vulkan | --cuda] [--raw] < function.mlir`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]
use halyard_ir::{Op, Session};
use halyard_kernel::{EmitOutcome, MachineModel, Wanted, emit};
use std::io::Read;

const LOWER: &str = "builtin.module(canonicalize,cse,loop-invariant-code-motion,convert-vector-to-scf,convert-vector-to-llvm,\
    convert-scf-to-cf,lower-affine,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,\
    convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts,canonicalize,cse)";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let bits: u32 = args.iter().find_map(|a| a.strip_prefix("--bits=")).unwrap_or("512").parse()?;
    let target = if has("--vulkan") {
        MachineModel::vulkan()
    } else if has("--cuda") {
        MachineModel::cuda(80)
    } else {
        MachineModel {
            vector_bits: bits,
            registers: if bits == 512 { 32 } else { 16 },
            l1: 48 << 10,
            l2: 1 << 20,
            fma: true,
            ..MachineModel::default()
        }
    };
    let session = Session::new();
    session.load_dialects(&["gpu", "nvvm", "spirv"]);
    let module = session.parse(&text, "<stdin>")?;
    let op = Op::from(&module);
    match emit(&session, op, &args[0], &target, Wanted::default())? {
        EmitOutcome::Emitted(kernel) => {
            eprintln!("{}", kernel.family.unwrap_or_default());
            eprintln!("workgroups of {:?} threads", kernel.workgroup_size);
            eprintln!("{}", kernel.schedule);
        }
        EmitOutcome::Unsupported(reason) => return Err(format!("unsupported: {reason}").into()),
        EmitOutcome::Refused(reasons) => return Err(format!("refused: {}", reasons.join("; ")).into()),
    }
    if !has("--raw") {
        session.run_pipeline(&module, LOWER)?;
    }
    use std::io::Write;
    std::io::stdout().write_all(op.to_string().as_bytes())?;
    Ok(())
}
