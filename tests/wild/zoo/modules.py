"""Single layers of torch, as they stand in models."""

import torch
from torch import nn
from torch.nn import functional as F

from .entry import simple

SEQUENCE = {0: "batch", 1: "length"}
AXES = {"batch": (2, 1, 3), "length": (7, 1, 12)}


def function(name, f, inputs, axes):
    class Module(nn.Module):
        def forward(self, *args):
            return f(*args)

    return simple(f"op_{name}", Module, inputs, axes)


def sequence(width):
    return (lambda s: torch.randn(s["batch"], s["length"], width), SEQUENCE)


IMAGE = (lambda s: torch.randn(s["batch"], 4, s["height"], s["width"]), {0: "batch", 2: "height", 3: "width"})
IMAGES = {"batch": (2, 1, 3), "height": (8, 5, 16), "width": (6, 9, 16)}


class Recurrent(nn.Module):
    def __init__(self, kind, **words):
        super().__init__()
        self.net = kind(6, 8, batch_first=True, **words)

    def forward(self, x):
        return self.net(x)[0]


class UNet(nn.Module):
    """Down, up, and what was passed over."""

    def __init__(self, mode):
        super().__init__()
        self.a, self.b, self.c = (
            nn.Conv2d(4, 8, 3, padding=1),
            nn.Conv2d(8, 8, 3, stride=2, padding=1),
            nn.Conv2d(16, 4, 3, padding=1),
        )
        self.mode = mode

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(a))
        up = F.interpolate(b, size=a.shape[2:], mode=self.mode)
        return self.c(torch.cat([a, up], 1))


ENTRIES = [
    simple("transformer_encoder", lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2, enable_nested_tensor=False), {"x": sequence(16)}, AXES),
    simple("multihead_attention", lambda: type("M", (nn.Module,), {"__init__": lambda self: (nn.Module.__init__(self), setattr(self, "m", nn.MultiheadAttention(16, 4, batch_first=True)))[0], "forward": lambda self, x, y: self.m(x, y, y)[0]})(),
           {"x": sequence(16), "y": (lambda s: torch.randn(s["batch"], s["other"], 16), {0: "batch", 1: "other"})}, {**AXES, "other": (5, 3, 9)}),
    simple("lstm", lambda: Recurrent(nn.LSTM), {"x": sequence(6)}, AXES),
    simple("lstm_both_ways", lambda: Recurrent(nn.LSTM, bidirectional=True, num_layers=2), {"x": sequence(6)}, AXES),
    simple("gru", lambda: Recurrent(nn.GRU), {"x": sequence(6)}, AXES),
    simple("unet_nearest", lambda: UNet("nearest"), {"x": IMAGE}, IMAGES),
    simple("unet_bilinear", lambda: UNet("bilinear"), {"x": IMAGE}, IMAGES),
    function("upsample_bicubic", lambda x: F.interpolate(x, scale_factor=1.5, mode="bicubic"), {"x": IMAGE}, IMAGES),
    function("upsample_corners", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True), {"x": IMAGE}, IMAGES),
    function("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), {"x": IMAGE}, IMAGES),
    function("adaptive_pool", lambda x: F.adaptive_avg_pool2d(x, (1, 1)), {"x": IMAGE}, IMAGES),
    function("reflect_pad", lambda x: F.pad(x, (1, 2, 2, 1), mode="reflect"), {"x": IMAGE}, IMAGES),
    function("group_norm", lambda x: F.group_norm(x, 2), {"x": IMAGE}, IMAGES),
    function("instance_norm", lambda x: F.instance_norm(x), {"x": IMAGE}, IMAGES),
    function("grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=False), {"x": IMAGE, "g": (lambda s: torch.rand(s["batch"], 5, 4, 2) * 2 - 1, {0: "batch"})}, IMAGES),
    function("matmul_broadcast", lambda a, b: a @ b, {"a": (lambda s: torch.randn(s["batch"], 1, s["length"], 5), {0: "batch", 2: "length"}), "b": (lambda s: torch.randn(1, 3, 5, s["other"]), {3: "other"})}, {**AXES, "other": (4, 2, 6)}),
    function("sdpa_causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), {n: (lambda s: torch.randn(s["batch"], 2, s["length"], 8), {0: "batch", 2: "length"}) for n in "qkv"}, AXES),
    function("softmax_mask", lambda x, m: torch.softmax(x.masked_fill(~m, float("-inf")), -1), {"x": sequence(8), "m": (lambda s: torch.ones(s["batch"], s["length"], 8, dtype=torch.bool), SEQUENCE)}, AXES),
    function("topk", lambda x: x.topk(3, -1), {"x": sequence(8)}, AXES),
    function("cumsum", lambda x: x.cumsum(1), {"x": sequence(8)}, AXES),
    function("gather", lambda x, i: x.gather(1, i), {"x": sequence(4), "i": (lambda s: torch.zeros(s["batch"], 2, 4, dtype=torch.long), {0: "batch"})}, AXES),
    function("index_select", lambda x: x[:, [0, 0], :], {"x": sequence(4)}, AXES),
    function("where_mean", lambda x: torch.where(x > 0, x, x.mean(1, keepdim=True)), {"x": sequence(4)}, AXES),
    function("einsum", lambda a, b: torch.einsum("bld,bmd->blm", a, b), {"a": sequence(4), "b": (lambda s: torch.randn(s["batch"], s["other"], 4), {0: "batch", 1: "other"})}, {**AXES, "other": (4, 2, 6)}),
    function("roll", lambda x: torch.roll(x, 1, 1), {"x": sequence(4)}, AXES),
    function("flip", lambda x: x.flip(1), {"x": sequence(4)}, AXES),
    function("arange_positions", lambda x: x + torch.arange(x.shape[1])[None, :, None], {"x": sequence(4)}, AXES),
    function("tril", lambda x: torch.tril(x @ x.transpose(1, 2)), {"x": sequence(4)}, AXES),
    function("repeat_interleave", lambda x: x.repeat_interleave(2, 1), {"x": sequence(4)}, AXES),
    function("unfold", lambda x: F.unfold(x, 3, padding=1), {"x": IMAGE}, IMAGES),
    function("conv_transpose", lambda x: F.conv_transpose2d(x, torch.ones(4, 3, 3, 3), stride=2), {"x": IMAGE}, IMAGES),
    function("max_pool_ceil", lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), {"x": IMAGE}, IMAGES),
    function("std", lambda x: x.std(1), {"x": sequence(4)}, {"batch": (2, 1, 3), "length": (7, 2, 12)}),
    function("chunk", lambda x: torch.cat([p * i for i, p in enumerate(x.chunk(2, -1))], -1), {"x": sequence(8)}, AXES),
    function("nonzero", lambda x: torch.nonzero(x > 0), {"x": sequence(4)}, AXES),
    function("masked_select", lambda x: x[x > 0], {"x": sequence(4)}, AXES),
]  # fmt: skip
