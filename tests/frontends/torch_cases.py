"""Modules in PyTorch: (module, arguments, dynamic shapes)."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

torch.manual_seed(7)
CASES = {}


def add(name, module, *args, dynamic=None):
    assert name not in CASES, name
    CASES[name] = (module.eval(), args, dynamic)


class Function(nn.Module):
    """A module of a function."""

    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


def fn(name, f, *args, dynamic=None):
    add(name, Function(f), *args, dynamic=dynamic)


r = torch.randn
b = Dim("b", min=2, max=64)
add("linear", nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)), r(3, 16))
add("linear_dynamic", nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4)), r(5, 16), dynamic=[{0: b}])
add(
    "convolutions",
    nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 3, stride=2)
    ),
    r(1, 3, 16, 16),
)
add(
    "convolutions_dynamic",
    nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 4),
    ),
    r(2, 3, 12, 12),
    dynamic=[{0: b}],
)
add("depthwise", nn.Sequential(nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.Conv2d(8, 16, 1), nn.SiLU()), r(1, 8, 9, 9))
add("transposed", nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1), r(1, 4, 6, 6))
add("average_pool", nn.AvgPool2d(3, stride=2, padding=1), r(1, 3, 9, 9))
add("conv1d", nn.Sequential(nn.Conv1d(4, 8, 5, padding=2), nn.Tanh()), r(2, 4, 20))
add("layer_norm", nn.LayerNorm(16), r(2, 5, 16))
add("group_norm", nn.GroupNorm(2, 8), r(2, 8, 5, 5))
add("embedding", nn.Embedding(20, 8), torch.randint(0, 20, (3, 5)))
add("attention", nn.MultiheadAttention(16, 4, batch_first=True), r(2, 5, 16), r(2, 5, 16), r(2, 5, 16))
add("transformer", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), r(2, 5, 16))
fn(
    "attention_function",
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    r(1, 2, 5, 8),
    r(1, 2, 5, 8),
    r(1, 2, 5, 8),
)
fn(
    "attention_causal",
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    r(1, 2, 5, 8),
    r(1, 2, 5, 8),
    r(1, 2, 5, 8),
)
fn("softmax", lambda x: F.log_softmax(x, -1), r(3, 9))
fn("softmax_dynamic", lambda x: F.softmax(x, -1), r(3, 9), dynamic=[{0: b}])
fn(
    "activations",
    lambda x: F.gelu(x) + F.elu(x) + F.hardswish(x) + F.softplus(x) + F.leaky_relu(x, 0.1) + F.mish(x),
    r(20),
)
fn(
    "pointwise",
    lambda x: torch.sin(x) * torch.cos(x) + torch.exp(-x * x) + torch.sqrt(x.abs()) + torch.erf(x) + x.clamp(-1, 1),
    r(20),
)
fn("where", lambda x, y: torch.where(x > y, x, y * 2), r(4, 5), r(4, 5))
fn("reductions", lambda x: (x.sum(1), x.mean(), x.amax(0), x.var(1), x.argmax(1)), r(4, 7))
fn("cumsum", lambda x: torch.cumsum(x, 1), r(3, 20))
fn("topk", lambda x: torch.topk(x, 3), r(4, 20))
fn("sort", lambda x: torch.sort(x, dim=1), r(3, 40))
fn("gather", lambda x, k: torch.gather(x, 1, k), r(4, 9), torch.randint(0, 9, (4, 3)))
fn("index", lambda x, k: x[k], r(9, 4), torch.randint(0, 9, (5,)))
fn("index_put", lambda x, k, v: x.index_put((k,), v), r(9, 4), torch.tensor([1, 5, 2]), r(3, 4))
fn("index_add", lambda x, k, v: torch.index_add(x, 0, k, v), r(9, 4), torch.tensor([1, 5, 1]), r(3, 4))
fn("scatter", lambda x, k, v: torch.scatter(x, 1, k, v), r(4, 9), torch.randint(0, 9, (4, 1)), r(4, 1))
fn("scatter_add", lambda x, k, v: torch.scatter_add(x, 1, k, v), r(4, 9), torch.randint(0, 9, (4, 3)), r(4, 3))
fn("matmul", lambda x, y: x @ y, r(2, 5, 7), r(2, 7, 3))
fn("einsum", lambda x, y: torch.einsum("bij,bkj->bik", x, y), r(2, 3, 4), r(2, 5, 4))
fn("shapes", lambda x: torch.cat([x.transpose(0, 1).reshape(2, -1), x.flip(0).view(2, -1)], 0), r(4, 6))
fn(
    "concat_dynamic",
    lambda x, y: torch.cat([x, y], 0).mean(0),
    r(4, 6),
    r(3, 6),
    dynamic=[{0: b}, {0: Dim("c", min=2, max=64)}],
)
fn("roll_pad", lambda x: F.pad(torch.roll(x, 1, 0), (1, 2), value=3.0), r(4, 6))
fn("integers", lambda x, y: (x // y, x % y, x & y, x << 2), torch.randint(-20, 20, (9,)), torch.randint(1, 5, (9,)))
fn("types", lambda x: (x.to(torch.int32), x > 0, x.half().float(), x.bfloat16().float()), r(9) * 5)
fn("linear_algebra", lambda x: torch.linalg.norm(x) + torch.trace(x) + torch.tril(x).sum(), r(5, 5))
fn("upsample", lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), r(1, 2, 4, 5))
fn("masked", lambda x: x.masked_fill(x < 0, -1.0), r(4, 5))
fn("one_hot", lambda k: F.one_hot(k, 7).float(), torch.randint(0, 7, (5,)))
fn(
    "broadcast_dynamic",
    lambda x, y: x[:, None] * y[None] + 1,
    r(4),
    r(5),
    dynamic=[{0: b}, {0: Dim("c", min=2, max=64)}],
)
fn("reshape_dynamic", lambda x: x.reshape(x.shape[0], -1).sum(1), r(4, 3, 5), dynamic=[{0: b}])


class Lstm(nn.Module):
    """A cell that is called in a loop, which the exporter unrolls."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(5, 6)

    def forward(self, x):
        h = c = torch.zeros(x.shape[1], 6)
        for t in range(4):
            h, c = self.cell(x[t], (h, c))
        return h


add("lstm", Lstm(), r(4, 2, 5))


class Residual(nn.Module):
    """A block as those of ResNet."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)
        self.n, self.m = nn.BatchNorm2d(4), nn.BatchNorm2d(4)

    def forward(self, x):
        return F.relu(x + self.m(self.b(F.relu(self.n(self.a(x))))))


add("residual", Residual(), r(1, 4, 8, 8))
add("residual_dynamic", Residual(), r(2, 4, 8, 8), dynamic=[{0: b}])
