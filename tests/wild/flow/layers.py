"""Small models of Keras, each around a layer."""

import keras
from keras import layers as L

from .entry import Entry, Input, indices


def model(name, make, *inputs):
    """A model whose layers `make` applies to its inputs."""
    inputs = tuple(i if isinstance(i, Input) else Input(i) for i in inputs)

    def build():
        args = [keras.Input([d if isinstance(d, int) else None for d in i.shape[1:]], dtype=i.dtype) for i in inputs]
        return keras.Model(args, make(*args))

    return Entry(name, build, inputs)


def gelu(x):
    """By tanh: tf2onnx has no Erfc."""
    return keras.activations.gelu(x, approximate=True)


def attention(x, y):
    return L.MultiHeadAttention(4, 8)(x, y)


def causal(x):
    return L.MultiHeadAttention(4, 8, dropout=0.1)(x, x, use_causal_mask=True)


def grouped(x):
    return L.GroupQueryAttention(8, 4, 2)(x, x)


def transformer(tokens):
    x = L.Embedding(30, 16, mask_zero=True)(tokens)
    for _ in range(2):
        x = L.LayerNormalization()(x + L.MultiHeadAttention(4, 4)(x, x))
        x = L.LayerNormalization()(x + L.Dense(16)(L.Dense(32, gelu)(x)))
    return L.Dense(30, "softmax")(L.GlobalAveragePooling1D()(x))


def residual(x):
    y = L.BatchNormalization()(L.Conv2D(8, 3, padding="same", use_bias=False)(x))
    return L.ReLU(max_value=6.0)(y + L.Conv2D(8, 1)(x))


def unet(x):
    a = L.Conv2D(8, 3, padding="same", activation="relu")(x)
    b = L.Conv2D(16, 3, strides=2, padding="same", activation="relu")(a)
    up = L.Conv2DTranspose(8, 3, strides=2, padding="same")(b)
    return L.Conv2D(2, 1, activation="sigmoid")(L.Concatenate()([a, up]))


def wide_and_deep(numbers, category):
    e = L.Flatten()(L.Embedding(8, 4)(category))
    x = L.Dense(16, "relu")(L.Concatenate()([L.Rescaling(0.5, 0.1)(numbers), e]))
    return L.Dense(1, "sigmoid")(L.Dropout(0.5)(x))


IMAGE = ("batch", 8, 6, 4)
ANY_IMAGE = ("batch", "height", "width", 4)
SEQUENCE = ("batch", "length", 6)
VOLUME = ("batch", 4, 6, 5, 3)
ENTRIES = [
    model("dense", lambda x: L.Dense(5, "swish")(L.Dense(8, "elu")(x)), ("batch", 6)),
    model("dense_of_sequence", lambda x: L.Dense(5, "selu")(x), SEQUENCE),
    model("conv1d", lambda x: L.Conv1D(8, 3, padding="causal", dilation_rate=2)(x), SEQUENCE),
    model("conv1d_strided", lambda x: L.Conv1D(8, 5, strides=2, padding="same", activation="tanh")(x), SEQUENCE),
    model("conv2d", residual, ANY_IMAGE),
    model("conv2d_same_strided", lambda x: L.Conv2D(8, (3, 5), strides=(2, 3), padding="same")(x), ANY_IMAGE),
    model("conv2d_dilated", lambda x: L.Conv2D(8, 3, dilation_rate=2, padding="same")(x), ANY_IMAGE),
    model("conv2d_channels_first", lambda x: L.Conv2D(8, 3, data_format="channels_first")(x), ("batch", 4, 8, 6)),
    model("conv3d", lambda x: L.MaxPooling3D((1, 2, 2))(L.Conv3D(6, 3, padding="same")(x)), VOLUME),
    model("conv1d_transpose", lambda x: L.Conv1DTranspose(5, 3, strides=2, padding="same")(x), SEQUENCE),
    model("conv2d_transpose", lambda x: L.Conv2DTranspose(5, 3, strides=2, padding="valid")(x), ANY_IMAGE),
    model("conv2d_transpose_same", lambda x: L.Conv2DTranspose(5, 4, strides=2, padding="same")(x), IMAGE),
    model("conv2d_transpose_padded", lambda x: L.Conv2DTranspose(5, 3, strides=2, padding="same", output_padding=1)(x), IMAGE),
    model("conv3d_transpose", lambda x: L.Conv3DTranspose(4, 3, strides=2, padding="same")(x), VOLUME),
    model("separable_conv2d", lambda x: L.SeparableConv2D(8, 3, padding="same", depth_multiplier=2)(x), ANY_IMAGE),
    model("separable_conv1d", lambda x: L.SeparableConv1D(8, 3)(x), ("batch", 9, 6)),
    model("depthwise_conv2d", lambda x: L.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=3)(x), ANY_IMAGE),
    model("unet", unet, ("batch", 16, 8, 4)),
    model("embedding", lambda t: L.Dense(3)(L.Flatten()(L.Embedding(20, 6)(t))), indices("batch", 5, high=20)),
    model("embedding_masked", lambda t: L.GlobalAveragePooling1D()(L.Embedding(20, 6, mask_zero=True)(t)), indices("batch", "length", high=4)),
    model("attention", attention, SEQUENCE, ("batch", "other", 6)),
    model("causal_attention", causal, SEQUENCE),
    model("group_query_attention", grouped, ("batch", "length", 8)),
    model("additive_attention", lambda q, v: L.AdditiveAttention()([q, v]), SEQUENCE, ("batch", "other", 6)),
    model("dot_attention", lambda q, v: L.Attention(use_scale=True)([q, v]), SEQUENCE, ("batch", "other", 6)),
    model("transformer", transformer, indices("batch", "length", high=30)),
    model("group_normalization", lambda x: L.GroupNormalization(2)(x), ANY_IMAGE),
    model("layer_normalization", lambda x: L.LayerNormalization(axis=(1, 2))(x), ("batch", 5, 6)),
    model("rms_normalization", lambda x: L.RMSNormalization()(x), SEQUENCE),
    model("unit_normalization", lambda x: L.UnitNormalization()(x), SEQUENCE),
    model("spectral_normalization", lambda x: L.SpectralNormalization(L.Dense(4))(x), ("batch", 6)),
    model("batch_normalization", lambda x: L.BatchNormalization(axis=1)(x), IMAGE),
    model("pooling", lambda x: L.Concatenate()([L.MaxPooling2D(3, 2, "same")(x), L.AveragePooling2D(3, 2, "same")(x)]), ANY_IMAGE),
    model("global_pooling", lambda x: L.Add()([L.GlobalMaxPooling2D()(x), L.GlobalAveragePooling2D()(x)]), ANY_IMAGE),
    model("pooling1d", lambda x: L.AveragePooling1D(3, 2, "same")(x), SEQUENCE),
    model("upsampling_nearest", lambda x: L.UpSampling2D((2, 3))(x), ANY_IMAGE),
    model("upsampling_bilinear", lambda x: L.UpSampling2D(2, interpolation="bilinear")(x), IMAGE),
    model("upsampling1d", lambda x: L.UpSampling1D(3)(x), SEQUENCE),
    model("upsampling3d", lambda x: L.UpSampling3D(2)(x), VOLUME),
    model("padding_and_cropping", lambda x: L.Cropping2D(((1, 0), (2, 1)))(L.ZeroPadding2D(((1, 2), (3, 1)))(x)), ANY_IMAGE),
    model("reshape_permute_repeat", lambda x: L.RepeatVector(3)(L.Reshape((24,))(L.Permute((2, 1))(x))), ("batch", 4, 6)),
    model("activations", lambda x: L.Concatenate()([f(x) for f in (L.LeakyReLU(0.2), L.PReLU(), L.ELU(1.5), L.Softmax(1), L.ReLU(threshold=0.5), L.Activation("softplus"), L.Activation("hard_sigmoid"),
          L.Activation("mish"), L.Activation("softsign"), L.Activation("hard_silu"), L.Activation("log_softmax"), L.Activation(gelu), L.Activation("tanh_shrink"))]), ("batch", 6)),
    model("merges", lambda x, y: L.Dot(2)([L.Multiply()([x, y]), L.Maximum()([L.Subtract()([x, y]), L.Average()([x, y]), L.Minimum()([x, y])])]), ("batch", 5, 6), ("batch", 5, 6)),
    model("time_distributed", lambda x: L.TimeDistributed(L.Conv2D(4, 3))(x), ("batch", 3, 8, 6, 4)),
    model("rescaling", lambda x: L.Rescaling(1 / 127.5, -1)(x), ANY_IMAGE),
    model("resizing", lambda x: L.Resizing(7, 9)(x), ANY_IMAGE),
    model("resizing_cropped", lambda x: L.Resizing(6, 6, crop_to_aspect_ratio=True)(x), IMAGE),
    model("center_crop", lambda x: L.CenterCrop(4, 4)(x), IMAGE),
    model("category_encoding", lambda x: L.CategoryEncoding(8, "multi_hot")(x), indices("batch", 5, dtype="int64")),
    model("wide_and_deep", wide_and_deep, ("batch", 5), indices("batch", 1)),
    model("einsum_dense", lambda x: L.EinsumDense("abc,cde->abde", (None, 3, 4), bias_axes="de")(x), SEQUENCE),
]  # fmt: skip
