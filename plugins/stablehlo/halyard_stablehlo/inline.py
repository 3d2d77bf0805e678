"""Calls of private functions become their bodies: what `jax.jit` inside of a program makes. jaxlib has no inliner."""

from .build import Unsupported, before, ir, paste, replace, text, walk

DEPTH = 200


def inline_calls(module):
    """Inlines all, and drops the functions that only they used."""
    functions = {
        text(f.attributes["sym_name"]): f.operation for f in module.body.operations if f.operation.name == "func.func"
    }

    def body_of(call):
        return functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value]

    for _ in range(DEPTH):
        calls = [c for c in walk(module, "func.call") if len(body_of(c).regions[0].blocks)]
        if not calls:
            break
        for call in calls:
            with before(call):
                values = paste(body_of(call).regions[0].blocks[0], list(call.operands))
            replace(call, values)
    else:
        raise Unsupported(calls[0], "functions call each other without end")
    for f in functions.values():
        if (
            "sym_visibility" in f.attributes
            and text(f.attributes["sym_visibility"]) == "private"
            and len(f.regions[0].blocks)
        ):
            f.erase()
