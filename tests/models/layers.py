"""What convolutional and sequence models are made of, as nodes that exporters write; weights are seeded and realistic."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 20


class Graph:
    """Nodes, initialisers and shapes under construction. A tensor is (name, shape)."""

    def __init__(self, seed=0):
        self.nodes, self.initializers, self.inputs, self.count = [], {}, [], 0
        self.rng = np.random.default_rng(seed)

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name, list(shape)

    def op(self, kind, *inputs, shape, **attributes):
        """Adds a node with one result of a known shape."""
        self.count += 1
        name = f"{kind.lower()}.{self.count}"
        names = [i if isinstance(i, str) else i[0] for i in inputs]
        self.nodes.append(helper.make_node(kind, names, [name], name, **attributes))
        return name, list(shape)

    def constant(self, value, name=None):
        self.count += 1
        name = name or f"constant.{self.count}"
        self.initializers[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def weight(self, shape, fan_in, gain=2.0):
        return self.constant(self.rng.standard_normal(shape, np.float32) * np.float32(np.sqrt(gain / fan_in)))

    def vector(self, n, low, high):
        return self.constant(self.rng.uniform(low, high, n).astype(np.float32))

    def finish(self, *outputs):
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs]
        graph = helper.make_graph(self.nodes, "model", self.inputs, results, list(self.initializers.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)

    # Elementwise.

    def unary(self, kind, x, **attributes):
        return self.op(kind, x, shape=x[1], **attributes)

    def binary(self, kind, a, b):
        shape = np.broadcast_shapes(a[1], [] if isinstance(b, str) else b[1])
        return self.op(kind, a, b, shape=shape)

    def activate(self, x, kind):
        if kind is None:
            return x
        if kind == "relu6":
            return self.op("Clip", x, self.constant(np.float32(0)), self.constant(np.float32(6)), shape=x[1])
        if kind == "swish":
            return self.binary("Mul", x, self.unary("Sigmoid", x))
        if kind == "hardswish":
            return self.unary("HardSwish", x)
        if kind == "leaky":
            return self.unary("LeakyRelu", x, alpha=0.1)
        if kind == "gelu":
            return self.unary("Gelu", x)
        if kind == "gelu_tanh":
            return self.unary("Gelu", x, approximate="tanh")
        return self.unary(kind, x)

    # Images: batch x channels x height x width.

    def conv(self, x, filters, kernel, stride=1, pad=None, group=1, dilation=1, act="Relu", norm=False):
        kh, kw = (kernel, kernel) if isinstance(kernel, int) else kernel
        n, c, h, w = x[1]
        ph, pw = ((kh - 1) * dilation // 2, (kw - 1) * dilation // 2) if pad is None else (pad, pad)
        size = lambda v, k, p: (v + 2 * p - dilation * (k - 1) - 1) // stride + 1
        shape = [n, filters, size(h, kh, ph), size(w, kw, pw)]
        weights = self.weight([filters, c // group, kh, kw], c // group * kh * kw)
        bias = [] if norm else [self.vector(filters, -0.1, 0.1)]
        y = self.op(
            "Conv",
            x,
            weights,
            *bias,
            shape=shape,
            kernel_shape=[kh, kw],
            strides=[stride, stride],
            pads=[ph, pw, ph, pw],
            dilations=[dilation, dilation],
            group=group,
        )
        return self.activate(self.batch_norm(y) if norm else y, act)

    def batch_norm(self, x):
        c = x[1][1]
        parts = [
            self.vector(c, 0.8, 1.2),
            self.vector(c, -0.1, 0.1),
            self.vector(c, -0.1, 0.1),
            self.vector(c, 0.5, 1.5),
        ]
        return self.op("BatchNormalization", x, *parts, shape=x[1])

    def instance_norm(self, x):
        c = x[1][1]
        return self.op("InstanceNormalization", x, self.vector(c, 0.8, 1.2), self.vector(c, -0.1, 0.1), shape=x[1])

    def group_norm(self, x, groups):
        """As exporters write it: an instance norm over groups, then scale and bias per channel."""
        n, c, h, w = x[1]
        flat = self.reshape(x, [n, groups, c // groups * h * w])
        ones, zeros = self.constant(np.ones(groups, np.float32)), self.constant(np.zeros(groups, np.float32))
        y = self.reshape(self.op("InstanceNormalization", flat, ones, zeros, shape=flat[1]), [n, c, h, w])
        scale = self.constant(self.rng.uniform(0.8, 1.2, [c, 1, 1]).astype(np.float32)), [c, 1, 1]
        bias = self.constant(self.rng.uniform(-0.1, 0.1, [c, 1, 1]).astype(np.float32)), [c, 1, 1]
        return self.binary("Add", self.binary("Mul", y, scale), bias)

    def deconv(self, x, filters, kernel, stride, act="Relu"):
        n, c, h, w = x[1]
        pad = (kernel - stride) // 2
        shape = [n, filters, (h - 1) * stride - 2 * pad + kernel, (w - 1) * stride - 2 * pad + kernel]
        weights = self.weight([c, filters, kernel, kernel], c * kernel * kernel // stride**2)
        y = self.op(
            "ConvTranspose",
            x,
            weights,
            self.vector(filters, -0.1, 0.1),
            shape=shape,
            strides=[stride, stride],
            pads=[pad] * 4,
            kernel_shape=[kernel, kernel],
        )
        return self.activate(y, act)

    def pool(self, x, kernel, stride, pad=0, kind="MaxPool"):
        n, c, h, w = x[1]
        size = lambda v: (v + 2 * pad - kernel) // stride + 1
        return self.op(
            kind, x, shape=[n, c, size(h), size(w)], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4
        )

    def global_pool(self, x):
        return self.op("GlobalAveragePool", x, shape=[*x[1][:2], 1, 1])

    def squeeze_excite(self, x, inner, act="Relu", gate="Sigmoid"):
        y = self.conv(self.global_pool(x), inner, 1, act=act)
        return self.binary("Mul", x, self.conv(y, x[1][1], 1, act=gate))

    def resize(self, x, scale, mode="nearest"):
        n, c, h, w = x[1]
        how = {
            "nearest": {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
            "linear": {"coordinate_transformation_mode": "half_pixel"},
        }[mode]
        scales = self.constant(np.array([1, 1, scale, scale], np.float32))
        return self.op("Resize", x, "", scales, shape=[n, c, h * scale, w * scale], mode=mode, **how)

    def concat(self, parts, axis=1):
        shape = list(parts[0][1])
        shape[axis] = sum(p[1][axis] for p in parts)
        return self.op("Concat", *parts, shape=shape, axis=axis)

    # Shapes.

    def reshape(self, x, shape):
        return self.op("Reshape", x, self.constant(np.array(shape, np.int64)), shape=shape)

    def transpose(self, x, perm):
        return self.op("Transpose", x, shape=[x[1][p] for p in perm], perm=perm)

    def take(self, x, axis, at):
        """One position of a dimension."""
        return self.op(
            "Gather", x, self.constant(np.int64(at)), shape=[s for i, s in enumerate(x[1]) if i != axis], axis=axis
        )

    # Sequences: batch x sequence x width.

    def linear(self, x, width, act=None, gain=1.0):
        inputs = x[1][-1]
        y = self.op("MatMul", x, self.weight([inputs, width], inputs, gain), shape=[*x[1][:-1], width])
        return self.activate(self.op("Add", y, self.vector(width, -0.05, 0.05), shape=y[1]), act)

    def classify(self, x, classes):
        """Global pooling and a fully connected layer."""
        flat = self.op("Flatten", self.global_pool(x), shape=x[1][:2], axis=1)
        weights = self.weight([classes, flat[1][1]], flat[1][1], 1.0)
        return self.op("Gemm", flat, weights, self.vector(classes, -0.1, 0.1), shape=[flat[1][0], classes], transB=1)

    def norm(self, x):
        width = x[1][-1]
        return self.op(
            "LayerNormalization", x, self.vector(width, 0.8, 1.2), self.vector(width, -0.05, 0.05), shape=x[1], axis=-1
        )

    def rms_norm(self, x):
        width = x[1][-1]
        square = self.binary("Mul", x, x)
        mean = self.op("ReduceMean", square, self.constant(np.array([-1], np.int64)), shape=[*x[1][:-1], 1], keepdims=1)
        root = self.unary("Sqrt", self.binary("Add", mean, self.constant(np.float32(1e-6))))
        return self.op("Mul", self.binary("Div", x, root), self.vector(width, 0.8, 1.2), shape=x[1])

    def attention(self, x, heads, mask=None, fused=True):
        """Self-attention; `fused`: one product makes queries, keys and values, as many exporters write it."""
        batch, length, width = x[1]
        if fused:
            all_of_them = self.reshape(self.linear(x, 3 * width, gain=1.5), [batch, length, 3, heads, width // heads])
            q, k, v = (self.take(self.transpose(all_of_them, [2, 0, 3, 1, 4]), 0, i) for i in range(3))
        else:
            split = [batch, length, heads, width // heads]
            q, k, v = (
                self.transpose(self.reshape(self.linear(x, width, gain=1.5), split), [0, 2, 1, 3]) for _ in range(3)
            )
        k = self.transpose(k, [0, 1, 3, 2])
        scores = self.op("MatMul", q, k, shape=[batch, heads, length, length])
        scores = self.binary("Mul", scores, self.constant(np.float32((width // heads) ** -0.5)))
        if mask:
            scores = self.binary("Add", scores, mask)
        weights = self.unary("Softmax", scores, axis=-1)
        mixed = self.op("MatMul", weights, v, shape=[batch, heads, length, width // heads])
        return self.linear(self.reshape(self.transpose(mixed, [0, 2, 1, 3]), [batch, length, width]), width)
