//! Chooses the LLVM passes to run.

/// The shape of a module's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Scalar loops, left to LLVM to vectorise.
    Loops,
    /// Loops that MLIR has already tiled, vectorised and ordered; LLVM only needs to clean up.
    Vectors,
}

/// The passes for an optimisation level (0–3). Tiled vector code takes a short list at level 3: the full pipeline spends
/// twice the time on it and gives the same speed (measured on matmul, convolution, depthwise convolution, transposition
/// and elementwise kernels). Inlining and dead globals come first: exports call private functions.
pub(crate) fn pipeline(shape: Shape, level: u8) -> String {
    match (shape, level) {
        (Shape::Vectors, 2..) => "always-inline,cgscc(inline),globaldce,\
            function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,\
            loop-mssa(loop-rotate,licm),loop(indvars,loop-idiom,loop-unroll-full),sroa,gvn,instcombine<no-verify-fixpoint>,simplifycfg,\
            loop-mssa(licm),instcombine<no-verify-fixpoint>,dse,adce,simplifycfg),globaldce"
            .replace(' ', ""),
        (_, level) => format!("default<O{level}>"),
    }
}
