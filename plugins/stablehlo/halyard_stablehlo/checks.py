"""What a program asserts of its sizes, as checks at run time."""

from .build import before, ir, make, scalar, text, walk


def assertions(module):
    """`@shape_assertion`: its message has `{0}` for the values beside the condition, as Halyard's checks do."""
    for k, op in enumerate(walk(module, "stablehlo.custom_call")):
        if text(op.attributes["call_target_name"]) != "shape_assertion":
            continue
        message = (
            text(op.attributes["error_message"])
            if "error_message" in op.attributes
            else "an assertion on shapes failed"
        )
        name = f"shape_assertion_{k}"
        with before(op):
            values = [scalar(v) for v in op.operands]
            make("func.call", [], values, {"callee": ir.FlatSymbolRefAttr.get(name)})
        with ir.InsertionPoint(module.body), op.location:
            attrs = {
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get("private"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get([v.type for v in values], [])),
                "hal.check": ir.StringAttr.get(message),
            }
            make("func.func", [], [], attrs, regions=1)
        op.erase()
