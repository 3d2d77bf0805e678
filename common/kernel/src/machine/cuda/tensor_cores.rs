//! `mma.sync`, `ldmatrix` and `cp.async` of PTX, from sm_80 on.
use crate::{
    emit::ir_builder::IrBuilder,
    machine::tensor_cores::{Cores, Factor, TensorCores},
};
use halyard_ir::{Attr, Type, Value};

/// Fragments of 16 x 8.
#[derive(Debug)]
pub(super) struct Fragments;

impl TensorCores for Fragments {
    fn load_matrices(&self, code: &IrBuilder, place: Value, transposed: bool) -> [Value; 4] {
        let context = code.at.context();
        let attrs = [
            ("num", Attr::integer(code.int(32), 4)),
            ("layout", attr(code, if transposed { "#nvvm.mma_layout<col>" } else { "#nvvm.mma_layout<row>" })),
            ("shape", attr(code, "#nvvm.ld_st_matrix_shape<m = 8, n = 8>")),
            ("eltType", attr(code, "#nvvm.ld_st_matrix_elt_type<b16>")),
        ];
        let four = Type::parse(context, "!llvm.struct<(i32, i32, i32, i32)>").expect("a type of LLVM's dialect");
        let all = code.at.value("nvvm.ldmatrix", &[place], four, &attrs);
        parts(code, all, code.int(32))
    }

    fn as_tf32(&self, code: &IrBuilder, word: Value) -> Value {
        let value = code.at.value("llvm.bitcast", &[word], Type::f32(code.at.context()), &[]);
        let nearest = attr(code, "#nvvm.fp_rnd_mode<rna>");
        code.at.value("nvvm.convert.float.to.tf32", &[value], code.int(32), &[("rnd", nearest)])
    }

    fn multiply(&self, code: &IrBuilder, cores: Cores, factors: [&[Value]; 2], sums: &[Value; 4]) -> [Value; 4] {
        let kind = |s: usize| attr(code, &format!("#nvvm.mma_type<{}>", name(cores.formats[s])));
        let mut attrs = vec![
            ("layoutA", attr(code, "#nvvm.mma_layout<row>")),
            ("layoutB", attr(code, "#nvvm.mma_layout<col>")),
            ("multiplicandAPtxType", kind(0)),
            ("multiplicandBPtxType", kind(1)),
            ("operandSegmentSizes", attr(code, "array<i32: 4, 2, 4>")),
            ("shape", attr(code, &format!("#nvvm.shape<m = 16, n = 8, k = {}>", cores.step()))),
        ];
        if cores.bytes() == 1 {
            attrs.push(("intOverflowBehavior", attr(code, "#nvvm.mma_int_overflow<wrapped>")));
        }
        // Pairs of `f16` are vectors, all others words.
        let pair = (cores.formats[0] == Factor::Half).then(|| Type::vector(2, cores.elem));
        let words: Vec<Value> = factors.concat();
        let operands: Vec<Value> = words
            .into_iter()
            .map(|word| pair.map_or(word, |pair| code.at.value("llvm.bitcast", &[word], pair, &[])))
            .chain(sums.iter().copied())
            .collect();
        let sum = sums[0].ty();
        let four = format!("!llvm.struct<({sum}, {sum}, {sum}, {sum})>");
        let four = Type::parse(code.at.context(), &four).expect("a type of LLVM's dialect");
        let all = code.at.value("nvvm.mma.sync", &operands, four, &attrs);
        parts(code, all, sum)
    }

    fn begin_copy(&self, code: &IrBuilder, target: Value, source: Value, bytes: Option<Value>) {
        let modifier = attr(code, "#nvvm<load_cache_modifier cg>");
        let size = Attr::integer(code.int(32), 16);
        let mut operands = vec![target, source];
        operands.extend(bytes);
        code.at.op("nvvm.cp.async.shared.global", &operands, &[], &[("size", size), ("modifier", modifier)]);
    }

    fn close_copies(&self, code: &IrBuilder) {
        code.at.op("nvvm.cp.async.commit.group", &[], &[], &[]);
    }

    fn wait_for_copies(&self, code: &IrBuilder, left: i64) {
        let left = Attr::integer(code.int(32), left);
        code.at.op("nvvm.cp.async.wait.group", &[], &[], &[("n", left)]);
    }
}

fn attr(code: &IrBuilder, text: &str) -> Attr {
    Attr::parse(code.at.context(), text).expect("an attribute of NVVM")
}

/// What `mma.sync` calls a format.
fn name(factor: Factor) -> &'static str {
    match factor {
        Factor::Half => "f16",
        Factor::Brain => "bf16",
        Factor::Tf32 => "tf32",
        Factor::Signed => "s8",
        Factor::Unsigned => "u8",
    }
}

/// The four members of a struct.
fn parts(code: &IrBuilder, all: Value, ty: Type) -> [Value; 4] {
    [0, 1, 2, 3].map(|n| {
        let position = Attr::i64s(code.at.context(), &[n]);
        code.at.value("llvm.extractvalue", &[all], ty, &[("position", position)])
    })
}
