"""Networks of keras.applications with random weights."""

import keras

from .entry import BIG, Entry, Input


def network(name, side=96, **words):
    """A network for images of a fixed size, with its classes."""

    def build():
        return getattr(keras.applications, name)(weights=None, input_shape=(side, side, 3), classes=10, **words)

    return Entry(name.lower(), build, (Input(("batch", side, side, 3)),))


def features(name):
    """A network without classes, for images of any size."""

    def build():
        return getattr(keras.applications, name)(
            weights=None, include_top=False, input_shape=(None, None, 3), pooling="avg"
        )

    return Entry(name.lower() + "_features", build, (Input(("batch", "height", "width", 3)),), BIG)


ENTRIES = [
    *[network(n) for n in ("MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large", "ResNet50", "ResNet50V2", "EfficientNetB0", "EfficientNetV2B0",
                           "DenseNet121", "InceptionV3", "Xception", "InceptionResNetV2")],
    network("NASNetMobile", 64),
    *[features(n) for n in ("VGG16", "MobileNetV2", "ResNet50", "EfficientNetB0", "MobileNetV3Small", "VGG19")],
]  # fmt: skip
