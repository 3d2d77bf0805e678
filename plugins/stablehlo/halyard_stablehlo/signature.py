"""What lowering loses of functions: names and signs of arguments and results. They become Halyard's attributes."""

import re

from .build import ir, is_unsigned, text

NAME = re.compile(r'"([^"]+)"')
# Attributes of parts of the framework that mean nothing for one device.
FOREIGN = ("jax.", "mhlo.", "sdy.", "tf.", "torch.")


def functions(module):
    return [f.operation for f in module.body.operations if f.operation.name == "func.func"]


def names(module):
    """The names that the framework gave: {function: ([of arguments], [of results])}, before anything is changed."""
    found = {}
    for f in functions(module):
        t = ir.FunctionType(ir.TypeAttr(f.attributes["function_type"]).value)
        arguments = list(f.regions[0].blocks[0].arguments) if len(f.regions[0].blocks) else []
        given = [argument_name(a) for a in arguments]
        attrs = ir.ArrayAttr(f.attributes["res_attrs"]) if "res_attrs" in f.attributes else [{}] * len(t.results)
        found[text(f.attributes["sym_name"])] = (unique(given), unique([result_name(a) for a in attrs]))
    return found


def argument_name(argument):
    """The name that stands in the location, which is how JAX writes it."""
    found = NAME.match(str(argument.location).removeprefix("loc("))
    return found[1] if found and "/" not in found[1] and found[1] not in ("-", "<stdin>") else None


def result_name(attrs):
    if "jax.result_info" not in attrs:
        return None
    name = text(attrs["jax.result_info"])
    return name.removeprefix("result") if name not in ("", "result") else None


def unique(given):
    """Names that stand for one value each."""
    return [n if n and given.count(n) == 1 else None for n in given]


def annotate(module, told):
    """Writes names and signs; drops attributes of others. The types still have their signs."""
    for f in functions(module):
        t = ir.FunctionType(ir.TypeAttr(f.attributes["function_type"]).value)
        given = told.get(text(f.attributes["sym_name"]), ([], []))
        for key, types, known in (("arg_attrs", t.inputs, given[0]), ("res_attrs", t.results, given[1])):
            if key in f.attributes:
                del f.attributes[key]
            dicts = []
            for k, ty in enumerate(types):
                d = {}
                if k < len(known) and known[k]:
                    d["hal.name"] = ir.StringAttr.get(known[k])
                if isinstance(ty, ir.RankedTensorType) and is_unsigned(ty.element_type):
                    d["hal.unsigned"] = ir.UnitAttr.get()
                dicts.append(ir.DictAttr.get(d))
            if any(len(d) for d in dicts):
                f.attributes[key] = ir.ArrayAttr.get(dicts)


def drop_foreign(module):
    """Attributes of a framework on the module and its functions."""
    for op in [module.operation, *functions(module)]:
        for name in [a if isinstance(a, str) else a.name for a in op.attributes]:
            if name.startswith(FOREIGN):
                del op.attributes[name]
