"""Functions of TensorFlow on arrays."""

import numpy as np
import tensorflow as tf

from .entry import function, indices

TABLE = np.random.default_rng(3).standard_normal((8, 4)).astype(np.float32)
ROWS = ("batch", 6)
SEQUENCE = ("batch", "length", 6)


def scattered(x, i):
    """Updates at rows that are data, all different."""
    i = tf.argsort(i)[:, None]
    return (
        tf.tensor_scatter_nd_update(x, i, x * 2),
        tf.scatter_nd(i, x, tf.shape(x)),
    )


def slices(x):
    n = tf.shape(x)[1]
    return x[..., ::-1], x[:, tf.newaxis, 1 : n - 1 : 2], x[0], x[:, -1, 2:4], x[:, n // 2 :, -1:]


def by_rows(values, lengths):
    """A ragged tensor: rows of different lengths, to a dense one."""
    lengths = tf.concat([lengths, tf.shape(values)[:1] - tf.reduce_sum(lengths, keepdims=True)], 0)
    return tf.RaggedTensor.from_row_lengths(values, lengths, validate=False).to_tensor()


def uniques(x):
    values, at = tf.unique(x)
    return values, at, tf.reduce_sum(tf.one_hot(at, tf.size(values)), 0)


def kept(x):
    return tf.boolean_mask(x, x[:, 0] > 0), tf.where(x > 0.5)


def ints(x, y):
    y = y + 1
    return (
        x // y,
        x % y,
        tf.truncatediv(x, y),
        tf.bitwise.bitwise_and(x, y),
        tf.bitwise.left_shift(x, y % 5),
        tf.math.floormod(-x, y),
        tf.cast(x, tf.float32) ** 2,
    )


def numbers(x):
    p = tf.abs(x) + 0.1
    return (tf.math.erf(x), tf.math.rsqrt(p), tf.math.atan2(x, p), tf.math.sinh(x), tf.math.acosh(p + 1), tf.round(x * 3), tf.math.rint(x * 3), tf.sign(x),
            tf.math.squared_difference(x, p), tf.math.divide_no_nan(x, tf.nn.relu(x)), tf.math.floor(x), tf.math.softplus(x), tf.sigmoid(x))  # fmt: skip


def reductions(x):
    mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
    return (
        mean,
        variance,
        tf.reduce_logsumexp(x, 1),
        tf.reduce_prod(x, -1),
        tf.reduce_all(x > -5, 1),
        tf.reduce_any(x > 1),
        tf.math.reduce_std(x, 0),
        tf.norm(x, axis=1),
        tf.math.count_nonzero(x > 0, 1),
    )


ENTRIES = [
    function("einsum", lambda q, k: tf.einsum("bqhd,bkhd->bhqk", q, k), ("batch", "length", 2, 4), ("batch", "other", 2, 4)),
    function("einsum_of_three", lambda a, b: tf.einsum("bi,ij,bj->b", a, tf.constant(TABLE[:6, :4]), b), ROWS, ("batch", 4)),
    function("matmul", lambda a, b: tf.matmul(a, b, transpose_b=True), SEQUENCE, ("batch", "other", 6)),
    function("gather", lambda x, i: tf.gather(x, i, axis=2), SEQUENCE, indices("other", high=6)),
    function("gather_of_batches", lambda x, i: tf.gather(x, i, batch_dims=1), ("batch", 5, 6), indices("batch", "other", high=5)),
    function("gather_nd", lambda x, i: tf.gather_nd(x, i), (5, 6, 3), indices("length", 2, high=5)),
    function("gather_nd_of_batches", lambda x, i: tf.gather_nd(x, i, batch_dims=1), ("batch", 5, 6), indices("batch", "other", 1, high=5)),
    function("embedding_lookup", lambda i: tf.nn.embedding_lookup(tf.constant(TABLE), i), indices("batch", "length", dtype="int64")),
    function("scatter", scattered, ROWS, indices("batch")),
    function("slices", slices, ("batch", "length", 6)),
    function("slice_by_data", lambda x, i: tf.slice(x, [0, i[0], 0], [-1, 1, 4]), ("batch", 5, 6), indices(1, high=5)),
    function("one_hot", lambda i: (tf.one_hot(i, 9), tf.one_hot(i, 5, 2.0, -1.0, axis=0)), indices("batch", "length", high=9)),
    function("top_k", lambda x: tf.math.top_k(x, 3), SEQUENCE),
    function("top_k_of_data", lambda x, k: tf.math.top_k(x, tf.minimum(k[0] + 1, 6)).values, ROWS, indices(1, high=6)),
    function("sort", lambda x: (tf.sort(x, axis=1, direction="DESCENDING"), tf.argsort(x, axis=-1, stable=True)), SEQUENCE),
    function("arg", lambda x: (tf.argmax(x, 1), tf.argmin(x, -1, output_type=tf.int32)), SEQUENCE),
    function("cumsum", lambda x: (tf.cumsum(x, 1, exclusive=True), tf.cumsum(x, 1, reverse=True), tf.cumsum(x, -1)), SEQUENCE),
    function("cumprod", lambda x: tf.math.cumprod(x, 1), ("batch", 5)),
    function("segment_sum", lambda x, i: tf.math.segment_sum(x, tf.sort(i)), ROWS, indices("batch", high=4)),
    function("segment_mean_max", lambda x, i: (tf.math.segment_mean(x, tf.sort(i)), tf.math.segment_max(x, tf.sort(i))), ROWS, indices("batch", high=4)),
    function("unsorted_segment_sum", lambda x, i: tf.math.unsorted_segment_sum(x, i, 5), ROWS, indices("batch", high=5)),
    function("unsorted_segment_max", lambda x, i: tf.math.unsorted_segment_max(x, i, 5), ROWS, indices("batch", high=5)),
    function("sparse_segment_mean", lambda x, i: tf.sparse.segment_mean(x, tf.constant([0, 1, 1]), i), (5, 6), indices(3)),
    function("ragged_rows", by_rows, ("length",), indices(2, high=1)),
    function("ragged_mask", lambda i: tf.sequence_mask(i, 9, tf.float32), indices("batch", high=9)),
    function("ragged_mask_of_longest", lambda i: tf.sequence_mask(i), indices("batch", low=1, high=9)),
    function("reverse_sequence", lambda x, n: tf.reverse_sequence(x, n, seq_axis=1), ("batch", 7, 6), indices("batch", low=1, high=8)),
    function("reverse_and_roll", lambda x: tf.roll(tf.reverse(x, [1]), [2, -1], [1, 2]), ("batch", 7, 6)),
    function("boolean_mask", kept, ROWS),
    function("where", lambda x, y: tf.where(x > y, x, y * 2), ROWS, (1, 6)),
    function("unique", uniques, indices("length", dtype="int64")),
    function("pads", lambda x: (tf.pad(x, [[0, 0], [1, 2], [2, 0]], constant_values=3.0), tf.pad(x, [[0, 0], [2, 2], [0, 1]], "REFLECT"), tf.pad(x, [[0, 0], [0, 1], [1, 1]], "SYMMETRIC")), ("batch", 5, 6)),
    function("diagonals", lambda x: (tf.linalg.diag_part(x), tf.linalg.diag(x[:, 0]), tf.linalg.band_part(x, 1, 0), tf.linalg.set_diag(x, x[:, 1])), ("batch", 5, 5)),
    function("eye_range_fill", lambda x: (tf.eye(tf.shape(x)[1]), tf.range(tf.shape(x)[0], dtype=tf.float32), tf.fill([tf.shape(x)[1], 2], 3.5), tf.linspace(0.0, 1.0, 5)), SEQUENCE),
    function("meshgrid", lambda x, y: tf.meshgrid(x, y, indexing="ij"), ("length",), ("other",)),
    function("tile_and_broadcast", lambda x: (tf.tile(x, [1, tf.shape(x)[1], 2]), tf.broadcast_to(x[:1], tf.shape(x)), tf.repeat(x, 2, axis=2)), SEQUENCE),
    function("stacks", lambda x: (tf.stack(tf.unstack(x, axis=2)[::2], 1), tf.concat(tf.split(x, [1, 2, 3], 2)[::-1], 2), tf.squeeze(x[:, :1], 1)), SEQUENCE),
    function("reshapes", lambda x: tf.reshape(tf.transpose(x, [1, 0, 2]), [tf.shape(x)[1], -1]), SEQUENCE),
    function("reductions", reductions, SEQUENCE),
    function("softmaxes", lambda x: (tf.nn.softmax(x, 1), tf.nn.log_softmax(x), tf.nn.l2_normalize(x, 1)), SEQUENCE),
    function("cross_entropy", lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, x), ROWS, indices("batch", high=6)),
    function("integers", ints, indices("batch", 6, high=50), indices("batch", 6, high=7)),
    function("numbers", numbers, ROWS),
    function("casts", lambda x: (tf.cast(x * 10, tf.int32), tf.cast(x > 0, tf.uint8), tf.cast(x, tf.float16), tf.cast(tf.cast(x * 3, tf.int64), tf.float64), tf.saturate_cast(x * 100, tf.int8)), ROWS),
    function("clips", lambda x: (tf.clip_by_value(x, -0.5, 0.5), tf.clip_by_norm(x, 1.0), tf.minimum(x, 0.3)), ROWS),
    function("histogram", lambda i: tf.math.bincount(i, minlength=8, maxlength=8), indices("length")),
    function("fft", lambda x: tf.abs(tf.signal.rfft(x)), ("batch", 16)),
    function("frames", lambda x: tf.signal.frame(x, 8, 4), ("batch", 40)),
    function("fake_quant", lambda x: tf.quantization.fake_quant_with_min_max_args(x, -2, 2), ROWS),
    function("edit_of_shape", lambda x: (tf.shape(x), tf.size(x), tf.rank(x), tf.ensure_shape(x, [None, None, 6])), SEQUENCE),
    function("determinant", lambda x: tf.linalg.det(x), ("batch", 3, 3)),
]  # fmt: skip
