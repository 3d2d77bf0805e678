"""Functions of TensorFlow with loops and branches."""

import tensorflow as tf

from .entry import function, indices

ROWS = ("batch", 6)
SEQUENCE = ("batch", "length", 6)


def counted(x, n):
    """A loop whose count is data."""
    return tf.while_loop(
        lambda i, s: i < n[0], lambda i, s: (i + 1, s * 0.5 + tf.cast(i, tf.float32)), (tf.constant(0), x)
    )[1]


def until(x):
    """A loop that ends by what it computes."""
    return tf.while_loop(
        lambda i, s: (tf.reduce_max(tf.abs(s)) > 0.1) & (i < 50), lambda i, s: (i + 1, s / 2), (tf.constant(0), x)
    )


def nested(x):
    def inner(i, s):
        return i + 1, tf.while_loop(
            lambda j, t: j < 2, lambda j, t: (j + 1, t + tf.cast(i * j, tf.float32) * x), (tf.constant(0), s)
        )[1]

    return tf.while_loop(lambda i, s: i < 3, inner, (tf.constant(0), tf.zeros_like(x)))[1]


def stepped(x):
    """Steps over time, each kept in an array."""
    n = tf.shape(x)[1]
    kept = tf.TensorArray(tf.float32, size=n, element_shape=[None, 6])
    state = tf.zeros([tf.shape(x)[0], 6])

    def step(t, state, kept):
        state = tf.tanh(state * 0.5 + x[:, t])
        return t + 1, state, kept.write(t, state)

    _, last, kept = tf.while_loop(lambda t, s, k: t < n, step, (tf.constant(0), state, kept))
    return last, tf.transpose(kept.stack(), [1, 0, 2])


def unstacked(x):
    """An array that is read at places of a loop."""
    read = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
    return tf.while_loop(
        lambda i, s: i < tf.shape(x)[0],
        lambda i, s: (i + 1, s + read.read(i) * tf.cast(i, tf.float32)),
        (tf.constant(0), tf.zeros([6])),
    )[1]


def greedy(x, n):
    """Decodes word by word; the words grow."""

    def step(i, words):
        score = tf.reduce_sum(tf.one_hot(words, 6), 1) + x
        return i + 1, tf.concat([words, tf.argmax(score, 1, tf.int32)[:, None]], 1)

    start = tf.zeros([tf.shape(x)[0], 1], tf.int32)
    return tf.while_loop(
        lambda i, w: i < n[0],
        step,
        (tf.constant(0), start),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None])),
    )[1]


ENTRIES = [
    function("while", counted, ROWS, indices(1, high=6)),
    function("while_of_data", until, ROWS),
    function("while_in_while", nested, ROWS),
    function("tensor_array", stepped, SEQUENCE),
    function("tensor_array_read", unstacked, ROWS),
    function("cond", lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: tf.sqrt(tf.abs(x))), ROWS),
    function("cond_of_shape", lambda x: tf.cond(tf.shape(x)[0] > 1, lambda: tf.reduce_max(x, 0), lambda: x[0] * 3), ROWS),
    function("map", lambda x: tf.map_fn(lambda r: tf.cumsum(r) * tf.reduce_max(r), x), ROWS),
    function("map_to_integers", lambda x: tf.map_fn(lambda r: tf.argmax(r, output_type=tf.int32), x, fn_output_signature=tf.int32), ROWS),
    function("vectorized_map", lambda x: tf.vectorized_map(lambda r: r / tf.reduce_sum(tf.abs(r)), x), ROWS),
    function("fold", lambda x: tf.foldl(lambda a, r: tf.tanh(a + r), x), ROWS),
    function("greedy_decoding", greedy, ROWS, indices(1, low=1, high=6)),
]  # fmt: skip
