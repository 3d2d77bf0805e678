"""Runs generators and whole stages of hal-opt: one JSON object a line in, one out, until there are no more."""

import sys

# The working directory comes last: a program named `ast.so` there hides no module of Python.
sys.path.sort(key=lambda path: not path)

import json  # noqa: E402
import os  # noqa: E402

loaded = {}  # by real path


def load(path, source):
    """The module of a file, executed once. `source` is its text where it is not on disk."""
    real = os.path.realpath(path)
    if real in loaded:
        return loaded[real]
    if source is None:
        with open(path, "rb") as file:
            source = file.read()
    else:
        import linecache

        linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    code = compile(source, path, "exec")
    folder, base = os.path.split(real)
    stem = os.path.splitext(base)[0]
    packages = []
    while os.path.exists(os.path.join(folder, "__init__.py")) and os.path.basename(folder).isidentifier():
        folder, package = os.path.split(folder)
        packages.insert(0, package)
    if os.path.isdir(folder) and folder not in sys.path:
        sys.path.insert(0, folder)
    package = ".".join(packages)
    if packages:
        __import__(package)
    else:
        # Relative imports work beside the file without an `__init__.py`, too.
        package = f"halyard_stage_{len(loaded)}"
        sys.modules[package] = parent = type(sys)(package)
        parent.__path__ = [folder]
    name = f"{package}.{stem}"
    if not packages and stem.isidentifier() and stem not in sys.modules:
        name = stem
    module = type(sys)(name)
    module.__file__, module.__package__ = path, package
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    if packages:
        setattr(sys.modules[package], stem, module)
    loaded[real] = module
    return module


def functions(module):
    import inspect

    own = [f for f in vars(module).values() if inspect.isfunction(f) and f.__module__ == module.__name__]
    return [f for f in own if not f.__name__.startswith("_")]


def files(path, source):
    """The file of a stage and the modules beside it that were imported: name below their folder, path, bytes in hex."""
    real = os.path.realpath(path)
    root = os.path.dirname(real)
    while os.path.exists(os.path.join(root, "__init__.py")) and os.path.basename(root).isidentifier():
        root = os.path.dirname(root)
    if source is not None:
        return [[os.path.basename(path), path, source.encode().hex()]]
    found = {}
    for module in list(sys.modules.values()):
        other = getattr(module, "__file__", None)
        other = os.path.realpath(other) if isinstance(other, str) else ""
        name = os.path.relpath(other, root) if other.startswith(root + os.sep) else ""
        if name.endswith(".py") and "site-packages" not in name and other != real and os.path.exists(other):
            found[name] = other
    with open(real, "rb") as file:
        own = [os.path.relpath(real, root), path, file.read().hex()]
    rest = []
    for name in sorted(found):
        with open(found[name], "rb") as file:
            rest.append([name, name, file.read().hex()])
    return [own, *rest]


def described(function, whole=False):
    import inspect

    parameters = list(inspect.signature(function).parameters.values())[1 if whole else 0 :]
    return {
        "name": name_of(function),
        "signature": name_of(function) + str(inspect.signature(function)),
        "doc": inspect.getdoc(function) or "",
        "options": [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)],
    }


def choose(module, ask):
    """The function that is asked for; or a reply that says why there is none."""
    name, whole = ask.get("function"), ask.get("whole", False)
    if name is None:
        has = {n: callable(vars(module).get(n)) for n in ("create_schedule", "run")}
        if has["create_schedule"] and has["run"]:
            return None, {"fault": "ambiguous"}
        name, whole = ("run", True) if has["run"] else ("create_schedule", False)
    function = vars(module).get(name)
    if not callable(function):
        return None, {"fault": "function", "name": name, "known": [described(f) for f in functions(module)]}
    return (function, whole), None


def name_of(function):
    return getattr(function, "__name__", type(function).__name__)


def misfit(function, whole, options):
    """What is wrong with the options, if anything is."""
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    parameters = list(signature.parameters.values())
    if whole:
        if not parameters:
            return {"fault": "whole", "signature": name_of(function) + str(signature)}
        parameters = parameters[1:]
    by_name = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    names = [p.name for p in by_name]
    anything = any(p.kind == p.VAR_KEYWORD for p in parameters)
    unknown = [] if anything else [o for o in options if o not in names]
    missing = [p.name for p in by_name if p.default is p.empty and p.name not in options]
    if not unknown and not missing:
        return None
    return {"fault": "options", "unknown": unknown, "missing": missing, **described(function, whole)}


def answer(ask):
    module = load(ask["path"], ask.get("source"))
    if ask["do"] == "describe":
        return {"doc": (module.__doc__ or "").strip(), "functions": [described(f) for f in functions(module)]}
    if ask["do"] == "files":
        return {"files": files(ask["path"], ask.get("source"))}
    chosen, fault = choose(module, ask)
    if fault:
        return fault
    function, whole = chosen
    fault = misfit(function, whole, ask["options"])
    if fault:
        return fault
    if whole and ask["do"] == "check":
        return {"whole": True, "name": name_of(function)}
    result = function(*([ask["text"]] if whole else []), **ask["options"])
    if result is None:
        return {"fault": "result", "name": name_of(function), "what": "nothing (None)"}
    if isinstance(result, (bytes, bytearray)):
        return {"whole": whole, "name": name_of(function), "bytes": result.hex()}
    return {"whole": whole, "name": name_of(function), "text": str(result)}


def failure(error, path):
    import traceback

    trace = error.__traceback__
    while trace and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    line, step = None, trace
    while step:
        if step.tb_frame.f_code.co_filename == path:
            line = step.tb_lineno
        step = step.tb_next
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    said = traceback.format_exception(type(error), error, trace)
    return {
        "fault": "exception",
        "line": line,
        "error": "".join(said[-1:]).strip().splitlines()[-1],
        "said": "".join(said),
    }


def main():
    asks = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    # Whatever is printed is for people; nobody types here.
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    sys.path[:] = [p for p in sys.path if p]
    sys.dont_write_bytecode = True
    for line in asks:
        ask = json.loads(line)
        try:
            reply = answer(ask)
        except BaseException as error:
            reply = failure(error, ask["path"])
        sys.stdout.flush()
        sys.stderr.flush()
        json.dump(reply, replies)
        replies.write("\n")
        replies.flush()


main()
