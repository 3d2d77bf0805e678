"""diffusers: denoisers and autoencoders."""

import torch

from .entry import Entry

IMAGES = {"batch": (2, 1, 3), "height": (8, 16, 24), "width": (16, 8, 32)}


def unet():
    def build():
        from diffusers import UNet2DConditionModel

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = UNet2DConditionModel(sample_size=8, block_out_channels=(16, 32), layers_per_block=1, norm_num_groups=8, cross_attention_dim=16, attention_head_dim=8,
                                                down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))  # fmt: skip

            def forward(self, x, t, text):
                return self.net(x, t, text, return_dict=False)[0]

        names = {"x": {0: "batch", 2: "height", 3: "width"}, "t": {}, "text": {0: "batch", 1: "length"}}
        make = lambda s: [
            torch.randn(s["batch"], 4, s["height"], s["width"]),
            torch.tensor(5),
            torch.randn(s["batch"], s["length"], 16),
        ]  # noqa: E731
        return Module(), names, make, {**IMAGES, "length": (7, 4, 9)}

    return Entry("unet_conditional", build)


def vae(part):
    def build():
        from diffusers import AutoencoderKL

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = AutoencoderKL(
                    block_out_channels=(16, 32),
                    down_block_types=("DownEncoderBlock2D",) * 2,
                    up_block_types=("UpDecoderBlock2D",) * 2,
                    norm_num_groups=8,
                    latent_channels=4,
                )

            def forward(self, x):
                return (
                    self.net.decode(x, return_dict=False)[0]
                    if part == "decoder"
                    else self.net.encode(x, return_dict=False)[0].mean
                )

        channels = 4 if part == "decoder" else 3
        return (
            Module(),
            {"x": {0: "batch", 2: "height", 3: "width"}},
            lambda s: [torch.randn(s["batch"], channels, s["height"], s["width"])],
            IMAGES,
        )

    return Entry(f"vae_{part}", build)


ENTRIES = [unet(), vae("decoder"), vae("encoder")]
