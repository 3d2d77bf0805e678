"""Networks as textbooks have them: generators, point clouds, graphs, sound, tables of embeddings."""

import torch
from torch import nn
from torch.nn import functional as F

from .entry import simple

BATCH = {"batch": (1, 2, 3)}


def network(name, module, *shape):
    make = lambda s: torch.randn(s["batch"], *shape)  # noqa: E731
    return simple(f"textbook_{name}", module, {"x": (make, {0: "batch"})}, BATCH)


class Residual(nn.Module):
    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def forward(self, x):
        return x + self.inside(x)


def cyclegan():
    """Instance norms between reflected paddings."""

    def layer(padding, *sizes):
        return [
            *([nn.ReflectionPad2d(padding)] if padding else []),
            nn.Conv2d(*sizes),
            nn.InstanceNorm2d(sizes[1]),
            nn.ReLU(),
        ]

    inner = [Residual(nn.Sequential(*layer(1, 64, 64, 3), *layer(1, 64, 64, 3)[:-1])) for _ in range(3)]
    up = [nn.ConvTranspose2d(64, 32, 3, 2, 1, 1), nn.InstanceNorm2d(32), nn.ReLU()]
    return nn.Sequential(
        *layer(3, 3, 32, 7),
        *layer(0, 32, 64, 3, 2, 1),
        *inner,
        *up,
        nn.ReflectionPad2d(3),
        nn.Conv2d(32, 3, 7),
        nn.Tanh(),
    )


def dcgan():
    widths, layers = [32, 128, 64, 32], []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers += [nn.ConvTranspose2d(a, b, 4, 2 if i else 1, 1 if i else 0), nn.BatchNorm2d(b), nn.ReLU()]
    return nn.Sequential(*layers, nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()

        def mlp(*w):
            return nn.Sequential(
                *(m for a, b in zip(w, w[1:]) for m in (nn.Conv1d(a, b, 1), nn.BatchNorm1d(b), nn.ReLU()))
            )

        self.near, self.far, self.head = mlp(3, 64, 64), mlp(64, 128, 256), mlp(320, 128, 50)

    def forward(self, x):
        near = self.near(x)
        far = self.far(near).max(2, keepdim=True)[0]
        return self.head(torch.cat([near, far.expand(-1, -1, x.shape[2])], 1)).log_softmax(1)


class Neighbours(nn.Module):
    """DGCNN: features of the nearest points."""

    def __init__(self, k=8):
        super().__init__()
        self.k, self.layer = k, nn.Sequential(nn.Conv2d(6, 32, 1), nn.BatchNorm2d(32), nn.LeakyReLU(0.2))

    def forward(self, x):
        squares = (x * x).sum(1, keepdim=True)
        nearest = (2 * x.transpose(1, 2) @ x - squares - squares.transpose(1, 2)).topk(self.k, -1)[1]
        batch, channels, points = x.shape
        far = torch.gather(
            x.unsqueeze(2).expand(-1, -1, points, -1), 3, nearest.unsqueeze(1).expand(-1, channels, -1, -1)
        )
        here = x.unsqueeze(3).expand(-1, -1, -1, self.k)
        return self.layer(torch.cat([far - here, here], 1)).max(-1)[0]


class Reader(nn.Module):
    """CRNN: columns of an image as a sequence."""

    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d((8, 1))
        )  # fmt: skip
        self.sequence, self.head = nn.LSTM(64, 32, 2, bidirectional=True, batch_first=True), nn.Linear(64, 37)

    def forward(self, x):
        return self.head(self.sequence(self.image(x).squeeze(2).transpose(1, 2))[0])


class Recurrent(nn.Module):
    """Deep Speech: linear layers around a recurrent one."""

    def __init__(self, kind, **words):
        super().__init__()
        self.before = nn.Sequential(nn.Linear(40, 96), nn.Hardtanh(0, 20))
        self.sequence = getattr(nn, kind)(96, 96, batch_first=True, bidirectional=True, **words)
        self.head = nn.Linear(192, 29)

    def forward(self, x):
        return self.head(self.sequence(self.before(x))[0]).log_softmax(-1)


class WaveNet(nn.Module):
    def __init__(self, width=32, depth=6):
        super().__init__()
        self.first = nn.Conv1d(1, width, 1)
        self.gates = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**k) for k in range(depth))
        self.parts = nn.ModuleList(nn.Conv1d(width, 2 * width, 1) for _ in range(depth))

    def forward(self, x):
        x, skipped = self.first(x), 0
        for k, (gate, part) in enumerate(zip(self.gates, self.parts)):
            a, b = gate(F.pad(x, (2**k, 0))).chunk(2, 1)
            more, skip = part(torch.tanh(a) * torch.sigmoid(b)).chunk(2, 1)
            x, skipped = x + more, skipped + skip
        return skipped


def layers_with_norms():
    """Linear layers with norms between them, whose weights are large."""
    return nn.Sequential(
        nn.Linear(256, 384), nn.LayerNorm(384), nn.Linear(384, 192), nn.Softmax(-1), nn.Linear(192, 256)
    )


class Field(nn.Module):
    """NeRF: a position as waves, and a network of it."""

    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(63, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.b = nn.Linear(191, 4)

    def forward(self, x):
        waves = torch.cat([x, *(f(x * 2**k) for k in range(10) for f in (torch.sin, torch.cos))], -1)
        return self.b(torch.cat([self.a(waves), waves], -1))


ENTRIES = [
    network("cyclegan", cyclegan, 3, 48, 48), network("dcgan", dcgan, 32, 1, 1), network("pointnet", PointNet, 3, 128), network("neighbours", Neighbours, 3, 64),
    network("reader", Reader, 1, 16, 64), network("speech_rnn", lambda: Recurrent("RNN", nonlinearity="relu"), 30, 40), network("speech_gru", lambda: Recurrent("GRU"), 30, 40),
    network("wavenet", WaveNet, 1, 300), network("layers_with_norms", layers_with_norms, 20, 256), network("field", Field, 100, 3),
]  # fmt: skip
