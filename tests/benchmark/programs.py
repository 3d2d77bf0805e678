"""Programs of any size, for `scale.py`: each is a function that gives the text of a module of about N operations, or of N executables."""


def layers(count):
    """A chain of layers in linalg, each ten operations: a product with weights, a bias, functions, a detour."""
    t = "tensor<4x64xf32>"
    lines = [
        f"func.func @main(%x: {t}) -> {t} {{",
        "  %zero = arith.constant 0.0 : f32",
        f"  %e = tensor.empty() : {t}",
    ]
    last, before = "%x", "%x"
    for i in range(count // 10):
        binary = lambda name, op, a, b: f"  %{name}{i} = linalg.{op} ins({a}, {b} : {t}, {t}) outs(%e : {t}) -> {t}"  # noqa: B023
        unary = lambda name, op, a: f"  %{name}{i} = linalg.{op} ins({a} : {t}) outs(%e : {t}) -> {t}"  # noqa: B023
        lines += [
            f"  %w{i} = arith.constant dense<{(i % 13 + 1) / 100}> : tensor<64x64xf32>",
            f"  %b{i} = arith.constant dense<{(i % 7 + 1) / 100}> : {t}",
            f"  %f{i} = linalg.fill ins(%zero : f32) outs(%e : {t}) -> {t}",
            f"  %m{i} = linalg.matmul ins({last}, %w{i} : {t}, tensor<64x64xf32>) outs(%f{i} : {t}) -> {t}",
            binary("s", "add", f"%m{i}", f"%b{i}"),
            unary("t", "tanh", f"%s{i}"),
            binary("g", "mul", f"%t{i}", f"%m{i}"),
            unary("h", "exp", f"%g{i}"),
            binary("k", "sub", f"%h{i}", f"%s{i}"),
            binary("r", "add", f"%k{i}", before),
        ]
        before, last = last, f"%r{i}"
    return lines + [f"  return {last} : {t}", "}"]


def tosa(count):
    """A chain of layers in tosa, each ten operations."""
    t, w, zp = "tensor<1x4x64xf32>", "tensor<1x64x64xf32>", "tensor<1xf32>"
    constant = lambda name, value, ty: f'  %{name} = "tosa.const"() <{{values = dense<{value}> : {ty}}}> : () -> {ty}'
    lines = [f"func.func @main(%x: {t}) -> {t} {{", constant("zp", 0.0, zp)]
    last, before = "%x", "%x"
    for i in range(count // 10):
        lines += [
            constant(f"w{i}", (i % 13 + 1) / 100, w),
            constant(f"b{i}", (i % 7 + 1) / 100, "tensor<1x1x64xf32>"),
            f"  %m{i} = tosa.matmul {last}, %w{i}, %zp, %zp : ({t}, {w}, {zp}, {zp}) -> {t}",
            f"  %s{i} = tosa.add %m{i}, %b{i} : ({t}, tensor<1x1x64xf32>) -> {t}",
            f"  %t{i} = tosa.tanh %s{i} : ({t}) -> {t}",
            f"  %g{i} = tosa.add %t{i}, %m{i} : ({t}, {t}) -> {t}",
            f"  %h{i} = tosa.exp %g{i} : ({t}) -> {t}",
            f"  %k{i} = tosa.sub %h{i}, %s{i} : ({t}, {t}) -> {t}",
            f"  %c{i} = tosa.clamp %k{i} {{min_val = 0.0 : f32, max_val = 6.0 : f32}} : ({t}) -> {t}",
            f"  %r{i} = tosa.add %c{i}, {before} : ({t}, {t}) -> {t}",
        ]
        before, last = last, f"%r{i}"
    return lines + [f"  return {last} : {t}", "}"]


def elements(count):
    """A chain of functions of elements, each of which reads the one before and one far back."""
    t = "tensor<64xf32>"
    lines = [f"func.func @main(%x: {t}) -> {t} {{"]
    for i in range(count):
        far = f"%y{i - 1000}" if i >= 1000 else "%x"
        lines.append(f"  %y{i} = arith.addf {f'%y{i - 1}' if i else '%x'}, {far} : {t}")
    return lines + [f"  return %y{count - 1} : {t}", "}"]


def wide(count):
    """Sums of one input with different constants, which a tree adds."""
    t = "tensor<64xf32>"
    lines, values, sums = [f"func.func @main(%x: {t}) -> {t} {{"], [], 0
    for i in range(count // 3):
        lines += [f"  %c{i} = arith.constant dense<{i}.0> : {t}", f"  %y{i} = arith.addf %x, %c{i} : {t}"]
        values.append(f"%y{i}")
    while len(values) > 1:
        pairs, rest = list(zip(values[::2], values[1::2])), values[len(values) // 2 * 2 :]
        lines += [f"  %s{sums + i} = arith.addf {a}, {b} : {t}" for i, (a, b) in enumerate(pairs)]
        values = [f"%s{sums + i}" for i in range(len(pairs))] + rest
        sums += len(pairs)
    return lines + [f"  return {values[0]} : {t}", "}"]


def functions(count):
    """Private functions of ten operations, called one after the other."""
    t = "tensor<64xf32>"
    lines = []
    for i in range(count // 10):
        lines.append(f"func.func private @f{i}(%y0: {t}) -> {t} {{")
        lines += [f"  %y{j + 1} = {['math.tanh', 'arith.negf'][j % 2]} %y{j} : {t}" for j in range(8)]
        lines += [f"  return %y8 : {t}", "}"]
    lines.append(f"func.func @main(%y0: {t}) -> {t} {{")
    lines += [f"  %y{i + 1} = call @f{i}(%y{i}) : ({t}) -> {t}" for i in range(count // 10)]
    return lines + [f"  return %y{count // 10} : {t}", "}"]


def dynamic(count):
    """A chain of products of unknown height, each five operations."""
    t = "tensor<?x64xf32>"
    lines = [
        f"func.func @main(%x: {t}) -> {t} {{",
        "  %zero = arith.constant 0.0 : f32",
        "  %c0 = arith.constant 0 : index",
    ]
    last = "%x"
    for i in range(count // 5):
        lines += [
            f"  %d{i} = tensor.dim {last}, %c0 : {t}",
            f"  %e{i} = tensor.empty(%d{i}) : {t}",
            f"  %f{i} = linalg.fill ins(%zero : f32) outs(%e{i} : {t}) -> {t}",
            f"  %w{i} = arith.constant dense<{(i % 13 + 1) / 100}> : tensor<64x64xf32>",
            f"  %m{i} = linalg.matmul ins({last}, %w{i} : {t}, tensor<64x64xf32>) outs(%f{i} : {t}) -> {t}",
        ]
        last = f"%m{i}"
    return lines + [f"  return {last} : {t}", "}"]


def separate(count, line):
    """Executables on inputs of their own, six of each size; `line` gives the operations of one, by number and type."""
    types = [f"tensor<{8 + i // 6}xf32>" for i in range(count)]
    results = ", ".join(types)
    lines = [f"func.func @main({', '.join(f'%x{i}: {t}' for i, t in enumerate(types))}) -> ({results}) {{"]
    lines += [line(i, t) for i, t in enumerate(types)]
    return lines + [f"  return {', '.join(f'%y{i}' for i in range(count))} : {results}", "}"]


def maps(count, edited=None):
    """Executables of one operation and a constant."""
    names = ["addf", "mulf", "subf", "maximumf", "minimumf", "divf"]

    def line(i, t):
        value = 0.75 if i == edited else 1.5
        return f"  %c{i} = arith.constant dense<{value}> : {t}\n  %y{i} = arith.{names[i % 6]} %x{i}, %c{i} : {t}"

    return separate(count, line)


def math(count, edited=None):
    """Executables that compute a function."""
    names = ["exp", "tanh", "sin", "cos", "absf", "sqrt"]
    return separate(count, lambda i, t: f"  %y{i} = math.{'log' if i == edited else names[i % 6]} %x{i} : {t}")


def products(count, edited=None):
    """A chain of products with a factor of its own each, which makes each an executable of its own, and a rectifier."""
    t, w = "tensor<8x32xf32>", "tensor<32x32xf32>"
    lines = [f"func.func @main(%x: {t}, %w: {w}) -> {t} {{", "  %zero = arith.constant 0.0 : f32"]
    last = "%x"
    for i in range(count):
        factor = 0.5 if i == edited else 1 + (i + 1) / 65536
        lines += [
            f"  %c{i} = arith.constant dense<{factor:.9f}> : {t}",
            f"  %e{i} = tensor.empty() : {t}",
            f"  %f{i} = linalg.fill ins(%zero : f32) outs(%e{i} : {t}) -> {t}",
            f"  %m{i} = linalg.matmul ins({last}, %w : {t}, {w}) outs(%f{i} : {t}) -> {t}",
            f"  %y{i} = arith.mulf %m{i}, %c{i} : {t}",
        ]
        last = f"%y{i}"
    return lines + [f"  return {last} : {t}", "}"]


def widths(count, edited=None):
    """A chain of products with matrices of weights, each of which has another size: kernels on packed weights, whose last tiles are code
    of their own."""
    lines = ["func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {", "  %zero = arith.constant 0.0 : f32"]
    last, have = "%x", 64
    for i in range(count):
        want = 65 + i // 2 if i % 2 == 0 and i + 1 < count else 64
        t, w = f"tensor<8x{want}xf32>", f"tensor<{have}x{want}xf32>"
        lines += [
            f"  %w{i} = arith.constant dense<0.01> : {w}",
            f"  %c{i} = arith.constant dense<{0.75 if i == edited else 1.5}> : {t}",
            f"  %e{i} = tensor.empty() : {t}",
            f"  %f{i} = linalg.fill ins(%zero : f32) outs(%e{i} : {t}) -> {t}",
            f"  %m{i} = linalg.matmul ins({last}, %w{i} : tensor<8x{have}xf32>, {w}) outs(%f{i} : {t}) -> {t}",
            f"  %y{i} = arith.mulf %m{i}, %c{i} : {t}",
        ]
        last, have = f"%y{i}", want
    return lines + [f"  return {last} : tensor<8x64xf32>", "}"]


MODULES = {f.__name__: f for f in (layers, tosa, elements, wide, functions, dynamic)}
EXECUTABLES = {f.__name__: f for f in (maps, math, products, widths)}
