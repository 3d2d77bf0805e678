"""The MLIR bindings of jaxlib: whether they are there, and those that this plugin knows."""

import os
import sys

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Versions that the tests were run with, the first and the first beyond the last.
LEAST, BEYOND = (0, 7), (0, 11)
# The passes that lowering uses.
PASSES = [
    "func.func(stablehlo-legalize-composite-to-call)",
    "func.func(chlo-legalize-to-stablehlo)",
    "func.func(stablehlo-complex-math-expander)",
    "func.func(stablehlo-canonicalize-dynamism)",
    "stablehlo-legalize-to-linalg",
    "stablehlo-convert-to-signless",
]
# What lowering takes from the module of the dialect.
NAMES = [
    "ScatterDimensionNumbers",
    "GatherDimensionNumbers",
    "ConvDimensionNumbers",
    "DotDimensionNumbers",
    "deserialize_portable_artifact",
]


def install():
    """What to do where something is missing."""
    return f"`{os.path.join(FOLDER, 'install')}` installs it; or name a Python that has it: `--plugin='stablehlo{{python=…}}'`"


def problem():
    """Why this Python cannot do the work; none if it can. A version that is not known is only a warning."""
    try:
        import jaxlib.mlir.ir as ir
        import jaxlib.mlir.passmanager as passmanager
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # noqa: F401  it registers the dialects
        from jaxlib.mlir.dialects import stablehlo
        from jaxlib.version import __version__ as version
    except ImportError as e:
        return f"error: `{sys.executable}` has no jaxlib, or one from before {LEAST[0]}.{LEAST[1]} ({e})\nhint: {install()}"
    numbers = tuple(int(n) for n in version.split(".")[:2])
    known = LEAST <= numbers < BEYOND
    range_ = f"{'.'.join(map(str, LEAST))} to below {'.'.join(map(str, BEYOND))}"
    with ir.Context() as context:
        stablehlo.register_dialect(context)
        stablehlo.register_stablehlo_passes()
        for name in PASSES:
            try:
                passmanager.PassManager.parse(f"builtin.module({name})")
            except Exception:
                return f"error: jaxlib {version} has no pass `{name}`; this plugin is for jaxlib {range_}\nhint: {install()}"
    missing = [n for n in NAMES if not hasattr(stablehlo, n)]
    if missing:
        return f"error: jaxlib {version} has no `{missing[0]}`; this plugin is for jaxlib {range_}\nhint: {install()}"
    if not known:
        print(f"warning: jaxlib {version} was not tested; this plugin was with {range_}", file=sys.stderr)
    return None


def context():
    """A context with all dialects that programs and lowerings use."""
    import jaxlib.mlir.ir as ir
    import jaxlib.mlir.passmanager as passmanager
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, stablehlo

    try:
        from jaxlib.mlir.dialects import sdy  # how programs are shared among devices
    except ImportError:
        sdy = None
    found = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    found.append_dialect_registry(registry)
    found.load_all_available_dialects()
    stablehlo.register_dialect(found)
    chlo.register_dialect(found)
    if sdy:
        sdy.register_dialect(found)
    stablehlo.register_stablehlo_passes()
    # Attributes of other frameworks are dropped, operations are told at the end.
    found.allow_unregistered_dialects = True
    # The pass brings the dialects that it writes, such as linalg, for which there is no registration.
    with found, ir.Location.unknown():
        passmanager.PassManager.parse("builtin.module(stablehlo-legalize-to-linalg)").run(
            ir.Module.parse("module {}").operation
        )
    return found
