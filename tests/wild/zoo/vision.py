"""torchvision and timm."""

import torch

from .entry import Entry, simple

IMAGE = {0: "batch", 2: "height", 3: "width"}


def image(channels=3):
    return lambda s: torch.randn(s["batch"], channels, s.get("height", 64), s.get("width", 64))


def torchvision(name, batch_only=False, size=64, **words):
    def module():
        import torchvision.models as m

        return m.get_model(name, weights=None, **words)

    axes = {"batch": (2, 3, 5)} if batch_only else {"batch": (2, 1, 3), "height": (64, 96, 80), "width": (96, 64, 128)}
    dims = {0: "batch"} if batch_only else IMAGE
    make = lambda s: torch.randn(s["batch"], 3, s.get("height", size), s.get("width", size))  # noqa: E731
    return simple(name, module, {"image": (make, dims)}, axes)


def timm(name, size=64):
    def module():
        import timm as t

        return t.create_model(name, pretrained=False, num_classes=10)

    return simple(
        f"timm_{name}",
        module,
        {"image": (lambda s: torch.randn(s["batch"], 3, size, size), {0: "batch"})},
        {"batch": (2, 3, 5)},
    )


def segmentation(name):
    def build():
        import torchvision.models.segmentation as m

        class Out(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = getattr(m, name)(weights=None, weights_backbone=None, num_classes=5)

            def forward(self, image):
                return self.net(image)["out"]

        return (
            Out(),
            {"image": IMAGE},
            lambda s: [image()(s)],
            {"batch": (2, 1, 3), "height": (64, 96, 80), "width": (96, 64, 128)},
        )

    return Entry(name, build)


ENTRIES = [
    torchvision("resnet18"), torchvision("mobilenet_v3_small"), torchvision("shufflenet_v2_x0_5"), torchvision("squeezenet1_1"),
    torchvision("efficientnet_b0"), torchvision("densenet121"), torchvision("regnet_y_400mf"), torchvision("mnasnet0_5"),
    torchvision("convnext_tiny", batch_only=True), torchvision("vit_b_32", batch_only=True, size=224), torchvision("swin_t", batch_only=True, size=64),
    torchvision("googlenet", init_weights=False, aux_logits=False, transform_input=False), torchvision("alexnet", batch_only=True, size=96),
    segmentation("fcn_resnet50"), segmentation("lraspp_mobilenet_v3_large"), segmentation("deeplabv3_mobilenet_v3_large"),
    timm("resnetv2_50"), timm("mixer_s32_224", 224), timm("mobilevit_xxs"), timm("edgenext_xx_small"), timm("efficientformer_l1", 224),
    timm("repvgg_a0"), timm("poolformer_s12"), timm("levit_128s", 224), timm("maxvit_rmlp_pico_rw_256", 256), timm("eca_nfnet_l0"),
]  # fmt: skip
