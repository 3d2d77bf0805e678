"""Video and volumes: torchvision and MONAI."""

import torch

from .entry import simple

BATCH = {"batch": (1, 2, 3)}


def volumes(name, module, *shape):
    make = lambda s: torch.randn(s["batch"], *shape)  # noqa: E731
    return simple(f"volumes_{name}", module, {"x": (make, {0: "batch"})}, BATCH)


def video(name):
    def module():
        import torchvision.models.video as m

        return getattr(m, name)(weights=None)

    return volumes(name, module, 3, 8, 64, 64)


def monai(name, net, *shape, **words):
    def module():
        import monai.networks.nets as m

        return getattr(m, net)(**words)

    return volumes(name, module, *shape)


SCAN = {"in_channels": 1, "out_channels": 2}

ENTRIES = [
    video("r3d_18"), video("mc3_18"), video("r2plus1d_18"),
    monai("segresnet", "SegResNet", 1, 16, 32, 32, spatial_dims=3, init_filters=16, **SCAN),
    monai("dynunet", "DynUNet", 1, 16, 32, 32, spatial_dims=3, kernel_size=[3] * 4, strides=[1, 2, 2, 2], upsample_kernel_size=[2] * 3, **SCAN),
    monai("vnet", "VNet", 1, 16, 32, 32, spatial_dims=3, **SCAN),
    monai("densenet", "DenseNet121", 1, 32, 32, 32, spatial_dims=3, **SCAN),
    monai("attention_unet", "AttentionUnet", 1, 64, 64, spatial_dims=2, channels=(16, 32, 64), strides=(2, 2), **SCAN),
    monai("unetr", "UNETR", 1, 32, 32, 32, img_size=(32, 32, 32), feature_size=16, hidden_size=96, mlp_dim=192, num_heads=6, **SCAN),
]  # fmt: skip
