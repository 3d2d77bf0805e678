//! Transform scripts and PDL patterns, over the C API.
use crate::{
    Attr, MARK, Op, Session,
    handles::{owned, string_ref},
};
use halyard_diag::{Error, Result};
use mlir_sys::*;

/// A remark of ours while a schedule or patterns ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The number of the operation that it is about, see [`Tags`].
    pub op: Option<usize>,
    /// The text of the remark.
    pub text: String,
}

/// Numbers in the locations of operations, so that a diagnostic about an operation can be traced back to it, however
/// the IR has changed since.
#[derive(Debug)]
pub struct Tags {
    root: Op,
}

/// The prefix of the names of numbered locations.
const TAG: &str = "hal.op.";

impl Tags {
    /// Numbers `root` and everything inside in the order of [`Op::walk`].
    pub fn set(root: Op) -> Self {
        let mut number = 0;
        root.walk(&mut |op| {
            let name = format!("{TAG}{number}");
            number += 1;
            // SAFETY: operation, location and context are live; the name is passed with its length.
            unsafe { mlirOperationSetLocation(op.0, mlirLocationNameGet(op.context(), string_ref(&name), op.loc())) };
        });
        Self { root }
    }
}

impl Drop for Tags {
    fn drop(&mut self) {
        self.root.walk(&mut |op| {
            // SAFETY: operation and location are live.
            unsafe { mlirOperationSetLocation(op.0, untagged(op.loc())) };
        });
    }
}

/// The number that a location was given.
fn number_of(loc: MlirLocation) -> Option<usize> {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if mlirLocationIsAName(loc) {
            let name = owned(mlirIdentifierStr(mlirLocationNameGetName(loc)));
            return name
                .strip_prefix(TAG)
                .and_then(|n| n.parse().ok())
                .or_else(|| number_of(mlirLocationNameGetChildLoc(loc)));
        }
        if mlirLocationIsAFused(loc) {
            return fused(loc).into_iter().find_map(number_of);
        }
    }
    None
}

fn fused(loc: MlirLocation) -> Vec<MlirLocation> {
    // SAFETY: called for fused locations only; the buffer holds as many as there are.
    unsafe {
        let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
        mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
        parts
    }
}

/// Returns the location without numbers.
fn untagged(loc: MlirLocation) -> MlirLocation {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if mlirLocationIsAName(loc) && owned(mlirIdentifierStr(mlirLocationNameGetName(loc))).starts_with(TAG) {
            return untagged(mlirLocationNameGetChildLoc(loc));
        }
        if mlirLocationIsAFused(loc) && number_of(loc).is_some() {
            let parts: Vec<_> = fused(loc).into_iter().map(untagged).collect();
            let context = mlirLocationGetContext(loc);
            return mlirLocationFusedGet(
                context,
                parts.len() as isize,
                parts.as_ptr(),
                mlirLocationFusedGetMetadata(loc),
            );
        }
    }
    loc
}

impl Session {
    /// Applies a named sequence of a schedule to an operation; gives what the marks in it said. Errors: what MLIR said.
    pub fn apply_sequence(&self, payload: Op, sequence: Op, schedule: Op) -> (Result<()>, Vec<Mark>) {
        // A schedule may name passes.
        crate::pass_manager::register_passes();
        let (applied, marks) = self.marked(|| {
            // SAFETY: all operations are live and of this context; the options are destroyed once.
            unsafe {
                let options = mlirTransformOptionsCreate();
                let applied = mlirTransformApplyNamedSequence(payload.0, sequence.0, schedule.0, options);
                mlirTransformOptionsDestroy(options);
                applied.value != 0
            }
        });
        (if applied { Ok(()) } else { Err(self.error("the schedule failed")) }, read(marks))
    }

    /// Applies PDL patterns (a module of `pdl.pattern`) to a module, greedily and without folding what does not match;
    /// gives the marks (`pdl.apply_native_rewrite "hal.mark"(OPERATION, ATTRIBUTE)`). Errors: what MLIR said, patterns
    /// that do not come to an end.
    pub fn apply_patterns(&self, payload: Op, patterns: Op) -> (Result<()>, Vec<Mark>) {
        unsafe extern "C" fn mark(
            _rewriter: MlirPatternRewriter,
            _results: MlirPDLResultList,
            count: usize,
            values: *mut MlirPDLValue,
            user: *mut std::ffi::c_void,
        ) -> MlirLogicalResult {
            // SAFETY: MLIR passes as many values as it says; `user` is the vector below, which outlives the rewrite.
            unsafe {
                if let [op, text] = std::slice::from_raw_parts(values, count)
                    && let Some(text) = Attr(mlirPDLValueAsAttribute(*text)).as_string()
                {
                    let loc = mlirOperationGetLocation(mlirPDLValueAsOperation(*op));
                    (*user.cast::<Vec<(MlirLocation, String)>>()).push((loc, text));
                }
            }
            MlirLogicalResult { value: 1 }
        }
        let mut marks: Vec<(MlirLocation, String)> = Vec::new();
        // A pattern that matches what it makes would go on until the memory is used up.
        let mut limit = 1024;
        payload.walk(&mut |_| limit += 16);
        // SAFETY: modules and context are live. The pattern module takes the module over, hence a clone; the pattern set
        // takes the pattern module's contents; each is destroyed once.
        let applied = unsafe {
            let clone = mlirModuleFromOperation(mlirOperationClone(patterns.0));
            let module = mlirPDLPatternModuleFromModule(clone);
            mlirPDLPatternModuleRegisterRewriteFunction(
                module,
                string_ref(MARK.trim()),
                Some(mark),
                (&raw mut marks).cast(),
            );
            crate::natives::register(module);
            let set = mlirRewritePatternSetFromPDLPatternModule(module);
            let frozen = mlirFreezeRewritePattern(set);
            let config = mlirGreedyRewriteDriverConfigCreate();
            mlirGreedyRewriteDriverConfigSetMaxNumRewrites(config, limit);
            mlirGreedyRewriteDriverConfigEnableFolding(config, false);
            mlirGreedyRewriteDriverConfigEnableConstantCSE(config, false);
            mlirGreedyRewriteDriverConfigSetRegionSimplificationLevel(
                config,
                MlirGreedySimplifyRegionLevel_MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_DISABLED,
            );
            let applied = mlirApplyPatternsAndFoldGreedily(mlirModuleFromOperation(payload.0), frozen, config);
            mlirGreedyRewriteDriverConfigDestroy(config);
            mlirFrozenRewritePatternSetDestroy(frozen);
            mlirRewritePatternSetDestroy(set);
            mlirPDLPatternModuleDestroy(module);
            applied.value != 0
        };
        let result = if applied {
            Ok(())
        } else {
            let said = self.error("the patterns do not terminate: each run makes something that matches again");
            Err(Error { kind: halyard_diag::ErrorKind::Input, ..said })
        };
        (result, read(marks))
    }
}

fn read(marks: Vec<(MlirLocation, String)>) -> Vec<Mark> {
    marks.into_iter().map(|(loc, text)| Mark { op: number_of(loc), text }).collect()
}
