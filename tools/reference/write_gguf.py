"""Writes small random GGUF files with the `gguf` package, and what it and transformers read from them.

    python tools/reference/write_gguf.py packages/gguf/fixtures
    python tools/reference/write_gguf.py /tmp/files --random 12 --seed 1

A file follows llama.cpp's convert_hf_to_gguf.py: the rows of queries and keys of `llama` interleaved, Llama 3's factors as a tensor.
Beside each file stands FILE.json: the configuration, the SHA-256 of every float32 tensor in a model folder's order, and the ids of texts.
That transformers loads the same tensors is asserted. `blocks.json` holds blocks of every type with random bytes, and blocks of Q8_0.
"""

import argparse
import base64
import hashlib
import io
import json
import random
from pathlib import Path

import numpy as np
import sentencepiece
import torch
import transformers
from gguf import GGMLQuantizationType as Type, GGUFReader, GGUFWriter, dequantize, quantize
from gguf.constants import GGML_QUANT_SIZES
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

TEXTS = [
    "You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 2, and a drawer 10.",
    "go to shelf 2; take mug 1 from shelf 2\n\n  open the drawer,  then close it",
    "Qu'est-ce que c'est? Ça va: naïve café, 12345 fois.",
    "它在桌子上。\t\tУ стола 7 стульев!",
    "    def step(self, x):\n        return self.y[3] + x  # don't",
    "😀 ½ ³ ①②③ — “quoted”, I'LL say; we'VE 1,000,000.00",
    "<|user|>take the mug<|end|>",
    " leading and trailing ",
]
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
KINDS = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K"]
SUPER = {"Q4_K", "Q5_K", "Q6_K"}
TEMPLATE = "{% for m in messages %}<|user|>{{ m['content'] }}<|end|>{% endfor %}"


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def bytes_of(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


SPLITS = {
    "gpt-2": lambda: bytes_of(True),
    "smollm": lambda: pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), bytes_of(True)]),
    "qwen2": lambda: pre_tokenizers.Sequence([split(WORDS % r"\p{N}"), bytes_of(False)]),
    "llama-bpe": lambda: pre_tokenizers.Sequence([split(WORDS % r"\p{N}{1,3}"), bytes_of(False)]),
    "default": lambda: pre_tokenizers.Sequence(
        [split(r"[\p{P}\$\+<=>\^~\|]+"), split(GPT2), split(r"\p{N}+"), split("[0-9][0-9][0-9]"), bytes_of(False)]
    ),
}
SPECIAL = ["<|begin|>", "<|end|>", "<|user|>", "<|pad|>"]


def byte_level(pre):
    """A tokenizer and its metadata: BPE over bytes."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=pre == "llama-bpe"))
    if pre == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = SPLITS[pre]()
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=320, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken("<think>", normalized=False, special=False)])
    vocabulary = tokenizer.get_vocab()
    tokens = sorted(vocabulary, key=vocabulary.get)
    types = [3 if token in SPECIAL else 4 if token == "<think>" else 1 for token in tokens]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]

    def write(writer):
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(tokens + [f"[PAD{id}]" for id in range(len(tokens), len(tokens) + 3)])
        writer.add_token_types(types + [5, 5, 5])
        writer.add_token_merges([" ".join(merge) for merge in merges])
        writer.add_bos_token_id(vocabulary["<|begin|>"])
        writer.add_eos_token_id(vocabulary["<|end|>"])
        writer.add_pad_token_id(vocabulary["<|pad|>"])
        writer.add_chat_template(TEMPLATE)

    return len(tokens) + 3, write, [tokenizer.encode(text, add_special_tokens=False).ids for text in TEXTS]


def pieces():
    """The same with SentencePiece, whose own ids are kept."""
    stored = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 3), model_writer=stored, model_type="bpe", vocab_size=420, byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=0.98, minloglevel=2,
        split_digits=True,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    size = model.get_piece_size()
    kinds = [(model.is_unknown, 2), (model.is_control, 3), (model.is_unused, 5), (model.is_byte, 6)]

    def write(writer):
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_token_list([model.id_to_piece(id) for id in range(size)])
        writer.add_token_scores([model.get_score(id) for id in range(size)])
        writer.add_token_types([next((kind for test, kind in kinds if test(id)), 1) for id in range(size)])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
        writer.add_add_bos_token(True)
        writer.add_chat_template(TEMPLATE)

    return size, write, [model.encode(text) for text in TEXTS]


def network(family, variant, vocabulary):
    """A random model of transformers; every parameter is drawn, norms and biases too."""
    sizes = dict(
        vocab_size=vocabulary, hidden_size=variant["hidden"], intermediate_size=variant["inner"],
        num_hidden_layers=variant["layers"], num_attention_heads=variant["heads"],
        num_key_value_heads=variant["kv"], max_position_embeddings=512, rms_norm_eps=variant["epsilon"],
        rope_theta=variant["theta"], tie_word_embeddings=variant["tied"],
    )
    if family != "qwen2":
        sizes["head_dim"] = variant["head"]
    if variant.get("scaling"):
        sizes["rope_scaling"] = variant["scaling"]
    if family == "mistral":
        sizes["sliding_window"] = variant.get("window", 37)
    if family == "gemma3":
        sizes |= {"sliding_window": 20, "query_pre_attn_scalar": variant["head"]}
    config = getattr(transformers, CLASSES[family][0])(**sizes)
    model = getattr(transformers, CLASSES[family][1])(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return config, model.eval()


CLASSES = {
    "llama": ("LlamaConfig", "LlamaForCausalLM"),
    "mistral": ("MistralConfig", "MistralForCausalLM"),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM"),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM"),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM"),
}
TOP = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
LAYER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}
GEMMA = {
    **LAYER, "post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}


def gguf_name(name, family):
    module, kind = name.rsplit(".", 1)
    if module in TOP:
        return f"{TOP[module]}.{kind}"
    _, _, layer, rest = module.split(".", 3)
    return f"blk.{layer}.{(GEMMA if family == 'gemma3' else LAYER)[rest]}.{kind}"


def heads_of(name, config):
    if ".q_proj." in name:
        return config.num_attention_heads
    return config.num_key_value_heads if ".k_proj." in name else None


def permuted(weights, heads):
    return weights.reshape(heads, 2, len(weights) // heads // 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def restored(weights, heads):
    return weights.reshape(heads, len(weights) // heads // 2, 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def random_blocks(kind, count, draw):
    """Random bytes whose half-precision scales are small numbers."""
    _, size = GGML_QUANT_SIZES[Type[kind]]
    blocks = draw.integers(0, 256, (count, size), dtype=np.uint8)
    halves = {"Q6_K": [208], "Q4_0": [0], "Q5_0": [0], "Q8_0": [0]}.get(kind, [0, 2])
    for at in halves:
        blocks[:, at : at + 2] = draw.normal(0, 0.02, (count, 1)).astype(np.float16).view(np.uint8)
    return blocks


def stored(weights, kind, draw):
    """Bytes of a tensor, and its type: a vector is F32, rows that are no whole blocks are F16."""
    if weights.ndim == 1:
        return weights, Type.F32
    width, size = GGML_QUANT_SIZES[Type[kind]]
    if weights.shape[-1] % width:
        return weights.astype(np.float16), Type.F16
    if kind in SUPER:
        rows, blocks = weights.shape[0], weights.shape[1] // width
        return random_blocks(kind, rows * blocks, draw).reshape(rows, blocks * size), Type[kind]
    return quantize(weights, Type[kind]), Type[kind]


def llama3_factors(config):
    scaling = config.rope_scaling
    base = 1.0 / config.rope_theta ** (torch.arange(0, config.head_dim, 2, dtype=torch.float32) / config.head_dim)
    low = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
    high = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
    factors = []
    for frequency in base:
        length = 2 * np.pi / frequency
        smooth = (scaling["original_max_position_embeddings"] / length - scaling["low_freq_factor"]) / (
            scaling["high_freq_factor"] - scaling["low_freq_factor"]
        )
        factors.append(
            1 if length < high else scaling["factor"] if length > low else 1 / ((1 - smooth) / scaling["factor"] + smooth)
        )
    return np.array(factors, dtype=np.float32)


def write_file(path, family, variant, seed):
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    vocabulary, write_tokenizer, ids = pieces() if variant["pre"] == "pieces" else byte_level(variant["pre"])
    config, model = network(family, variant, vocabulary)
    architecture = "llama" if family == "mistral" else family
    writer = GGUFWriter(path, architecture)
    writer.add_name("small")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    if head * config.num_attention_heads != config.hidden_size or family in ("qwen3", "gemma3"):
        writer.add_key_length(head)
        writer.add_value_length(head)
    if architecture == "llama":
        writer.add_vocab_size(vocabulary)
        writer.add_rope_dimension_count(head)
    if family in ("mistral", "gemma3"):
        writer.add_sliding_window(config.sliding_window)
    scaling = variant.get("scaling")
    if scaling and scaling["rope_type"] == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(config))
        if scaling["original_max_position_embeddings"] != 8192:
            writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
    elif scaling:
        writer.add_string(f"{architecture}.rope.scaling.type", scaling["rope_type"])
        writer.add_float32(f"{architecture}.rope.scaling.factor", scaling["factor"])
    write_tokenizer(writer)
    kinds = variant["kinds"]
    expected = {}
    for index, (name, tensor) in enumerate(model.state_dict().items()):
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        weights = tensor.numpy().astype(np.float32)
        heads = heads_of(name, config) if architecture == "llama" else None
        # convert_hf_to_gguf.py stores Gemma's norms as 1 + w
        shift = np.float32(1 if family == "gemma3" and "norm" in name else 0)
        weights = weights + shift
        data, kind = stored(permuted(weights, heads) if heads else weights, kinds[index % len(kinds)], draw)
        writer.add_tensor(gguf_name(name, family), np.ascontiguousarray(data), raw_dtype=kind)
        values = dequantize(np.ascontiguousarray(data), kind).reshape(weights.shape) - shift
        expected[name] = np.ascontiguousarray(restored(values, heads) if heads else values, dtype=np.float32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    check_transformers(path, expected, family)
    record = {
        "family": family,
        "config": {key: value for key, value in config.to_dict().items() if key in KEPT},
        "tensors": {name: hashlib.sha256(values.tobytes()).hexdigest() for name, values in expected.items()},
        "texts": TEXTS,
        "ids": ids,
        "template": TEMPLATE,
    }
    Path(f"{path}.json").write_text(json.dumps(record, ensure_ascii=False))


KEPT = [
    "model_type", "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
    "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_theta", "rope_scaling",
    "tie_word_embeddings", "sliding_window", "layer_types", "query_pre_attn_scalar", "rope_local_base_freq", "hidden_activation",
]


def check_transformers(path, expected, family):
    """transformers 4.57.1 reads the same tensors; it knows no `head_dim` of Qwen3's files, which is then left out."""
    config = transformers.AutoConfig.from_pretrained(path.parent, gguf_file=path.name)
    shapes = {name: values.shape for name, values in expected.items()}
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    if shapes["model.layers.0.self_attn.q_proj.weight"][0] != head * config.num_attention_heads:
        return
    # Mistral's window is ignored: the file is LLaMA's architecture
    loaded = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    for name, values in expected.items():
        assert np.array_equal(loaded.state_dict()[name].numpy(), values), f"{path}: {name}"


def base(**changes):
    return {
        "pre": "smollm", "hidden": 64, "inner": 96, "layers": 2, "heads": 4, "kv": 2, "head": 16, "epsilon": 1e-5,
        "theta": 10000.0, "tied": True, "kinds": ["Q8_0"], **changes,
    }


LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
FIXTURES = {
    "llama": ("llama", base(hidden=32, inner=32, head=8, kinds=["Q4_1", "Q5_0"])),
    "llama3": ("llama", base(pre="llama-bpe", hidden=16, inner=24, heads=3, kv=1, head=20, layers=1, scaling=LLAMA3, tied=False, theta=500000.0, kinds=["F16"])),
    "qwen2": ("qwen2", base(pre="qwen2", hidden=32, inner=64, heads=2, kv=1, head=16, layers=1, theta=1e6, epsilon=1e-6)),
    "qwen3": ("qwen3", base(pre="qwen2", hidden=32, inner=64, heads=3, kv=1, head=24, layers=1, tied=False, kinds=["Q5_1", "Q4_0"])),
    "mistral": ("mistral", base(pre="pieces", hidden=32, inner=32, heads=2, kv=2, layers=1, kinds=["BF16"])),
    "gemma3": ("gemma3", base(pre="pieces", hidden=32, inner=32, heads=2, kv=1, layers=7, theta=1e6, epsilon=1e-6, kinds=["Q8_0", "Q4_0"])),
}


def random_variant(draw):
    family = draw.choice(list(CLASSES))
    kinds = draw.sample(KINDS, draw.randint(1, 4))
    unit = 256 if SUPER & set(kinds) else 32
    heads = draw.choice([2, 3, 4])
    head = draw.choice([8, 16, 32])
    hidden = heads * head if family == "qwen2" else unit * draw.randint(1, 2)
    if family == "qwen2" and hidden % unit:
        heads, head, hidden = unit // 16, 16, unit
    variant = base(
        pre=draw.choice([*SPLITS, "pieces"]), hidden=hidden, inner=unit * draw.randint(1, 2), heads=heads,
        kv=draw.choice([each for each in range(1, heads + 1) if heads % each == 0]), head=head,
        layers=draw.randint(1, 3), epsilon=draw.choice([1e-5, 1e-6]), theta=draw.choice([1e4, 1e5, 5e5, 1e6]),
        tied=draw.random() < 0.5, kinds=kinds, window=draw.choice([16, 4096]),
    )
    if family == "llama":
        variant["scaling"] = draw.choice([None, LLAMA3, {**LLAMA3, "factor": 32.0, "original_max_position_embeddings": 8192}, {"rope_type": "linear", "factor": 2.0}])
    return family, variant


def write_blocks(path):
    draw = np.random.default_rng(5)
    encoded = lambda array: base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    blocks = {}
    for kind in KINDS:
        values, size = GGML_QUANT_SIZES[Type[kind]]
        count = 64 if values == 1 else 4 if values == 32 else 2
        if kind in ("F32", "F16", "BF16"):
            data = draw.normal(0, 3, (1, count)).astype(np.float32)
            data = quantize(data, Type[kind]).reshape(1, -1)
        else:
            data = random_blocks(kind, count, draw).reshape(1, -1)
        blocks[kind] = {"bytes": encoded(data), "values": encoded(dequantize(data, Type[kind]).astype(np.float32))}
    values = np.concatenate([
        draw.normal(0, scale, (1, 32)) for scale in (1e-8, 1e-3, 1.0, 40.0)
    ] + [np.zeros((1, 32)), np.arange(-16, 16).reshape(1, 32) * 0.5, np.full((1, 32), 127.0) * np.tile([1, 0.5], 16) / 254], axis=1)
    values = values.astype(np.float32)
    quantized = {"values": encoded(values), "bytes": encoded(quantize(values, Type.Q8_0))}
    path.write_text(json.dumps({"blocks": blocks, "quantized": quantized}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.random == 0:
        write_blocks(options.out / "blocks.json")
        for index, (name, (family, variant)) in enumerate(FIXTURES.items()):
            write_file(options.out / f"{name}.gguf", family, variant, index)
    draw = random.Random(options.seed)
    for index in range(options.random):
        family, variant = random_variant(draw)
        print(index, family, variant)
        write_file(options.out / f"random-{options.seed}-{index}.gguf", family, variant, 1000 * options.seed + index)


main()
