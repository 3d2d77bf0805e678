#!/usr/bin/env python3
"""Compiles modules by `torch.compile(backend="halyard")` and by `halyard.compile`, and compares with PyTorch.

    torch_programs.py [--filter REGEX]

The Python is one with torch, onnx and onnxscript, and finds the package `halyard`. Exit code 1 if a result is wrong, or
if a program ran in PyTorch although it need not."""

import argparse
import re
import sys
import warnings

import halyard
import numpy as np
import torch
from halyard.torch import backend
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)

    def forward(self, x):
        return self.layer(x)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.adaptive_avg_pool2d(F.relu(y + self.bn2(self.conv2(y))), 1).flatten(1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTM(6, 10, batch_first=True), nn.Linear(10, 3)

    def forward(self, x):
        out, (hidden, cell) = self.cell(x)
        return self.head(out[:, -1]), hidden


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.norm, self.head = nn.Embedding(50, 16), nn.LayerNorm(16), nn.Linear(16, 50)

    def forward(self, tokens):
        return F.log_softmax(self.head(self.norm(self.table(tokens))), -1)


class Several(nn.Module):
    def forward(self, x):
        return {"sum": x.sum(1), "parts": [x.amax(0), (x > 0).to(torch.int64)], "shape": x.shape[0]}


class Broken(nn.Module):
    """A graph break: a number is needed in Python."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x):
        y = torch.tanh(self.a(x))
        torch._dynamo.graph_break()
        return self.b(y) * 2


class Function(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


def masked(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def r(*shape):
    return torch.randn(*shape)


#: Name, module, arguments, whether it has to be exported for another first dimension as well.
CASES = {
    "mlp": (nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)), (r(3, 8),), True),
    "residual": (Residual(), (r(2, 3, 16, 16),), True),
    "transformer": (Attention(), (r(2, 5, 32),), False),
    "lstm": (Recurrent(), (r(2, 7, 6),), False),
    "words": (Words(), (torch.randint(0, 50, (3, 9)),), True),
    "several": (Several(), (r(4, 6),), False),
    "graph-break": (Broken(), (r(5, 8),), False),
    "attention": (Function(masked), (r(2, 4, 6, 8), r(2, 4, 6, 8), r(2, 4, 6, 8), r(6, 6) > 0.5), False),
    "top-k": (Function(lambda x: torch.topk(x, 3, -1)), (r(4, 10),), False),
    "sort": (Function(lambda x: torch.sort(x, 0, descending=True)), (r(9, 4),), False),
    "gather": (Function(lambda x, i: torch.gather(x, 1, i)), (r(4, 10), torch.randint(0, 10, (4, 3))), False),
    "where": (Function(lambda x: torch.where(x > 0, x.sqrt(), x.square())), (r(6, 6),), True),
    "einsum": (Function(lambda a, b: torch.einsum("bij,bkj->bik", a, b)), (r(2, 3, 4), r(2, 5, 4)), False),
    "convolutions": (nn.Sequential(nn.Conv1d(4, 8, 3, groups=2), nn.ConvTranspose1d(8, 2, 4, 2)), (r(2, 4, 20),), True),
    "pool": (nn.Sequential(nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2)), (r(2, 3, 17, 17),), True),
    "gru": (nn.GRU(4, 6, bidirectional=True), (r(5, 2, 4),), False),
    "double": (Function(lambda x: torch.linalg.norm(x.double(), dim=1)), (r(4, 5),), True),
    "integers": (Function(lambda x: (x // 3, x % 5, x << 1, x.cumsum(0))), (torch.arange(12).reshape(3, 4),), False),
    "upsample": (nn.Upsample(scale_factor=2, mode="bilinear"), (r(1, 2, 5, 5),), False),
    "views": (Function(lambda x: x.transpose(1, 2).reshape(-1, 3).flip(0)[::2]), (r(2, 3, 4),), False),
    "half": (nn.Linear(8, 4).half(), (r(3, 8).half(),), True),
    "bfloat16": (nn.Linear(8, 4).bfloat16(), (r(3, 8).bfloat16(),), True),
}


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value.detach().float() if value.dtype == torch.bfloat16 else value.detach()]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for v in value for leaf in leaves(v)]
    return [torch.as_tensor(np.asarray(value, np.float32 if np.asarray(value).dtype.name == "bfloat16" else None))]


def same(got, expected):
    got, expected = leaves(got), leaves(expected)
    tolerance = 2e-2 if any(e.dtype == torch.float16 or e.dtype == torch.float32 for e in expected) else 0
    if len(got) != len(expected):
        return f"{len(got)} results instead of {len(expected)}"
    for i, (a, b) in enumerate(zip(got, expected)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {i}: {a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
        loose = b.dtype == torch.float16 or tolerance == 0
        if not torch.allclose(a, b, rtol=1e-2 if loose else 1e-4, atol=1e-2 if loose else 1e-5, equal_nan=True):
            return f"result {i}: differs by {(a.double() - b.double()).abs().max()}"
    return None


def run(name):
    module, args, dynamic = CASES[name]
    module = module.eval()
    coarse = name == "bfloat16"
    torch._dynamo.reset()
    with torch.no_grad(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = torch.compile(module, backend=backend, options={"fallback_to_eager": False})
        calls = [args]
        if dynamic:
            calls.append(tuple(torch.cat([a, a[:1]]) for a in args))
        for call in calls:
            expected = module(*call)
            if coarse:
                got, expected = compiled(*call).half(), expected.half()
            else:
                got = compiled(*call)
            if why := same(got, expected):
                return f"wrong by torch.compile: {why}"
        notes = [str(w.message) for w in caught if "runs in PyTorch" in str(w.message)]
        if notes:
            return f"not compiled: {notes[0][:300]}"
        # Exported programs return tensors only.
        if name in ("graph-break", "several") or coarse:
            return None
        shapes = None
        if dynamic:
            dims = tuple({0: torch.export.Dim("batch", min=2, max=64)} for _ in args)
            shapes = (dims,) if isinstance(module, Function) else dims
        program = halyard.compile(module, args, dynamic_shapes=shapes)
        for call in calls:
            if why := same(program(*call), [t for t in leaves_of_tensors(module(*call))]):
                return f"wrong by halyard.compile: {why}"
    return None


def leaves_of_tensors(value):
    """The tensors of a tree; an exported program has nothing else."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for v in value for leaf in leaves_of_tensors(v)] if isinstance(value, (tuple, list)) else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only modules whose names match")
    options = parser.parse_args()
    torch.manual_seed(0)
    right = bad = 0
    for name in CASES:
        if not re.search(options.filter, name):
            continue
        try:
            why = run(name)
        except Exception as e:
            why = f"{type(e).__name__}: {str(e)[:600]}"
        right, bad = right + (why is None), bad + (why is not None)
        print(f"{name}: {why or 'right'}", flush=True)
    print(f"{right} right, {bad} not, torch {torch.__version__}")
    return 1 if bad else 0


sys.exit(main())
