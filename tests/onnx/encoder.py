#!/usr/bin/env python3
"""Transformer encoders of tests/models/transformer.py against onnxruntime; arguments are theirs, without the file."""

import os
import sys
import tempfile

from models import HERE, LIMIT, check

sys.path.insert(0, os.path.join(HERE, "..", "models"))
import transformer  # noqa: E402

arguments = transformer.arguments().parse_args(["", *sys.argv[1:]])
with tempfile.TemporaryDirectory(prefix="hal-encoder-") as folder:
    compiling, running, error, elementwise = check(transformer.encoder(arguments), 0, folder, "cpu", [])
print(f"compile {compiling:.2f} s, run {running:.2f} s, error {error:.1e}, elementwise {elementwise:.1e}")
sys.exit(not (error <= LIMIT and elementwise <= LIMIT))
