# RUN: %python %s
"""The host program: if, for and while around dispatches, calls, mutable globals, results that pass through, conditions from data."""

import numpy as np
from harness import main
from text import case, rand, wide

T = "tensor<6x9xf32>"
X, Y = rand("ctl_x", [6, 9]), rand("ctl_y", [6, 9])
YES, NO = np.array(True), np.array(False)
# %NAME := LEFT op RIGHT by a named linalg op.
binary = lambda name, op, left, right, t=T: (
    f"%{name}_e = tensor.empty() : {t}\n%{name} = linalg.{op} ins({left}, {right} : {t}, {t}) outs(%{name}_e : {t}) -> {t}\n"
)
INDEX = "\n".join(f"%c{i} = arith.constant {i} : index" for i in (0, 1, 2, 3, 5)) + "\n"


def branch(flag):
    """scf.if whose condition is read from a tensor; each side dispatches something else."""
    body = "%c = tensor.extract %a0[] : tensor<i1>\n"
    body += f"%r = scf.if %c -> ({T}) {{\n{binary('s', 'add', '%a1', '%a2')}scf.yield %s : {T}\n}} else {{\n"
    body += (
        f"{binary('p', 'mul', '%a1', '%a2')}{binary('q', 'sub', '%p', '%a1')}scf.yield %q : {T}\n}}\nreturn %r : {T}"
    )
    return case(f"if_{bool(flag)}".lower(), body, [flag, X, Y], X + Y if flag else X * Y - X)


def branch_passes(flag):
    """A side that only passes its argument through, and one without results that does nothing."""
    body = "%c = tensor.extract %a0[] : tensor<i1>\n"
    body += f"%r:2 = scf.if %c -> ({T}, {T}) {{\nscf.yield %a1, %a2 : {T}, {T}\n}} else {{\n"
    body += f"{binary('s', 'add', '%a1', '%a2')}scf.yield %s, %a1 : {T}, {T}\n}}\nreturn %r#0, %r#1 : {T}, {T}"
    return case(f"if_passes_{bool(flag)}".lower(), body, [flag, X, Y], [X, Y] if flag else [X + Y, X])


def condition_from_result(threshold):
    """The condition depends on what a dispatch computed."""
    body = f"""%z = arith.constant 0.0 : f32
%se = tensor.empty() : tensor<f32>
%sf = linalg.fill ins(%z : f32) outs(%se : tensor<f32>) -> tensor<f32>
%s = linalg.reduce {{ arith.addf }} ins(%a0 : {T}) outs(%sf : tensor<f32>) dimensions = [0, 1]
%v = tensor.extract %s[] : tensor<f32>
%t = tensor.extract %a2[] : tensor<f32>
%c = arith.cmpf ogt, %v, %t : f32
%r = scf.if %c -> ({T}) {{
{binary("p", "add", "%a0", "%a1")}scf.yield %p : {T}
}} else {{
{binary("q", "sub", "%a0", "%a1")}scf.yield %q : {T}
}}
return %r : {T}"""
    want = X + Y if wide(X).sum() > threshold else X - Y
    return case(
        f"condition_from_result_{'above' if threshold < 0 else 'below'}", body, [X, Y, np.float32(threshold)], want
    )


def loop(count):
    """scf.for with a trip count from a tensor; two carried tensors that swap."""
    body = (
        INDEX
        + f"""%n64 = tensor.extract %a2[] : tensor<i64>
%n = arith.index_cast %n64 : i64 to index
%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a0, %q = %a1) -> ({T}, {T}) {{
{binary("s", "add", "%p", "%q")}scf.yield %q, %s : {T}, {T}
}}
return %r#0, %r#1 : {T}, {T}"""
    )
    p, q = X, Y
    for _ in range(count):
        p, q = q, p + q
    return case(f"for_{count}", body, [X, Y, np.int64(count)], [p, q])


def loop_index():
    """The loop's index reaches the kernel as a scalar; bounds and step are not 0, n, 1."""
    body = (
        INDEX
        + f"""%n = arith.constant 12 : index
%r = scf.for %i = %c2 to %n step %c3 iter_args(%p = %a0) -> ({T}) {{
%k = arith.index_cast %i : index to i32
%f = arith.sitofp %k : i32 to f32
%e = tensor.empty() : {T}
%s = linalg.map ins(%p : {T}) outs(%e : {T}) (%x: f32, %o: f32) {{
%y = arith.addf %x, %f : f32
linalg.yield %y : f32
}}
scf.yield %s : {T}
}}
return %r : {T}"""
    )
    return case("for_index_in_kernel", body, [X], (wide(X) + 2 + 5 + 8 + 11).astype(np.float32))


def nested():
    """A loop in a loop with a branch on the index."""
    body = (
        INDEX
        + f"""%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a0) -> ({T}) {{
%s = scf.for %j = %c0 to %c2 step %c1 iter_args(%q = %p) -> ({T}) {{
%c = arith.cmpi eq, %i, %j : index
%u = scf.if %c -> ({T}) {{
{binary("m", "mul", "%q", "%a1")}scf.yield %m : {T}
}} else {{
{binary("d", "sub", "%q", "%a1")}scf.yield %d : {T}
}}
scf.yield %u : {T}
}}
scf.yield %s : {T}
}}
return %r : {T}"""
    )
    want = wide(X)
    for i in range(3):
        for j in range(2):
            want = want * Y if i == j else want - Y
    return case("loops_nested_with_if", body, [X, Y], want.astype(np.float32), atol=1e-5)


def while_(limit):
    """Doubles until the sum is large: the condition reads a tensor that the loop made."""
    t = "tensor<4xf32>"
    body = f"""%z = arith.constant 0.0 : f32
%l = arith.constant {limit} : f32
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%r:2 = scf.while (%p = %a0, %n = %zero) : ({t}, i32) -> ({t}, i32) {{
%se = tensor.empty() : tensor<f32>
%sf = linalg.fill ins(%z : f32) outs(%se : tensor<f32>) -> tensor<f32>
%s = linalg.reduce {{ arith.addf }} ins(%p : {t}) outs(%sf : tensor<f32>) dimensions = [0]
%v = tensor.extract %s[] : tensor<f32>
%c = arith.cmpf olt, %v, %l : f32
scf.condition(%c) %p, %n : {t}, i32
}} do {{
^bb0(%q: {t}, %m: i32):
{binary("d", "add", "%q", "%q", t)}%m1 = arith.addi %m, %one : i32
scf.yield %d, %m1 : {t}, i32
}}
%count = tensor.from_elements %r#1 : tensor<i32>
return %r#0, %count : {t}, tensor<i32>"""
    x, n = np.array([1, 2, 3, 4], np.float32), 0
    want = x
    while want.sum() < limit:
        want, n = want * 2, n + 1
    return case(f"while_below_{int(limit)}", body, [x], [want, np.int32(n)])


def calls():
    """A private function called twice, and a public one that other cases may call by name."""
    helper = f"func.func private @twice_plus(%a: {T}, %b: {T}) -> {T} {{\n{binary('s', 'add', '%a', '%a')}{binary('t', 'add', '%s', '%b')}return %t : {T}\n}}"
    body = f"%p = call @twice_plus(%a0, %a1) : ({T}, {T}) -> {T}\n%q = call @twice_plus(%p, %a0) : ({T}, {T}) -> {T}\nreturn %q, %p : {T}, {T}"
    return case("calls", body, [X, Y], [((wide(X) * 2 + Y) * 2 + X).astype(np.float32), X * 2 + Y], beside=helper)


def state():
    """A mutable global: its initial value, a store, and what a called function sees of it."""
    beside = f"""ml_program.global private mutable @counter(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : tensor<3xf32>
func.func private @bump(%by: tensor<3xf32>) {{
%old = ml_program.global_load @counter : tensor<3xf32>
{binary("new", "add", "%old", "%by", "tensor<3xf32>")}ml_program.global_store @counter = %new : tensor<3xf32>
return
}}"""
    t = "tensor<3xf32>"
    body = f"""%before = ml_program.global_load @counter : {t}
call @bump(%a0) : ({t}) -> ()
call @bump(%a0) : ({t}) -> ()
%after = ml_program.global_load @counter : {t}
{binary("r", "mul", "%after", "%a0", t)}return %before, %after, %r : {t}, {t}, {t}"""
    x, first = np.array([0.5, -1, 10], np.float32), np.array([1, 2, 3], np.float32)
    return case("global_state", body, [x], [first, first + 2 * x, (first + 2 * x) * x], beside=beside)


def state_in_loop():
    """A global that a loop updates; `before` must keep its value although the global's memory changes."""
    beside = "ml_program.global private mutable @total(dense<0.0> : tensor<6x9xf32>) : tensor<6x9xf32>"
    body = (
        INDEX
        + f"""ml_program.global_store @total = %a1 : {T}
%before = ml_program.global_load @total : {T}
scf.for %i = %c0 to %c5 step %c1 {{
%v = ml_program.global_load @total : {T}
{binary("s", "add", "%v", "%a0")}ml_program.global_store @total = %s : {T}
}}
%after = ml_program.global_load @total : {T}
return %before, %after : {T}, {T}"""
    )
    return case(
        "global_in_loop", body, [X, Y], [Y, (wide(Y) + 5 * wide(X)).astype(np.float32)], beside=beside, atol=1e-5
    )


def constants():
    """An immutable global and one of rank 0."""
    beside = """ml_program.global private @weights(dense<[[1.0, -2.0], [0.5, 4.0]]> : tensor<2x2xf32>) : tensor<2x2xf32>
ml_program.global private @factor(dense<3> : tensor<i32>) : tensor<i32>"""
    t = "tensor<2x2xf32>"
    body = (
        f"%w = ml_program.global_load_const @weights : {t}\n%f = ml_program.global_load_const @factor : tensor<i32>\n"
    )
    body += f"{binary('r', 'mul', '%a0', '%w', t)}return %r, %f, %w : {t}, tensor<i32>, {t}"
    w, x = np.array([[1, -2], [0.5, 4]], np.float32), np.array([[2, 3], [4, 5]], np.float32)
    return case("global_constants", body, [x], [x * w, np.int32(3), w], beside=beside)


def pass_through():
    """Arguments as results: swapped, twice, next to computed ones."""
    body = binary("s", "add", "%a0", "%a1") + f"return %a1, %a0, %s, %a0, %s : {T}, {T}, {T}, {T}, {T}"
    return case("pass_through", body, [X, Y], [Y, X, X + Y, X, X + Y])


def identity(x, t):
    return case(f"identity_{'x'.join(map(str, x.shape)) or 'rank0'}", "return %a0 : " + t, [x], x)


def nothing():
    """No results; must run and print nothing."""
    return case("no_results", "return", [X], [])


def scalars():
    """Host arithmetic on scalars from tensors, put back into one."""
    body = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%x = tensor.extract %a0[%c0] : tensor<2xi64>
%y = tensor.extract %a0[%c1] : tensor<2xi64>
%p = arith.muli %x, %y : i64
%d = arith.divsi %y, %x : i64
%m = arith.maxsi %p, %d : i64
%b = arith.cmpi slt, %x, %y : i64
%s = arith.select %b, %p, %d : i64
%r = tensor.from_elements %p, %d, %m, %s : tensor<4xi64>
return %r : tensor<4xi64>"""
    return case("host_scalars", body, [np.array([-3, 20], np.int64)], np.array([-60, -6, -6, -60], np.int64))


def generate():
    """tensor.generate and tensor.splat with dynamic sizes from data."""
    body = """%c0 = arith.constant 0 : index
%n64 = tensor.extract %a0[] : tensor<i64>
%n = arith.index_cast %n64 : i64 to index
%g = tensor.generate %n {
^bb0(%i: index):
%k = arith.index_cast %i : index to i32
tensor.yield %k : i32
} : tensor<?xi32>
%v = arith.constant 1.5 : f32
%s = tensor.splat %v[%n] : tensor<?xf32>
return %g, %s : tensor<?xi32>, tensor<?xf32>"""
    want = [np.arange(7, dtype=np.int32), np.full(7, 1.5, np.float32)]
    return case("generate_dynamic", body, [np.int64(7)], want, results=["tensor<?xi32>", "tensor<?xf32>"])


def dimensions():
    """tensor.dim of dynamic arguments as a result; a dimension that two arguments share."""
    t = "tensor<?x?xf32>"
    body = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%m = tensor.dim %a0, %c0 : {t}
%n = tensor.dim %a0, %c1 : {t}
%e = tensor.empty(%m, %n) : {t}
%s = linalg.add ins(%a0, %a1 : {t}, {t}) outs(%e : {t}) -> {t}
%p = arith.muli %m, %n : index
%q = arith.index_cast %p : index to i64
%r = tensor.from_elements %q : tensor<i64>
return %s, %r : {t}, tensor<i64>"""
    return case("dimensions", body, [X, Y], [X + Y, np.int64(54)], types=[t, t], results=[t, "tensor<i64>"])


def dynamic_branch(flag):
    """scf.if whose result has a size that differs by side."""
    t = "tensor<?x9xf32>"
    body = f"""%c = tensor.extract %a0[] : tensor<i1>
%r = scf.if %c -> ({t}) {{
%s = tensor.extract_slice %a1[1, 0] [2, 9] [1, 1] : {T} to tensor<2x9xf32>
%d = tensor.cast %s : tensor<2x9xf32> to {t}
scf.yield %d : {t}
}} else {{
%d = tensor.cast %a1 : {T} to {t}
scf.yield %d : {t}
}}
%c0 = arith.constant 0 : index
%n = tensor.dim %r, %c0 : {t}
%e = tensor.empty(%n) : {t}
%o = linalg.exp ins(%r : {t}) outs(%e : {t}) -> {t}
return %o : {t}"""
    return case(f"if_dynamic_{bool(flag)}".lower(), body, [flag, X], np.exp(X[1:3] if flag else X), results=[t])


CASES = [f(v) for f in (branch, branch_passes, dynamic_branch) for v in (YES, NO)] + [
    condition_from_result(v) for v in (-1e6, 1e6)
]
CASES += [loop(n) for n in (0, 1, 2, 7)] + [loop_index(), nested()] + [while_(v) for v in (5.0, 50.0, 1000.0)]
CASES += [
    calls(),
    state(),
    state_in_loop(),
    constants(),
    pass_through(),
    nothing(),
    scalars(),
    generate(),
    dimensions(),
]
CASES += [
    identity(X, T),
    identity(np.float32(3.5), "tensor<f32>"),
    identity(np.zeros([0, 3], np.float32), "tensor<0x3xf32>"),
]

if __name__ == "__main__":
    main(CASES)
