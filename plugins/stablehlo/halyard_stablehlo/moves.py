"""Operations that move elements or choose among them: no result has an element that no operand has."""

MOVES = {
    "broadcast_in_dim",
    "dynamic_broadcast_in_dim",
    "reshape",
    "dynamic_reshape",
    "transpose",
    "slice",
    "dynamic_slice",
    "real_dynamic_slice",
    "dynamic_update_slice",
    "concatenate",
    "pad",
    "dynamic_pad",
    "reverse",
    "gather",
    "dynamic_gather",
    "select",
    "optimization_barrier",
}
