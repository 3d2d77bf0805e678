//! Checks the types of subgroup and workgroup operations.
use super::super::{Checked, Type, memory};
use super::{
    super::require,
    operands::{Look, boolean, float, int},
};
use rspirv::dr::Operand;

/// Instructions on all threads of a subgroup.
pub(super) fn groups(look: &Look<'_>) -> Checked {
    let name = look.instruction.class.opname;
    memory::scope(look.operand(0)?, look.values)?;
    let result = look.result()?;
    // The scope, perhaps what to do, the value.
    let how = usize::from(matches!(look.instruction.operands.get(1), Some(Operand::GroupOperation(_))));
    let reduces = [
        "IAdd",
        "FAdd",
        "IMul",
        "FMul",
        "SMin",
        "UMin",
        "FMin",
        "SMax",
        "UMax",
        "FMax",
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor",
        "LogicalAnd",
        "LogicalOr",
        "LogicalXor",
    ];
    let what = name.trim_start_matches("GroupNonUniform");
    let truth = (Type::Bool, 1);
    let ballot = (Type::Int(32), 4);
    match what {
        "Elect" => require(look.result_lanes()? == truth, "its result is no truth value"),
        "All" | "Any" => require(look.result_lanes()? == truth && look.lanes(1)? == truth, "it is about truth values"),
        "AllEqual" => require(look.result_lanes()? == truth && look.lanes(1).is_ok(), "its result is no truth value"),
        "Ballot" => require(look.result_lanes()? == ballot && look.lanes(1)? == truth, "it has other operands"),
        "InverseBallot" => require(look.result_lanes()? == truth && look.lanes(1)? == ballot, "it has other operands"),
        "BallotBitCount" | "BallotFindLSB" | "BallotFindMSB" => {
            require(int(&look.result_lanes()?.0) && look.lanes(1 + how)? == ballot, "it has other operands")
        }
        "Broadcast" | "Shuffle" | "ShuffleXor" | "ShuffleUp" | "ShuffleDown" | "QuadBroadcast" | "QuadSwap" => {
            look.values.lanes(result)?;
            require(look.type_of(1)? == result && look.lanes(2)? == (Type::Int(32), 1), "it has other operands")
        }
        "BroadcastFirst" => {
            require(look.type_of(1)? == result && look.values.lanes(result).is_ok(), "it has other operands")
        }
        _ if reduces.contains(&what) => {
            let kind: fn(&Type) -> bool = match what.as_bytes() {
                [b'F', ..] => float,
                [b'L', ..] => boolean,
                _ => int,
            };
            require(how == 1 && look.type_of(2)? == result && kind(&look.result_lanes()?.0), "it has other operands")
        }
        _ => Err("kernels have no use for it".into()),
    }
}
