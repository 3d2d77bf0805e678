#!/usr/bin/env python3
"""Strings in ONNX models, with symbolic sizes: operators beside onnxruntime or the reference evaluator, strings in branches and loops,
inputs that are no strings, and what hal-run reads, writes and prints."""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper
from onnx.reference import ReferenceEvaluator
from together import Together

TYPES = {"s": T.STRING, "f": T.FLOAT, "d": T.DOUBLE, "h": T.FLOAT16, "l": T.INT64, "b": T.BOOL}
WORDS = [
    "",
    "a",
    "é",
    "über",
    "Straße",
    "ΑΒΓ",
    "東京 の",
    "😀",
    "x y  z",
    "monday",
    "Monday",
    "a,b,,c",
    "ab",
    "abc",
    "\tq\n",
    "İ",
    "a\u00a0b\u3000c ",
]
random = np.random.default_rng(7)


def words(*shape):
    return random.choice(WORDS, shape).astype(object)


def model(nodes, inputs, outputs, constants=(), opset=21):
    """`inputs` are `name:type[sizes]`; outputs have no type."""
    infos = []
    for text in inputs.split():
        name, rest = text.split(":")
        sizes = [int(d) if d.isdigit() else d for d in rest[2:-1].split(",") if d]
        infos.append(helper.make_tensor_value_info(name, TYPES[rest[0]], sizes))
    results = [
        helper.make_tensor_value_info(name, TYPES[kind], None) for name, kind in (o.split(":") for o in outputs.split())
    ]
    stored = [onnx.numpy_helper.from_array(np.asarray(v), n) for n, v in dict(constants).items()]
    graph = helper.make_graph(nodes, "g", infos, results, stored)
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 4)]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


def node(op, inputs, outputs="y", **attributes):
    return helper.make_node(
        op, ["" if i == "-" else i for i in inputs.split()], outputs.split(), name=f"the_{op}", **attributes
    )


def one(op, inputs, feeds, outputs="o:s", constants=(), opset=21, **attributes):
    """A model of one node, and what to run it with."""
    names = " ".join(t.split(":")[0] for t in inputs.split())
    m = model([node(op, names, " ".join(o.split(":")[0] for o in outputs.split()), **attributes)],
              " ".join(t for t in inputs.split() if ":" in t), outputs, constants, opset)  # fmt: skip
    return m, feeds


ML = {"domain": "ai.onnx.ml"}
objects = lambda *list_: np.array(list_, object)


def cases():
    """Models with their inputs, whose results a reference has."""
    x, y = words(3, 4), words(3, 4)
    yield one("Equal", "x:s[M,N] y:s[M,N]", {"x": x, "y": np.where(random.random((3, 4)) < 0.5, x, y)}, "y0:b")
    yield one("Equal", "x:s[M,N] y:s[N]", {"x": x, "y": words(4)}, "y0:b")
    yield one("Equal", "x:s[M,N] c", {"x": x}, "y0:b", {"c": objects("abc", "a", "é", "")})
    yield one("StringConcat", "x:s[M,N] y:s[M,1]", {"x": x, "y": words(3, 1)})
    yield one("StringConcat", "x:s[N] c", {"x": words(5)}, constants={"c": np.array("-ß", object)})
    yield one("StringConcat", "x:s[N] y:s[N]", {"x": words(0), "y": words(0)})
    yield one("StringConcat", "x:s[N] y:s[N]", {"x": words(300), "y": words(300)})
    for delimiter, most in (
        (",", None),
        (", ", 1),
        ("b", 2),
        ("aa", None),
        ("東", None),
        (None, None),
        ("", 1),
        (None, 0),
        (" ", 0),
        (None, 2),
    ):
        attributes = {k: v for k, v in (("delimiter", delimiter), ("maxsplit", most)) if v is not None}
        text = objects("a, b,c", "", "aaaa,aaa", " x  y z ", "東京東", "bb", "\t one\u00a0two \n", ",", "   ")
        yield one("StringSplit", "x:s[N]", {"x": text}, "y:s n:l", **attributes)
    yield one("StringSplit", "x:s[M,N]", {"x": words(3, 4)}, "y:s n:l", delimiter="")
    yield one("StringSplit", "x:s[N]", {"x": words(0)}, "y:s n:l", delimiter=",")
    for pattern in (r"[a-z]*", r"(a|ab)c?", r"\p{Han}+.*", r"(?i)monday", r".", r"\w+(,\w*)*", r"[^\x00-\x7f]+"):
        yield one("RegexFullMatch", "x:s[N]", {"x": np.array(WORDS, object)}, "y:b", pattern=pattern)
    yield one("RegexFullMatch", "x:s[M,N]", {"x": words(0, 2)}, "y:b", pattern="a")
    ascii_ = objects("monday", "Tuesday", "", "MONDAY", "x")
    for case in ("NONE", "LOWER", "UPPER"):
        for exact in (0, 1):
            stops = {"stopwords": ["monday", "X"]} if exact or case != "NONE" else {}
            yield one(
                "StringNormalizer",
                "x:s[N]",
                {"x": ascii_[[0, 1, 3, 4]]},
                case_change_action=case,
                is_case_sensitive=exact,
                **stops,
            )
            yield one(
                "StringNormalizer",
                "x:s[1,N]",
                {"x": ascii_[None, [0, 1, 3, 4]]},
                case_change_action=case,
                is_case_sensitive=exact,
                **stops,
            )
    yield one(
        "StringNormalizer",
        "x:s[N]",
        {"x": objects("monday", "monday")},
        case_change_action="NONE",
        is_case_sensitive=1,
        stopwords=["monday"],
    )
    keys, values = ["a", "é", "", "abc", "ab"], [3, 1, 4, 1, 5]
    yield one(
        "LabelEncoder", "x:s[M,N]", {"x": x}, "y:l", **ML, keys_strings=keys, values_int64s=values, default_int64=-7
    )
    yield one(
        "LabelEncoder",
        "x:s[N]",
        {"x": words(30)},
        "y:s",
        **ML,
        keys_strings=keys,
        values_strings=[k + "ß" for k in keys],
        default_string="none",
    )
    yield one(
        "LabelEncoder",
        "x:l[N]",
        {"x": np.array([1, 2, 9])},
        "y:s",
        **ML,
        keys_int64s=[1, 2],
        values_strings=["é", ""],
        default_string="?",
    )
    yield one("OneHotEncoder", "x:s[N]", {"x": words(9)}, "y:f", **ML, cats_strings=keys, zeros=1)
    yield one(
        "CategoryMapper", "x:s[N]", {"x": words(9)}, "y:l", **ML, cats_strings=keys, cats_int64s=values, default_int64=0
    )
    grams = {
        "min_gram_length": 1,
        "max_gram_length": 2,
        "max_skip_count": 1,
        "mode": "TF",
        "ngram_counts": [0, 3],
        "ngram_indexes": [0, 1, 2, 3, 4],
    }
    yield one(
        "TfIdfVectorizer",
        "x:s[N]",
        {"x": objects("a", "é", "b", "a", "é")},
        "y:f",
        **grams,
        pool_strings=["a", "é", "c", "a", "é", "b", "a"],
    )
    # What is looked up is joined before, also with strings of the model.
    table = {"keys_strings": keys, "values_int64s": values, "default_int64": -7}
    for second, constants in (("y:s[N]", {}), ("c", {"c": objects("ab", "a", "no")})):
        m = model([node("Concat", f"x {second.split(':')[0]}", "j", axis=0), node("LabelEncoder", "j", "z", **ML, **table)],
                  f"x:s[M] {second if ':' in second else ''}", "z:l", constants)  # fmt: skip
        yield m, {"x": words(7), **({} if constants else {"y": words(5)})}
    classes = {"coefficients": [1.0, -1.0], "intercepts": [0.0, 0.0], "classlabels_strings": ["nö", "yes"]}
    yield one("LinearClassifier", "x:f[N,1]", {"x": np.array([[1], [-1], [2]], np.float32)}, "y:s z:f", **ML, **classes)


def cast():
    """Numbers as text and back, with what must come out: as numpy writes them."""
    numbers = np.array([[0.1, 1e16, -2.5e-5, 3], [np.nan, np.inf, -0.0, 123456789]])
    for kind, array in (("f", numbers.astype(np.float32)), ("d", numbers), ("h", np.array([[0.1, -65504, 1e-7]], np.float16)), ("l", np.array([[1, -(2**63)]])),
                        ("b", np.array([[True, False]])), ("f", np.zeros((0, 2), np.float32))):  # fmt: skip
        yield one("Cast", f"x:{kind}[M,N]", {"x": array}, "y:s", to=T.STRING), [array.astype(np.str_)]
    np.seterr(over="ignore")
    text = objects("3.14", "1000", "1e-5", "1E8", "NaN", "-INF", "+INF", " 7 ")
    for kind, to, dtype in (("f", T.FLOAT, np.float32), ("d", T.DOUBLE, np.float64), ("h", T.FLOAT16, np.float16)):
        yield one("Cast", "x:s[N]", {"x": text}, f"y:{kind}", to=to), [text.astype(dtype)]
    yield (
        one("Cast", "x:s[M,N]", {"x": objects("7", "-3", "100.5")[:, None]}, "y:l", to=T.INT64),
        [np.array([[7], [-3], [100]])],
    )
    yield one("CastLike", "x:l[N] s:s[K]", {"x": np.array([5, -6]), "s": words(1)}, "y:s"), [objects("5", "-6")]


def moved():
    """Models that only move strings, with what must come out."""
    x, y = words(3, 4), words(2, 4)
    flags = random.random((3, 4)) < 0.5
    square = words(3, 4)
    index = np.array([2, 0, -1])
    yield one("Concat", "x:s[M,N] y:s[K,N]", {"x": x, "y": y}, axis=0), [np.concatenate([x, y])]
    yield one("Concat", "x:s[M,N] c", {"x": x}, constants={"c": y}, axis=0), [np.concatenate([x, y])]
    yield one("Gather", "x:s[M,N] i:l[K]", {"x": x, "i": index}, axis=0), [x[index]]
    yield one("Gather", "c i:l[K]", {"i": index}, constants={"c": x}, axis=1), [x[:, index]]
    yield one("GatherND", "x:s[M,N] i:l[K,2]", {"x": x, "i": np.array([[0, 1], [2, 3]])}), [x[[0, 2], [1, 3]]]
    yield (
        one("GatherElements", "x:s[M,N] i:l[1,K]", {"x": x, "i": np.array([[2, 0]])}, axis=0),
        [x[[2, 0], [0, 1]][None]],
    )
    yield one("Where", "b:b[M,N] x:s[M,N] y:s[M,N]", {"b": flags, "x": x, "y": square}), [np.where(flags, x, square)]
    yield (
        one("Where", "b:b[M,N] x:s[M,N] c", {"b": flags, "x": x}, constants={"c": np.array("ö", object)}),
        [np.where(flags, x, "ö")],
    )
    yield (
        one("Where", "b:b[N] c d", {"b": flags[0]}, constants={"c": np.array("ö", object), "d": np.array("a", object)}),
        [np.where(flags[0], "ö", "a").astype(object)],
    )
    yield one("Transpose", "x:s[M,N]", {"x": x}, perm=[1, 0]), [x.T]
    yield one("Reshape", "x:s[M,N] s", {"x": x}, constants={"s": np.array([-1])}), [x.reshape(-1)]
    yield one("Squeeze", "x:s[M,1]", {"x": x[:, :1]}), [x[:, 0]]
    yield one("Expand", "x:s[M,1] s:l[2]", {"x": x[:, :1], "s": np.array([3, 5])}), [np.broadcast_to(x[:, :1], (3, 5))]
    yield one("Tile", "x:s[M,N] r:l[2]", {"x": x, "r": np.array([2, 1])}), [np.tile(x, (2, 1))]
    yield one("Slice", "x:s[M,N] a:l[1] e:l[1]", {"x": x, "a": np.array([1]), "e": np.array([9])}), [x[1:]]
    yield (
        one("Pad", "x:s[M,N] p:l[4]", {"x": x, "p": np.array([1, 0, 0, 2])}),
        [np.pad(x, ((1, 0), (0, 2)), constant_values="")],
    )
    yield (
        one("Pad", "c p:l[4] v", {"p": np.array([1, 0, 0, 2])}, constants={"c": x, "v": np.array("ü", object)}),
        [np.pad(x, ((1, 0), (0, 2)), constant_values="ü")],
    )
    yield one("Compress", "x:s[M,N] b:b[M]", {"x": x, "b": np.array([True, False, True])}, axis=0), [x[[0, 2]]]
    yield one("Split", "x:s[M,4]", {"x": x}, "y:s z:s", axis=1, num_outputs=2), [x[:, :2], x[:, 2:]]
    scattered = x.copy()
    scattered[2, 0], scattered[0, 1] = "neu", "ü"
    yield (
        one(
            "ScatterElements",
            "x:s[M,N] i:l[1,K] c",
            {"x": x, "i": np.array([[2, 0]])},
            constants={"c": objects("neu", "ü")[None]},
        ),
        [scattered],
    )
    yield one("Trilu", "x:s[M,N]", {"x": x}), [np.where(np.triu(np.ones((3, 4))) > 0, x, "")]
    yield (
        one("OneHot", "i:l[N] d c", {"i": np.array([1, 0])}, constants={"d": np.array(2), "c": objects("off", "on")}),
        [np.array([["off", "on"], ["on", "off"]], object)],
    )
    yield one("Shape", "x:s[M,N]", {"x": x}, "y:l"), [np.array([3, 4])]
    yield one("Identity", "x:s[]", {"x": np.array("é", object)}), [np.array("é", object)]
    # Letters of the other case may have more bytes, or none.
    changed = objects("Straße ΑΒΓ éİ😀", "ǅ", "ŉ", "ﬃ")
    for case, change in (("LOWER", str.lower), ("UPPER", str.upper)):
        yield (
            one("StringNormalizer", "x:s[N]", {"x": changed}, case_change_action=case),
            [np.array([change(t) for t in changed], object)],
        )
    stops = {"case_change_action": "NONE", "stopwords": ["STRASSE", "Éa"]}
    yield one("StringNormalizer", "x:s[N]", {"x": objects("éA", "x", "Éa", "strasse")}, **stops), [objects("x")]
    many = words(500)
    yield one("Equal", "x:s[N] y:s[]", {"x": many, "y": np.array("über", object)}, "y0:b"), [many == "über"]
    branches = [
        helper.make_graph(
            [node("StringConcat", "x c" if then else "c x", "r")],
            "branch",
            [],
            [helper.make_tensor_value_info("r", T.STRING, None)],
        )
        for then in (1, 0)
    ]
    for flag in (True, False):
        m = model(
            [node("If", "b", then_branch=branches[0], else_branch=branches[1])],
            "b:b[] x:s[N]",
            "y:s",
            {"c": objects("ü")},
        )
        yield (m, {"b": np.array(flag), "x": many[:3]}), [many[:3] + "ü" if flag else "ü" + many[:3]]
    state = [
        helper.make_tensor_value_info("i", T.INT64, []),
        helper.make_tensor_value_info("go", T.BOOL, []),
        helper.make_tensor_value_info("s", T.STRING, None),
    ]
    ends = [helper.make_tensor_value_info("go", T.BOOL, []), helper.make_tensor_value_info("t", T.STRING, None)]
    body = helper.make_graph([node("StringConcat", "s x", "t")], "body", state, ends)
    m = model([node("Loop", "n - c", body=body)], "n:l[] x:s[N]", "y:s", {"c": objects("ö")})
    yield (m, {"n": np.array(3), "x": many[:4]}), ["ö" + many[:4] * 3]
    m = model([node("SequenceConstruct", "x y c", "q"), node("SequenceAt", "q i", "e"), node("ConcatFromSequence", "q", "z", axis=0)],
              "x:s[N] y:s[N] i:l[]", "e:s z:s", {"c": objects("a", "ß")})  # fmt: skip
    for i in range(3):
        list_ = [many[:2], many[2:4], objects("a", "ß")]
        yield (m, {"x": list_[0], "y": list_[1], "i": np.array(i)}), [list_[i], np.concatenate(list_)]
    # All of it is known at import.
    m = model([node("Constant", "", "k", value_strings=["a", "bé"]), node("Concat", "k c", "l", axis=0), node("Equal", "l d", "e"), node("RegexFullMatch", "l", "r", pattern="b.")],
              "", "l:s e:b r:b", {"c": objects("a"), "d": objects("a")})  # fmt: skip
    yield (m, {}), [objects("a", "bé", "a"), np.array([True, False, True]), np.array([False, True, False])]


def compiled(m, path, *flags):
    onnx.save(m, f"{path}.onnx")
    return subprocess.run(
        ["hal-compile", f"{path}.onnx", "-o", f"{path}.so", "-j1", *flags], capture_output=True, text=True, check=False
    )


def run(m, feeds, path):
    """The outputs, or the message of a run that failed."""
    command = ["hal-run", f"{path}.so"]
    for name, array in feeds.items():
        np.save(f"{path}.{name}.npy", array.astype(np.str_) if array.dtype == object else array)
        command.append(f"--input={name}=@{path}.{name}.npy")
    files = [f"{path}.out{i}.npy" for i in range(len(m.graph.output))]
    done = subprocess.run([*command, *(f"--output={f}" for f in files)], capture_output=True, text=True, check=False)
    return done, [np.load(f) for f in files] if done.returncode == 0 else []


def reference(m, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        if m.graph.node[0].op_type == "StringSplit":
            # onnxruntime has no piece in an empty string, and other white space.
            return ReferenceEvaluator(m).run(None, feeds)
        return onnxruntime.InferenceSession(m.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(
            None, feeds
        )
    except Exception:
        return ReferenceEvaluator(m).run(None, feeds)


def described(m):
    first = m.graph.node[0]
    return f"{first.op_type} {[helper.printable_attribute(a) for a in first.attribute if a.type != 5]}"


def compare(m, results, feeds, wanted):
    for got, want in zip(results, wanted, strict=True):
        assert got.shape == np.shape(want), f"{described(m)}: {got.shape} for {np.shape(want)}"
        if got.dtype.kind == "f":
            np.testing.assert_allclose(got, np.asarray(want, got.dtype), rtol=1e-6, err_msg=described(m))
        else:
            wrong = got.astype(np.asarray(want).dtype) != want
            assert not wrong.any(), f"{described(m)} of {feeds}: {got[wrong]} for {want[wrong]} at {np.argwhere(wrong)}"


def compare_all(folder, chosen):
    """Models, inputs and results, in programs of some thirty."""
    for at in range(0, len(chosen), 30):
        models, feeds, results = zip(*chosen[at : at + 30], strict=True)
        program = Together(folder, models)
        program.compiled("-j1")
        texts = [{n: a.astype(np.str_) if a.dtype == object else a for n, a in arrays.items()} for arrays in feeds]
        for case in zip(models, program.run(texts), feeds, results, strict=True):
            compare(*case)


def illegal(path):
    """What a caller may do wrong with the two tensors of an input."""
    m, _ = one("StringConcat", "x:s[N] y:s[N]", {}, opset=20)
    assert compiled(m, path).returncode == 0
    two = objects("a", "b").astype(np.str_)
    np.save(f"{path}.y.npy", two)

    def told(ends, data):
        np.save(f"{path}.ends.npy", np.array(ends, np.int64))
        np.save(f"{path}.bytes.npy", np.frombuffer(data, np.uint8))
        given = [f"--input=x=@{path}.ends.npy", f"--input=x.bytes=@{path}.bytes.npy", f"--input=y=@{path}.y.npy"]
        return subprocess.run(["hal-run", f"{path}.so", *given], capture_output=True, text=True, check=False)

    done = told([1, 3], "xé".encode())
    assert done.returncode == 0 and "array(['xa', 'éb'], dtype='<U2')" in done.stdout, done.stdout + done.stderr
    for ends, data, message in (
        ([1, 2], b"x\xff", "input `x`: its strings are not UTF-8"),
        ([2, 3], "xé".encode(), "input `x`: its strings are not UTF-8"),
        ([2, 1], b"xy", "input `x`: its strings end at places that do not rise from 0 to the number of bytes"),
        ([-1, 2], b"xy", "input `x`: its strings end"),
        ([1, 3], b"xy", "input `x`: its strings end"),
        ([1, 2], b"xyz", "input `x`: its strings end"),
        ([1, 2**62], b"xyz", "input `x`: its strings end"),
    ):
        done = told(ends, data)
        assert done.returncode == 1 and message in done.stderr, (
            f"{ends}, {data}: {done.returncode} {done.stdout}{done.stderr}"
        )


def unreadable(path):
    """A string that is no number."""
    m, _ = one("Cast", "x:s[N]", {}, "y:l", to=T.INT64)
    assert compiled(m, path).returncode == 0
    done, _ = run(m, {"x": objects("7", "abc")}, path)
    assert done.returncode == 1 and 'the string "abc" is no number of type i64' in done.stderr, done.stderr


def tool(path):
    """What hal-run reads, writes and prints."""
    m, feeds = one("Identity", "x:s[N]", {"x": objects("b'\n", "é", "")})
    assert compiled(m, path).returncode == 0
    call = lambda *flags: subprocess.run(["hal-run", f"{path}.so", *flags], capture_output=True, text=True, check=False)
    assert "main(x: ?xstring [N], x.bytes: ?xu8) -> (o: ?xstring [N], o.bytes: ?xu8)" in call("--list").stdout, call(
        "--list"
    ).stdout
    assert "`main` needs strings for input `x`" in call().stderr and "`--input=x=@words.npy`" in call().stderr, (
        call().stderr
    )
    np.save(f"{path}.npy", feeds["x"].astype(np.str_))
    done = call(f"--input={path}.npy")
    assert done.stdout == "# output 0 `o`: 3xstring\narray([\"b'\\\\n\", 'é', ''], dtype='<U3')\n".replace(
        "\\\\", "\\"
    ), done.stdout
    assert call(f"--input={path}.npy", f"--expect={path}.npy").returncode == 0
    np.save(f"{path}.s.npy", np.array([b"a", "é".encode(), b""]))
    done = call(f"--input={path}.s.npy", f"--expect={path}.npy")
    assert done.returncode == 1 and "differs from the expected output in 1 of 3 strings" in done.stderr, done.stderr
    np.savez(f"{path}.npz", x=feeds["x"].astype(np.str_))
    done = call(f"--input={path}.npz", f"--output={path}.out.npz")
    assert done.returncode == 0 and np.load(f"{path}.out.npz").files == ["o"], done.stderr
    assert (np.load(f"{path}.out.npz")["o"] == feeds["x"]).all()
    for flags, message in (
        (
            (f"--input={path}.npy", f"--output={path}.safetensors"),
            "output 0 `o` holds strings, which only .npy and .npz files can hold",
        ),
        ((f"--input=x=@{path}.f.npy",), "input 0 `x` is `?xstring`, this is `2xf32`"),
        ((f"--input=@{path}.o.npy",), "strings are read from `array.astype(str)`"),
    ):
        np.save(f"{path}.f.npy", np.zeros(2, np.float32))
        np.save(f"{path}.o.npy", feeds["x"], allow_pickle=True)
        done = call(*flags)
        assert done.returncode != 0 and message in done.stderr, done.stderr


def refused(path):
    """What is not supported, and what is wrong with a model."""
    add, _ = one("Unique", "x:s[N]", {}, sorted=1)
    pattern, _ = one("RegexFullMatch", "x:s[N]", {}, "y:b", pattern="a(")
    mixed, _ = one("Concat", "x:s[N] y:l[N]", {}, axis=0)
    turkish, _ = one("StringNormalizer", "x:s[N]", {}, case_change_action="UPPER", locale="tr_TR")
    for m, message in (
        (add, "input 0 holds strings, which this operator does not know"),
        (pattern, "`pattern` is `a(`: unclosed group"),
        (mixed, "input 0 holds strings, input 1 numbers"),
        (turkish, "`locale` is `tr_TR`: the letters of language `tr` have cases of their own"),
    ):
        done = compiled(m, path)
        assert done.returncode == 1 and message in done.stderr, f"{message}: {done.stderr}"


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m")
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    chosen = [(m, feeds, reference(m, feeds)) for m, feeds in cases()]
    chosen += [(m, feeds, results) for (m, feeds), results in [*cast(), *moved()]]
    compare_all(folder, [case for case in chosen if wanted in case[0].graph.node[0].op_type])
    illegal(path)
    unreadable(path)
    tool(path)
    refused(path)


if __name__ == "__main__":
    main(sys.argv[1])
