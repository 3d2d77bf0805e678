"""transformers: small ones of each kind, by their configurations."""

import torch

from .entry import Entry

TEXT = {"batch": (2, 1, 3), "length": (7, 3, 12)}
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "vocab_size": 100,
}


def tokens(s, length="length"):
    return torch.randint(0, 100, (s["batch"], s[length]))


def ones(s, length="length"):
    return torch.ones(s["batch"], s[length], dtype=torch.long)


def text(name, make, mask=True, pick=lambda out: out[0]):
    """A model of tokens and a mask."""

    def build():
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = make()

            def forward(self, ids, attention=None):
                words = {"attention_mask": attention} if mask else {}
                return pick(self.net(ids, return_dict=False, **words))

        names = {"ids": {0: "batch", 1: "length"}}
        if mask:
            names["mask"] = {0: "batch", 1: "length"}
        return Module(), names, (lambda s: [tokens(s), ones(s)] if mask else [tokens(s)]), TEXT

    return Entry(name, build)


def of(model, config, **words):
    def make():
        import transformers as t

        return getattr(t, model)(getattr(t, config)(attn_implementation="eager", **words))

    return make


def seq2seq(name, model, config, **words):
    def build():
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = of(model, config, **words)()

            def forward(self, ids, mask, decoder):
                return self.net(
                    input_ids=ids, attention_mask=mask, decoder_input_ids=decoder, return_dict=False, use_cache=False
                )[0]

        names = {
            "ids": {0: "batch", 1: "length"},
            "mask": {0: "batch", 1: "length"},
            "decoder": {0: "batch", 1: "target"},
        }
        return Module(), names, lambda s: [tokens(s), ones(s), tokens(s, "target")], {**TEXT, "target": (4, 2, 6)}

    return Entry(name, build)


def cached(name, model, config, heads, width, layers=2, **words):
    """A decoder that takes a token and what was before it, and gives both."""

    def build():
        from transformers.cache_utils import DynamicCache

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = of(model, config, **words)()

            def forward(self, ids, *past):
                cache = DynamicCache()
                for i in range(layers):
                    cache.update(past[2 * i], past[2 * i + 1], i)
                out = self.net(ids, past_key_values=cache, use_cache=True, return_dict=True)
                layers_out = out.past_key_values.layers
                return (out.logits, *[t for layer in layers_out for t in (layer.keys, layer.values)])

        names = {"ids": {0: "batch"}}
        for i in range(layers):
            names[f"past_k{i}"] = names[f"past_v{i}"] = {0: "batch", 2: "past"}
        return (
            Module(),
            names,
            lambda s: (
                [torch.randint(0, 100, (s["batch"], 1))]
                + [torch.randn(s["batch"], heads, s["past"], width) for _ in range(2 * layers)]
            ),
            {"batch": (2, 1, 3), "past": (5, 2, 9)},
        )

    return Entry(name, build)


def picture(name, model, config, size, **words):
    def build():
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = of(model, config, **words)()

            def forward(self, image):
                return self.net(pixel_values=image, return_dict=False)[0]

        return (
            Module(),
            {"image": {0: "batch"}},
            lambda s: [torch.randn(s["batch"], 3, size, size)],
            {"batch": (2, 1, 3)},
        )

    return Entry(name, build)


LLAMA = {**SMALL, "num_key_value_heads": 2, "max_position_embeddings": 64}
ENTRIES = [
    text("bert", of("BertModel", "BertConfig", **SMALL)),
    text("bert_classifier", of("BertForSequenceClassification", "BertConfig", **SMALL)),
    text("roberta", of("RobertaModel", "RobertaConfig", **SMALL)),
    text("distilbert", of("DistilBertModel", "DistilBertConfig", dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=100)),
    text("electra", of("ElectraModel", "ElectraConfig", embedding_size=16, **SMALL)),
    text("albert", of("AlbertModel", "AlbertConfig", embedding_size=16, **SMALL)),
    text("deberta_v2", of("DebertaV2Model", "DebertaV2Config", relative_attention=True, pos_att_type=["p2c", "c2p"], **SMALL)),
    text("mpnet", of("MPNetModel", "MPNetConfig", **SMALL)),
    text("gpt2", of("GPT2LMHeadModel", "GPT2Config", n_embd=32, n_layer=2, n_head=4, vocab_size=100, use_cache=False)),
    text("gpt_neox", of("GPTNeoXForCausalLM", "GPTNeoXConfig", use_cache=False, **SMALL)),
    text("llama", of("LlamaForCausalLM", "LlamaConfig", use_cache=False, **LLAMA)),
    text("mistral", of("MistralForCausalLM", "MistralConfig", use_cache=False, **LLAMA)),
    text("qwen2", of("Qwen2ForCausalLM", "Qwen2Config", use_cache=False, **LLAMA)),
    text("gemma", of("GemmaForCausalLM", "GemmaConfig", use_cache=False, head_dim=8, **LLAMA)),
    text("phi", of("PhiForCausalLM", "PhiConfig", use_cache=False, **SMALL)),
    text("opt", of("OPTForCausalLM", "OPTConfig", hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, vocab_size=100, word_embed_proj_dim=32, use_cache=False)),
    text("bloom", of("BloomForCausalLM", "BloomConfig", hidden_size=32, n_layer=2, n_head=4, vocab_size=100, use_cache=False)),
    seq2seq("t5", "T5ForConditionalGeneration", "T5Config", d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=100),
    seq2seq("bart", "BartForConditionalGeneration", "BartConfig", d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100),
    cached("llama_cached", "LlamaForCausalLM", "LlamaConfig", 2, 8, **LLAMA),
    cached("gpt2_cached", "GPT2LMHeadModel", "GPT2Config", 4, 8, n_embd=32, n_layer=2, n_head=4, vocab_size=100),
    picture("vit", "ViTModel", "ViTConfig", 32, image_size=32, patch_size=8, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64),
    picture("clip_vision", "CLIPVisionModel", "CLIPVisionConfig", 32, image_size=32, patch_size=8, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64),
    picture("dinov2", "Dinov2Model", "Dinov2Config", 28, image_size=28, patch_size=14, hidden_size=32, num_hidden_layers=2, num_attention_heads=4),
    picture("segformer", "SegformerForSemanticSegmentation", "SegformerConfig", 64, hidden_sizes=[16, 32, 40, 64], decoder_hidden_size=32, depths=[1, 1, 1, 1]),
    picture("convnextv2", "ConvNextV2Model", "ConvNextV2Config", 64, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
]  # fmt: skip


def audio(name, model, config, **words):
    def build():
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = of(model, config, **words)()

            def forward(self, x):
                return self.net(x, return_dict=False)[0]

        return (
            Module(),
            {"x": {0: "batch", 1: "samples"}},
            lambda s: [torch.randn(s["batch"], s["samples"])],
            {"batch": (2, 1, 3), "samples": (2000, 1600, 3200)},
        )

    return Entry(name, build)


def whisper():
    def build():
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = of("WhisperModel", "WhisperConfig", d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100, max_source_positions=20,
                              max_target_positions=20, num_mel_bins=8, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)()  # fmt: skip

            def forward(self, sound, decoder):
                return self.net(input_features=sound, decoder_input_ids=decoder, return_dict=False, use_cache=False)[0]

        names = {"sound": {0: "batch"}, "decoder": {0: "batch", 1: "target"}}
        return (
            Module(),
            names,
            lambda s: [torch.randn(s["batch"], 8, 40), tokens(s, "target")],
            {"batch": (2, 1, 3), "target": (4, 2, 6)},
        )

    return Entry("whisper", build)


ENTRIES += [
    audio("wav2vec2", "Wav2Vec2Model", "Wav2Vec2Config", hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, conv_dim=(16,) * 7, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4),
    whisper(),
]  # fmt: skip
