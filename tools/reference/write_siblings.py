"""Comparison folders of scaled positions, windows by layer and changed tokenizers, drawn by a seed.

    python tools/reference/write_siblings.py /tmp/siblings --count 4 --seed 100
    for folder in /tmp/siblings/*; do npx emac backbone compare $folder; done

Each must be equal, or be refused with the name of its key. The name of a folder says what is drawn in it.
"""

import argparse
import json
import random
from pathlib import Path

import torch

from random_text import LLAMA3_ROPE, drawn_text
from text_comparison import Unstable
from write_family_fixtures import write_folder, write_of

FAMILIES = ["llama", "mistral", "qwen2", "qwen3"]
ROPES = ["linear", "llama3", "dynamic", "yarn", "longrope"]
# keys of tokenizer_config.json, for any class
OVERRIDES = {
    "class-llama": {"tokenizer_class": "LlamaTokenizerFast"},
    "class-qwen2": {"tokenizer_class": "Qwen2TokenizerFast"},
    "class-gpt2": {"tokenizer_class": "GPT2TokenizerFast"},
    "class-none": {"tokenizer_class": None},
    "prefix": {"add_prefix_space": True},
    "added": {"additional_special_tokens": ["cabinet", "mug"]},
    "split": {"split_special_tokens": True},
}


def scaling(draw, kind, text):
    half = (text.get("head_dim") or text["hidden_size"] // text["num_attention_heads"]) // 2
    factors = lambda: [round(draw.uniform(1, 4), 2) for _ in range(half)]
    return {
        "linear": lambda: {"rope_type": "linear", "factor": draw.choice([2.0, 8.0])},
        "dynamic": lambda: {"rope_type": "dynamic", "factor": draw.choice([2.0, 8.0])},
        "llama3": lambda: {**LLAMA3_ROPE, "factor": draw.choice([4.0, 16.0])},
        "yarn": lambda: {"rope_type": "yarn", "factor": draw.choice([2.0, 4.0]), "original_max_position_embeddings": 64},
        "longrope": lambda: {
            "rope_type": "longrope", "short_factor": factors(), "long_factor": factors(), "factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    }[kind]()


def drawn_sibling(family, seed, what):
    draw = random.Random(f"sibling {family} {seed} {what}")
    sizes = drawn_text(family, seed)
    text = sizes["text"]
    for key in ("use_sliding_window", "max_window_layers", "rope_scaling"):
        text.pop(key, None)
    if what == "layers":
        layers = text["num_hidden_layers"]
        text["layer_types"] = [draw.choice(["sliding_attention", "full_attention"]) for _ in range(layers)]
        text.update(use_sliding_window=True, sliding_window=draw.choice([5, 20]), max_window_layers=draw.choice([0, 1, layers]))
    elif what in ROPES:
        text["rope_scaling"] = scaling(draw, what, text)
    return sizes


def written(out, sizes):
    while True:
        try:
            return write_folder(out, sizes)
        except Unstable:
            sizes = {**sizes, "seed": sizes["seed"] + 1000}


def overridden(out, source, name, config):
    """The same model with another tokenizer_config.json, from a folder without numbers."""
    bare = out.parent / "bare" / name
    bare.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.name in ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "chat_template.jinja"):
            (bare / file.name).write_bytes(file.read_bytes())
    given = {**json.loads((source / "tokenizer_config.json").read_text()), **config}
    given.pop("added_tokens_decoder", None)
    (bare / "tokenizer_config.json").write_text(json.dumps({key: value for key, value in given.items() if value is not None}))
    write_of(out, bare, 0, None, None, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", choices=FAMILIES, help="this one alone")
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        for family in [options.family] if options.family else FAMILIES:
            for what in ["linear", "layers", *ROPES[1:]] if family.startswith("qwen") else ROPES:
                name = f"{family}-{what}-{seed}"
                try:
                    written(options.out / name, drawn_sibling(family, seed, what))
                except (KeyError, ValueError, TypeError) as error:
                    print(name, "is not possible:", error)
            source = options.out / f"{family}-linear-{seed}"
            for kind, config in OVERRIDES.items():
                try:
                    overridden(options.out, source, f"{family}-{kind}-{seed}", config)
                except (Unstable, ValueError, TypeError) as error:
                    print(family, kind, seed, "is not possible:", str(error)[:200])


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
