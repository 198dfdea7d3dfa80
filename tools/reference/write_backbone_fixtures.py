"""Writes comparison folders: small random InstructBLIP checkpoints with what transformers computes on them.

    python tools/reference/write_backbone_fixtures.py packages/backbone/fixtures/comparison
    python tools/reference/write_backbone_fixtures.py /tmp/folders --random 6 --seed 1

Every generation is repeated in float64 and must give the same tokens, so that no expected token hangs on a rounding.
"""

import argparse
import copy
import json
import random
import shutil
from pathlib import Path

import torch
import transformers
from safetensors.torch import save as safetensors

from random_checkpoint import config_of, random_model, save
from reference_run import SEARCHES, generate, generate_batch, random_inputs, run_stages

VARIANTS = {
    "float32": {"batch": True, "seed": 9},
    "float16": {"dtype": torch.float16, "seed": 1},
    "bfloat16": {"dtype": torch.bfloat16, "seed": 8},
    "grouped-keys": {
        "text": {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10, "rope_theta": 500000.0},
        "seed": 6,
    },
    "sharded": {"shard_size": "40KB", "text": {"num_hidden_layers": 3, "num_key_value_heads": 1}, "seed": 2},
    "other-image": {
        "vision": {"image_size": 30, "patch_size": 8, "num_hidden_layers": 3, "qkv_bias": False},
        "qformer": {"num_hidden_layers": 5, "cross_attention_frequency": 3, "num_attention_heads": 2},
        "queries": 7,
        "seed": 4,
    },
    "biases": {"text": {"attention_bias": True, "mlp_bias": True, "rms_norm_eps": 1e-2}, "dtype": torch.float16, "seed": 9},
    "tied-head": {
        "text": {"tie_word_embeddings": True, "num_hidden_layers": 1},
        "vision": {"hidden_act": "quick_gelu", "layer_norm_eps": 1e-2},
        "qformer": {"hidden_act": "gelu_new", "layer_norm_eps": 1e-2, "cross_attention_frequency": 1, "num_hidden_layers": 1},
        "seed": 1,
    },
}


class Unstable(Exception):
    """A generation that a rounding decides."""


def write_folder(folder, sizes):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    seed = sizes["seed"]
    drawn = random_model(config_of(sizes), seed)
    model = save(drawn, folder, sizes.get("dtype", torch.float32), sizes.get("shard_size", "1GB"))
    inputs, prompts = random_inputs(model.config, seed)
    expected = run_stages(model, inputs)
    models = (model, copy.deepcopy(model).double())
    described = []
    for number, search in enumerate(SEARCHES):
        for row, length in enumerate(prompts):
            described.append({"key": f"generated_{number}_{row}", "row": row, "prompt_length": length, **search})
            expected[described[-1]["key"]] = stable_tokens(models, inputs, described[-1], search)
    if sizes.get("batch"):
        check_batch(model, inputs, prompts, expected)
    save_tensors(inputs, folder / "inputs.safetensors")
    save_tensors(expected, folder / "expected.safetensors")
    made_with = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}"
    write_json(folder / "fixture.json", {"made_with": made_with, "seed": seed, "generation": described})
    print(folder.name, size_of(folder), "bytes,", summary(expected))


def stable_tokens(models, inputs, place, search):
    """Tokens [1, L] that float32 and float64 agree on."""
    found = [
        generate(each, {**inputs, "pixel_values": inputs["pixel_values"].to(each.dtype)}, place["row"],
                 place["prompt_length"], search)
        for each in models
    ]
    if found[0] != found[1]:
        raise Unstable(f"{place}: float32 and float64 give different tokens {found}; take another seed")
    return torch.tensor([found[0]])


def check_batch(model, inputs, prompts, expected):
    """A batch padded on the left gives what its rows give alone, unless the repetition penalty sees the padding."""
    for number, search in enumerate(SEARCHES):
        if search["definition"] == "lavis" or "repetition_penalty" in search:
            continue
        for row, tokens in enumerate(generate_batch(model, inputs, prompts, search)):
            alone = expected[f"generated_{number}_{row}"][0].tolist()
            if tokens != alone:
                raise SystemExit(f"{search}: in a batch row {row} gives {tokens}, alone {alone}")


def save_tensors(tensors, path):
    path.write_bytes(safetensors({name: value.detach().contiguous() for name, value in tensors.items()}))


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def size_of(folder):
    return sum(file.stat().st_size for file in folder.iterdir())


def summary(expected):
    texts = [tuple(value[0].tolist()) for name, value in expected.items() if name.startswith("generated")]
    ended = sum(text[-1] == 2 for text in texts)
    return f"loss {expected['loss'].item():.3f}, {len(texts)} texts, {len(set(texts))} distinct, {ended} ended"


def random_sizes(draw, seed):
    """Sizes of a random variant."""
    heads = draw.choice([2, 3, 4, 6])
    patch = draw.choice([5, 7, 14])
    width = lambda: draw.choice([2, 4]) * draw.randrange(4, 14)
    return {
        "seed": seed,
        "queries": draw.randrange(1, 9),
        "dtype": draw.choice([torch.float32, torch.float16, torch.bfloat16]),
        "shard_size": draw.choice(["1GB", "60KB", "20KB"]),
        "vision": {"hidden_size": 4 * draw.randrange(4, 14), "num_attention_heads": draw.choice([1, 2, 4]),
                   "num_hidden_layers": draw.randrange(1, 5), "patch_size": patch,
                   "image_size": patch * draw.randrange(1, 6) + draw.randrange(patch)},
        "qformer": {"hidden_size": 4 * draw.randrange(4, 12), "num_attention_heads": draw.choice([1, 2, 4]),
                    "num_hidden_layers": draw.randrange(1, 6), "cross_attention_frequency": draw.randrange(1, 4)},
        "text": {"hidden_size": width(), "num_attention_heads": heads,
                 "num_key_value_heads": draw.choice([each for each in (1, 2, 3, heads) if heads % each == 0]),
                 "head_dim": 2 * draw.randrange(2, 10), "num_hidden_layers": draw.randrange(1, 5),
                 "vocab_size": draw.randrange(40, 400), "rope_theta": draw.choice([1e3, 1e4, 1e6]),
                 "attention_bias": draw.random() < 0.3, "mlp_bias": draw.random() < 0.3,
                 "tie_word_embeddings": draw.random() < 0.2},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", choices=VARIANTS)
    parser.add_argument("--random", type=int, metavar="N", help="N variants of random sizes instead")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    variants = VARIANTS
    if arguments.random:
        draw = random.Random(arguments.seed)
        variants = {f"random-{n}": random_sizes(draw, 1000 * arguments.seed + n) for n in range(arguments.random)}
    elif arguments.only:
        variants = {arguments.only: VARIANTS[arguments.only]}
    for name, sizes in variants.items():
        try:
            write_folder(arguments.out / name, sizes)
        except Unstable as unstable:
            if not arguments.random:
                raise
            shutil.rmtree(arguments.out / name)
            print(f"{name} left out: {unstable}")


if __name__ == "__main__":
    main()
