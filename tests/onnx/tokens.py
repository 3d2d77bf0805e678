#!/usr/bin/env python3
"""`Tokenizer` of com.microsoft beside onnxruntime, with symbolic sizes; what of it is refused."""

import os
import sys

import numpy as np
import onnxruntime
from strings import WORDS, compare_all, compiled, model, node, objects, one

MS = {"domain": "com.microsoft"}
LONG = "The quick brown_fox 123 jumped-over the läzy dögs, twice; supercalifragilisticexpialidocious  東京の空 end"
TEXT = objects(*WORDS, LONG, "aabaaab", LONG[::-1], "a, b,,c d")
DEFAULTS = {"mark": 0, "pad_value": "#", "mincharnum": 1}


def tokenizer(x, sizes="N", **attributes):
    # The domain is not among those of the model, as models that tf2onnx and skl2onnx write may have it.
    return one("Tokenizer", f"x:s[{sizes}]", {"x": x}, "y:s", **MS, **{**DEFAULTS, **attributes})


def cases():
    for expression in (
        "[a-zA-Z0-9_]+",
        r"\b\w\w+\b",
        "a|ab|abc",
        "aa",
        "x*",
        ".",
        "(?-s).",
        r"\pL+",
        r"\w+|[^\s\w]",
        "(?i)the|[a-z]{3,9}?",
        "^a|b$",
        "[^a]+é?",
    ):
        yield tokenizer(TEXT, tokenexp=expression)
    for attributes in (
        {"tokenexp": r"\w+", "mark": 1},
        {"tokenexp": r"[a-zé]+", "mincharnum": 2, "pad_value": ""},
        {"tokenexp": r"aa?", "mincharnum": 2},
        {"tokenexp": r".é?", "mincharnum": 2},
        {"separators": [" "]},
        {"separators": [" ", ",", "東"], "mark": 1},
        {"separators": ["[ ,;]+"], "mincharnum": 2},
        {"separators": ["aa"]},
        {"separators": ["b|ab"], "pad_value": "é"},
        {"separators": [r"\n", r"\t", "[x-z]"]},
        {"separators": [""]},
        {"separators": [""], "mark": 1},
    ):
        yield tokenizer(TEXT, **attributes)
    yield tokenizer(TEXT[:20].reshape(4, 5), "M,N", tokenexp=r"\w+", mark=1)
    yield tokenizer(objects("", " ", ","), tokenexp=r"\w+", mark=1)


def counted():
    """Texts as scikit-learn's vectorizers count them."""
    grams = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0, "mode": "TF", "ngram_counts": [0, 3], "ngram_indexes": [0, 1, 2, 3],
             "pool_strings": ["a", "b", "the", "the", "quick"]}  # fmt: skip
    nodes = [
        node("Reshape", "x s", "f"),
        node("StringNormalizer", "f", "l", case_change_action="LOWER", locale="C"),
        node("Tokenizer", "l", "t", **MS, **DEFAULTS, tokenexp="[a-zA-Z0-9_]+"),
        node("Flatten", "t", "r"),
        node("TfIdfVectorizer", "r", "y", **grams),
    ]
    ascii_ = objects(LONG[:30], "a,b,,c", "the Quick a", "")
    return model(nodes, "x:s[N,1]", "y:f", {"s": np.array([-1])}), {"x": ascii_[:, None]}


def refused(path):
    for attributes, message in (
        ({"tokenexp": "a("}, "`a(`: unclosed group"),
        ({"tokenexp": "a", "separators": ["b"]}, "it has both `tokenexp` and `separators`"),
        ({}, "it has neither `tokenexp` nor `separators`"),
        ({"tokenexp": "a", "mincharnum": 0}, "`mincharnum` is 0, where at least 1 is possible"),
        ({"separators": [""], "mincharnum": 3}, "`mincharnum` is 3, and every character is a token"),
        ({"separators": ["a*"]}, "the separator `a*` matches the empty string"),
        ({"separators": [" ", "ab"]}, "of several separators, `ab` is not one character; write one expression"),
    ):
        m, _ = tokenizer(TEXT, **attributes)
        done = compiled(m, path)
        assert done.returncode == 1 and message in done.stderr, f"{message}: {done.stderr}"


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    theirs = lambda m: onnxruntime.InferenceSession(m.SerializeToString(), options, providers=["CPUExecutionProvider"])
    chosen = [(m, feeds, theirs(m).run(None, feeds)) for m, feeds in [*cases(), counted()]]
    # onnxruntime leaves out the dimension of tokens where there are no strings.
    chosen.append((*tokenizer(np.empty(0, object), tokenexp=r"\w+"), [np.empty((0, 0), object)]))
    compare_all(folder, chosen)
    refused(path)


if __name__ == "__main__":
    main(sys.argv[1])
