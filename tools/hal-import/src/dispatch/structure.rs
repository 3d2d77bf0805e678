//! What an operation on tensors does, as far as forming executables needs to know: its kind, its loops, and how its
//! operands and results are indexed by the loops.
use halyard_ir::{AffineKind, Op, Structured, Value, is_contraction, is_convolution};

/// What kind of work an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A constant everywhere.
    Fill,
    /// One result element per loop iteration, all loops parallel.
    Elementwise,
    /// Reads its only input at fewer dimensions and repeats it.
    Broadcast,
    /// Extends each element of its only input to a wider type, dequantises bytes, or unpacks quantised numbers.
    Widen,
    /// Sums, maxima, …: some loops are reductions.
    Reduction,
    /// `linalg.softmax`.
    Softmax,
    /// Sums of products: matmul and its kin.
    Contraction,
    /// A convolution.
    Conv,
    /// A pooling.
    Pool,
    /// `tensor.pad`.
    Pad,
    /// `tensor.extract_slice` that is no view of contiguous memory.
    Slice,
    /// Everything else that moves or makes elements: concat, insert, gather, scatter, generate, pack, …
    Movement,
    /// A loop over single elements.
    Loop,
}

impl Kind {
    /// Kinds whose loop nests decide how an executable is made; there is one of them in an executable at most.
    pub(super) fn is_heavy(self) -> bool {
        matches!(self, Self::Contraction | Self::Conv | Self::Pool)
    }

    /// Kinds that reduce along rows.
    pub(super) fn is_row(self) -> bool {
        matches!(self, Self::Reduction | Self::Softmax)
    }

    /// Kinds that cost next to nothing to compute again where they are used.
    pub(super) fn is_cheap(self) -> bool {
        matches!(self, Self::Fill | Self::Broadcast | Self::Widen | Self::Slice | Self::Pad)
    }
}

/// For each dimension of a value, the loop that runs along it; `None` where the index is not simply a loop.
pub(super) type Access = Vec<Option<usize>>;

/// The structure of one operation.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    /// The kind of operation.
    pub(super) kind: Kind,
    /// For each loop, whether it is parallel.
    pub(super) parallel: Vec<bool>,
    /// One per operand; `None` if the loops do not say how it is read.
    pub(super) operands: Vec<Option<Access>>,
    /// One per result.
    pub(super) results: Vec<Access>,
    /// The number of operands before the inits; all operands if there are no inits.
    pub(super) inputs: usize,
}

impl Structure {
    /// The structure of an operation that has to be in an executable; `None` if the host can do it.
    pub(super) fn of(op: Op) -> Option<Self> {
        let name = op.name();
        match &*name {
            "tensor.pad" => return Some(pad(op)),
            "tensor.extract_slice" => return (!super::alias::is_alias(op)).then(|| opaque(op, Kind::Slice)),
            "linalg.softmax" => return Some(softmax(op)),
            "tensor.concat" => return (!super::concats::is_made_in_place(op)).then(|| opaque(op, Kind::Movement)),
            "tensor.insert_slice"
            | "tensor.generate"
            | "tensor.gather"
            | "tensor.scatter"
            | "tensor.pack"
            | "tensor.unpack" => return Some(opaque(op, Kind::Movement)),
            "scf.for" => return is_element_loop(op).then(|| opaque(op, Kind::Loop)),
            // Someone has distributed this work already: it is one kernel.
            "scf.forall" => return (op.result_count() > 0).then(|| opaque(op, Kind::Loop)),
            _ if !name.starts_with("linalg.") => return None,
            _ => {}
        }
        let Some(structured) = Structured::of(op) else {
            return Some(opaque(op, Kind::Movement));
        };
        Some(linalg(op, &name, &structured))
    }

    /// Whether an operand is an init (what the results start from).
    pub(super) fn is_init(&self, operand: usize) -> bool {
        operand >= self.inputs
    }
}

fn access(map: halyard_ir::Affine) -> Access {
    map.results().into_iter().map(|e| if let AffineKind::Dim(d) = e { Some(d) } else { None }).collect()
}

fn linalg(op: Op, name: &str, structured: &Structured) -> Structure {
    let parallel = structured.parallel();
    let mut operands: Vec<Option<Access>> = structured.maps.iter().map(|m| Some(access(*m))).collect();
    operands.resize(op.operand_count(), None);
    let results: Vec<Access> = structured.maps[structured.inputs..].iter().map(|m| access(*m)).collect();
    let all_parallel = parallel.iter().all(|p| *p);
    let kind = if name == "linalg.fill" {
        Kind::Fill
    } else if name.starts_with("linalg.pooling_") {
        Kind::Pool
    } else if all_parallel {
        elementwise_kind(op, structured, &results)
    } else if is_contraction(op) {
        Kind::Contraction
    } else if is_window(op, name, structured) {
        if reads_filter(op, structured.inputs) || name.contains("conv_") { Kind::Conv } else { Kind::Pool }
    } else {
        Kind::Reduction
    };
    Structure { kind, parallel, operands, results, inputs: structured.inputs }
}

/// A map that is not a projected permutation slides a window.
fn is_window(op: Op, name: &str, structured: &Structured) -> bool {
    name.contains("conv_")
        || is_convolution(op)
        || structured.maps.iter().any(|m| m.results().iter().any(|e| matches!(e, AffineKind::Add(..))))
}

/// A convolution multiplies its input by a filter; a pooling reads only its input, its second one shows the window.
fn reads_filter(op: Op, inputs: usize) -> bool {
    op.body().is_some_and(|b| b.args().iter().take(inputs).filter(|a| a.has_uses()).count() > 1)
}

fn elementwise_kind(op: Op, structured: &Structured, results: &[Access]) -> Kind {
    // A result that is not written at a permutation of the loops cannot be fused with anything.
    let full = |a: &Access| a.len() == structured.loops() && a.iter().all(Option::is_some);
    if !results.iter().all(full) {
        return Kind::Movement;
    }
    let Some(body) = op.body() else { return Kind::Elementwise };
    let ops = body.ops();
    let reads_init = body.args().iter().skip(structured.inputs).any(|a| a.has_uses());
    if results.len() != 1 || reads_init {
        return Kind::Elementwise;
    }
    // Dimensions of one element need not be read along.
    let shape = op.result(0).ty().shape();
    let is_single = |l: usize| results[0].iter().position(|at| *at == Some(l)).is_some_and(|d| shape[d] == Some(1));
    let mut long: Vec<usize> = (0..structured.loops()).filter(|l| !is_single(*l)).collect();
    if long.is_empty() {
        long = (0..structured.loops()).collect();
    }
    let moved: Vec<usize> = (0..structured.inputs)
        .filter(|at| {
            let read = structured.maps[*at].results();
            long.iter().all(|l| read.iter().any(|e| matches!(e, AffineKind::Dim(d) if d == l)))
        })
        .collect();
    if centres(&ops, &moved) || unpacks(&ops, structured, body) || dequantises(&ops, &moved, body) {
        return Kind::Widen;
    }
    if structured.inputs != 1 {
        return Kind::Elementwise;
    }
    let input = structured.maps[0].results();
    let yields_input = |v: Value| v == body.args()[0];
    match ops.as_slice() {
        [end] if yields_input(end.operand(0)) && input.len() < structured.loops() => Kind::Broadcast,
        [cast, end]
            if moved == [0]
                && input.iter().all(|e| matches!(e, AffineKind::Dim(_)))
                && is_widening(*cast)
                && yields_input(cast.operand(0))
                && end.operand(0) == cast.result(0) =>
        {
            Kind::Widen
        }
        _ => Kind::Elementwise,
    }
}

/// Whether quantised numbers are made wider, less a zero point that fewer loops move; `moved` are the inputs that all loops move.
fn centres(ops: &[Op], moved: &[usize]) -> bool {
    let [casts @ .., minus, end] = ops else { return false };
    casts.iter().any(is_extension)
        && minus.is("arith.subi")
        && end.operand(0) == minus.result(0)
        && casts.iter().all(|c| is_extension(c) || c.is("arith.constant"))
        && moved.len() == 1
}

/// Whether each float is made of a byte, `(byte - zero) * scale`, with a zero point and a scale that fewer loops move: what is stored is a
/// quarter of what comes out.
fn dequantises(ops: &[Op], moved: &[usize], body: halyard_ir::Block) -> bool {
    const STEPS: [&str; 7] =
        ["arith.constant", "arith.extsi", "arith.extui", "arith.subi", "arith.sitofp", "arith.uitofp", "arith.mulf"];
    let Some((end, steps)) = ops.split_last() else { return false };
    let &[bytes] = moved else { return false };
    let ty = body.args()[bytes].ty();
    ty.is_integer()
        && ty.bits() == 8
        && end.operand(0).ty().is_float()
        && steps.iter().any(|op| op.is("arith.sitofp") || op.is("arith.uitofp"))
        && steps.iter().all(|op| STEPS.iter().any(|name| op.is(name)))
}

/// Whether floats are made of bytes that hold several numbers, or of numbers with a scale for each block: what is stored is a fraction
/// of what comes out.
fn unpacks(ops: &[Op], structured: &Structured, body: halyard_ir::Block) -> bool {
    let bytes = |at: usize| {
        let ty = body.args()[at].ty();
        ty.is_integer() && ty.bits() == 8
    };
    let cut = |e: &AffineKind| matches!(e, AffineKind::FloorDiv(..));
    let yields_float = ops.last().is_some_and(|end| end.operand(0).ty().is_float());
    yields_float
        && (0..structured.inputs).any(bytes)
        && (0..structured.inputs).any(|at| structured.maps[at].results().iter().any(cut))
        && ops[..ops.len() - 1].iter().all(|op| op.is("linalg.index") || op.is_of("arith"))
}

fn is_extension(op: &Op) -> bool {
    matches!(&*op.name(), "arith.extsi" | "arith.extui")
}

fn is_widening(op: Op) -> bool {
    matches!(&*op.name(), "arith.extf" | "arith.extsi" | "arith.extui")
}

fn pad(op: Op) -> Structure {
    let rank = op.result(0).ty().rank();
    let zero =
        |name: &str, d: usize| op.attr(name).and_then(halyard_ir::Attr::as_i64s).is_some_and(|v| v.get(d) == Some(&0));
    let source = (0..rank).map(|d| (zero("static_low", d) && zero("static_high", d)).then_some(d)).collect();
    let mut operands = vec![None; op.operand_count()];
    operands[0] = Some(source);
    let inputs = operands.len();
    Structure {
        kind: Kind::Pad,
        parallel: vec![true; rank],
        operands,
        results: vec![(0..rank).map(Some).collect()],
        inputs,
    }
}

fn softmax(op: Op) -> Structure {
    let rank = op.result(0).ty().rank();
    let dimension = op.attr("dimension").and_then(halyard_ir::Attr::as_int).unwrap_or(0);
    let all: Access = (0..rank).map(Some).collect();
    let parallel = (0..rank).map(|d| d as i64 != dimension).collect();
    Structure {
        kind: Kind::Softmax,
        parallel,
        operands: vec![Some(all.clone()); op.operand_count()],
        results: vec![all],
        inputs: 1,
    }
}

/// Nothing is known about how it reads and writes.
fn opaque(op: Op, kind: Kind) -> Structure {
    let results = op
        .results()
        .iter()
        .map(|r| if r.ty().is_ranked_tensor() { vec![None; r.ty().rank()] } else { Vec::new() })
        .collect();
    // A slice is written in order: its results are loops of its own.
    let (parallel, results) = if kind == Kind::Slice {
        let rank = op.result(0).ty().rank();
        (vec![true; rank], vec![(0..rank).map(Some).collect()])
    } else {
        (Vec::new(), results)
    };
    Structure { kind, parallel, operands: vec![None; op.operand_count()], results, inputs: op.operand_count() }
}

/// A loop over elements of tensors, such as the one that `tosa.scatter` becomes: it reads and writes tensors piece by
/// piece, and holds nothing that would be worth an executable of its own.
fn is_element_loop(op: Op) -> bool {
    let mut touches = false;
    let mut simple = true;
    op.walk(&mut |inner| {
        let name = inner.name();
        match &*name {
            "tensor.insert" | "tensor.insert_slice" => touches = true,
            "tensor.extract"
            | "tensor.extract_slice"
            | "tensor.dim"
            | "tensor.empty"
            | "scf.for"
            | "scf.if"
            | "scf.yield" => {}
            _ if name.starts_with("arith.") || name.starts_with("math.") => {
                simple &= inner.results().iter().all(|r| !r.ty().is_tensor())
            }
            _ => simple = false,
        }
    });
    touches && simple && op.result_count() > 0 && op.results().iter().all(|r| r.ty().is_ranked_tensor())
}
