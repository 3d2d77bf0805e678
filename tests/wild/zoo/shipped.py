"""Networks as applications ship them: text in pictures, objects, voices; whole detectors of torchvision."""

import torch
from torch import nn
from torch.nn import functional as F

from .entry import Entry, simple


def block(channels, filters, stride=1, act=nn.ReLU):
    return nn.Sequential(nn.Conv2d(channels, filters, 3, stride, 1, bias=False), nn.BatchNorm2d(filters), act())


class Reader(nn.Module):
    """Reads a line of text: columns of a picture become steps of a recurrent net."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            block(1, 8), nn.MaxPool2d(2), block(8, 16), nn.MaxPool2d((2, 1)), block(16, 16), nn.MaxPool2d((8, 1))
        )
        self.steps = nn.LSTM(16, 12, num_layers=2, bidirectional=True)
        self.last = nn.Linear(24, 20)

    def forward(self, x):
        x = self.net(x).squeeze(2).permute(2, 0, 1)
        return F.log_softmax(self.last(self.steps(x)[0]), 2)


class Finder(nn.Module):
    """Finds text: a pyramid of features, each brought to the size of the one below."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([block(3, 8, 2), block(8, 12, 2), block(12, 16, 2)])
        self.side = nn.ModuleList([nn.Conv2d(c, 8, 1) for c in (8, 12, 16)])
        self.head = nn.Sequential(
            block(24, 8, act=nn.Hardswish),
            nn.ConvTranspose2d(8, 4, 2, 2),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Conv2d(4, 1, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        features = []
        for down in self.down:
            x = down(x)
            features.append(x)
        top = [side(f) for side, f in zip(self.side, features)]
        for i in (1, 0):
            top[i] = top[i] + F.interpolate(top[i + 1], size=top[i].shape[2:], mode="nearest")
        return self.head(
            torch.cat([top[0]] + [F.interpolate(t, size=top[0].shape[2:], mode="bilinear") for t in top[1:]], 1)
        )


class Detector(nn.Module):
    """Boxes and classes on three scales, as detectors of one stage have them: distances as distributions over bins."""

    def __init__(self, classes=4, bins=8):
        super().__init__()
        self.classes, self.bins = classes, bins
        act = nn.SiLU
        self.first = block(3, 8, 2, act)
        self.levels = nn.ModuleList([block(8, 12, 2, act), block(12, 16, 2, act), block(16, 16, 2, act)])
        self.heads = nn.ModuleList([nn.Conv2d(c, 4 * bins + classes, 1) for c in (12, 16, 16)])
        self.register_buffer("weights", torch.arange(bins, dtype=torch.float))

    def forward(self, x):
        x = self.first(x)
        found, places, strides = [], [], []
        for i, (level, head) in enumerate(zip(self.levels, self.heads)):
            x = level(x)
            h, w = x.shape[2], x.shape[3]
            found.append(head(x).flatten(2))
            ys, xs = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
            places.append(torch.stack((xs, ys), -1).view(-1, 2))
            strides.append(torch.full((h * w,), 4.0 * 2**i))
        boxes, scores = torch.cat(found, 2).split((4 * self.bins, self.classes), 1)
        batch, _, count = boxes.shape
        distances = boxes.view(batch, 4, self.bins, count).softmax(2).mul(self.weights.view(1, 1, -1, 1)).sum(2)
        low, high = distances.chunk(2, 1)
        places, strides = torch.cat(places).t()[None], torch.cat(strides)
        low, high = places - low, places + high
        return torch.cat(((low + high) / 2 * strides, (high - low) * strides, scores.sigmoid()), 1)


class Voices(nn.Module):
    """Whether somebody speaks: a spectrum by convolution, a recurrent net whose state comes and goes, one net for each rate."""

    def __init__(self):
        super().__init__()
        self.fast, self.slow = Voice(256), Voice(128)

    def forward(self, x, state, rate: int):
        if rate == 16000:
            return self.fast(x, state)
        return self.slow(x, state)


class Voice(nn.Module):
    def __init__(self, window: int):
        super().__init__()
        self.spectrum = nn.Conv1d(1, 34, window, window // 2, bias=False)
        self.net = nn.Sequential(
            nn.Conv1d(17, 16, 3, padding=1), nn.ReLU(), nn.Conv1d(16, 16, 3, 2, padding=1), nn.ReLU()
        )
        self.cell = nn.LSTM(16, 16)
        self.last = nn.Linear(16, 1)

    def forward(self, x, state):
        parts = self.spectrum(F.pad(x.unsqueeze(1), [0, 64], mode="reflect"))
        size = torch.sqrt(parts[:, :17] ** 2 + parts[:, 17:] ** 2)
        steps, (h, c) = self.cell(self.net(size).permute(2, 0, 1), (state[0:1], state[1:2]))
        return torch.sigmoid(self.last(torch.relu(steps)).mean(0)), torch.cat([h, c], 0)


def voices():
    module = torch.jit.script(Voices())
    names = {"x": {0: "batch", 1: "length"}, "state": {1: "batch"}, "rate": {}}

    def make(s):
        return [
            torch.randn(s["batch"], s["length"]),
            torch.randn(2, s["batch"], 16),
            torch.tensor(16000 if s["length"] % 2 else 8000),
        ]

    return module, names, make, {"batch": (2, 1, 3), "length": (513, 512, 1025)}


def whole(name, make, size=64):
    """A detector of torchvision; how many boxes it finds depends on the picture."""

    def build():
        import torchvision

        class Module(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = make(torchvision.models.detection)

            def forward(self, image):
                found = self.net([image])[0]
                return found["boxes"], found["labels"], found["scores"]

        return Module(), {"image": {}}, lambda s: [torch.rand(3, size, size)], {"one": (1, 2, 3)}

    return Entry(name, build)


PICTURE = {0: "batch", 2: "height", 3: "width"}
# Not ssdlite: with random weights many of its scores are equal, and rounding says which boxes stay.
SMALL = {"weights": None, "weights_backbone": None, "num_classes": 4}
ENTRIES = [
    simple(
        "text_reader",
        Reader,
        {"image": (lambda s: torch.randn(s["batch"], 1, 32, s["width"]), {0: "batch", 3: "width"})},
        {"batch": (2, 1, 3), "width": (48, 20, 100)},
    ),  # fmt: skip
    simple(
        "text_finder",
        Finder,
        {"image": (lambda s: torch.randn(s["batch"], 3, s["height"], s["width"]), PICTURE)},
        {"batch": (1, 2, 1), "height": (48, 32, 64), "width": (64, 32, 96)},
    ),  # fmt: skip
    simple(
        "detector",
        Detector,
        {"image": (lambda s: torch.randn(s["batch"], 3, s["height"], s["width"]), PICTURE)},
        {"batch": (1, 2, 1), "height": (48, 32, 64), "width": (64, 32, 96)},
    ),  # fmt: skip
    Entry("voices", voices),
    whole("faster_rcnn", lambda d: d.fasterrcnn_mobilenet_v3_large_320_fpn(min_size=64, max_size=96, **SMALL)),
    whole("retinanet", lambda d: d.retinanet_resnet50_fpn(min_size=64, max_size=96, **SMALL)),
]
