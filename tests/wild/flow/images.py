"""Functions of TensorFlow on images."""

import numpy as np
import tensorflow as tf

from .entry import function

IMAGE = ("batch", "height", "width", 4)
FIXED = ("batch", 8, 6, 4)
KERNEL = np.random.default_rng(4).standard_normal((3, 3, 4, 5)).astype(np.float32)


def resize(method, **words):
    return lambda x: tf.image.resize(x, [9, 7], method, **words)


def resize_of_old(method, **words):
    return lambda x: getattr(tf.compat.v1.image, method)(x, [9, 7], **words)


def boxes_of(x):
    """Corners in order, with some width."""
    low, size = tf.sigmoid(x[:, :2]), tf.sigmoid(x[:, 2:4])
    return tf.concat([low, low + size], 1)


def suppressed(x):
    """What a detector ends with: boxes that overlap are dropped."""
    boxes, scores = boxes_of(x), tf.sigmoid(x[:, 4])
    kept = tf.image.non_max_suppression(boxes, scores, 4, 0.4, 0.3)
    return kept, tf.gather(boxes, kept)


def suppressed_padded(x):
    kept, count = tf.image.non_max_suppression_padded(
        boxes_of(x), tf.sigmoid(x[:, 4]), 4, 0.4, 0.3, pad_to_max_output_size=True
    )
    return kept, count


def suppressed_by_class(x):
    boxes = tf.reshape(boxes_of(tf.reshape(x, [-1, 7])), [1, -1, 1, 4])
    found = tf.image.combined_non_max_suppression(boxes, tf.sigmoid(tf.reshape(x, [1, -1, 7])[..., 4:]), 3, 5, 0.4, 0.3)
    return found.nmsed_boxes, found.nmsed_scores, found.nmsed_classes, found.valid_detections


def standard(x):
    return tf.image.per_image_standardization(x)


ENTRIES = [
    *[function(f"resize_{m}", resize(m), IMAGE) for m in ("bilinear", "nearest", "bicubic", "area")],
    *[function(f"{m}_{k}", resize_of_old(m, **w), IMAGE) for m in ("resize_bilinear", "resize_nearest_neighbor")
      for k, w in {"old": {}, "corners": {"align_corners": True}, "centers": {"half_pixel_centers": True}}.items()],
    function("resize_to_data", lambda x, y: tf.image.resize(x, tf.shape(y)[1:3]), IMAGE, ("batch", "other", "length", 1)),
    function("crop_and_resize", lambda x, b: tf.image.crop_and_resize(x, boxes_of(b), tf.zeros([tf.shape(b)[0]], tf.int32), [4, 3]), IMAGE, ("other", 4)),
    function("crop_and_pad", lambda x: tf.image.resize_with_crop_or_pad(x, 7, 9), FIXED),
    function("non_max_suppression", suppressed, ("length", 5)),
    function("non_max_suppression_padded", suppressed_padded, ("length", 5)),
    function("non_max_suppression_by_class", suppressed_by_class, ("length", 7)),
    function("space_to_depth", lambda x: (tf.nn.space_to_depth(x, 2), tf.nn.depth_to_space(x, 2)), FIXED),
    function("space_to_batch", lambda x: tf.batch_to_space(tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), [2, 2], [[0, 0], [1, 1]]), FIXED),
    function("local_response", lambda x: tf.nn.local_response_normalization(x, 2, alpha=0.5), IMAGE),
    function("pool_with_argmax", lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID"), FIXED),
    function("atrous", lambda x: tf.nn.atrous_conv2d(x, tf.constant(KERNEL), 2, "SAME"), IMAGE),
    function("depthwise", lambda x: tf.nn.depthwise_conv2d(x, tf.constant(KERNEL), [1, 2, 2, 1], "SAME"), IMAGE),
    function("explicit_pads", lambda x: tf.nn.conv2d(x, tf.constant(KERNEL), 2, [[0, 0], [1, 2], [0, 1], [0, 0]]), IMAGE),
    function("transposed_to_data", lambda x, y: tf.nn.conv2d_transpose(x, tf.constant(KERNEL.transpose(0, 1, 3, 2)), tf.stack([tf.shape(x)[0], 2 * tf.shape(x)[1], 2 * tf.shape(x)[2], 5]), 2) + y, IMAGE, (5,)),
    function("flips", lambda x: (tf.image.flip_left_right(x), tf.image.rot90(x), tf.image.transpose(x)), IMAGE),
    function("colours", lambda x: (tf.image.rgb_to_grayscale(x[..., :3]), tf.image.adjust_brightness(x, 0.2), tf.image.adjust_contrast(x, 1.5)), IMAGE),
    function("standardized", standard, IMAGE),
    function("gradients", lambda x: tf.image.sobel_edges(x), FIXED),
    function("quantised_image", lambda x: tf.cast(tf.clip_by_value(x * 127.5 + 127.5, 0, 255), tf.uint8), IMAGE),
]  # fmt: skip
