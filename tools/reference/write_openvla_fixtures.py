"""Writes comparison folders of OpenVLA: small random checkpoints with what its published modelling code computes on them.

    python tools/reference/write_openvla_fixtures.py PUBLISHED packages/backbone/fixtures/families
    python tools/reference/write_openvla_fixtures.py PUBLISHED /tmp/folders --random 12 --seed 1
    python tools/reference/write_openvla_fixtures.py PUBLISHED --eyes packages/backbone/fixtures/timm-eyes.json

PUBLISHED is a folder with `configuration_prismatic.py`, `modeling_prismatic.py` and `processing_prismatic.py` of
github.com/openvla/openvla (prismatic/extern/hf), and an empty `__init__.py`. Environment: requirements-openvla.txt. Every
generation is repeated in float64 and must give the same tokens. Beams are left out: the published code refuses them.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file

from random_openvla import INSTRUCTIONS, named_eyes, published, random_openvla

VARIANTS = {"openvla": {"kinds": ["dinov2", "siglip"], "seed": 1}}
SEARCHES = [
    {"num_beams": 1, "max_new_tokens": 7},
    {"num_beams": 1, "max_new_tokens": 48},
    {"num_beams": 1, "max_new_tokens": 7, "min_new_tokens": 7},
]
IMAGE_SIZES = [(48, 48), (61, 87), (130, 57)]
# Logits of the last positions of each row are kept.
KEPT = 12


class Unstable(Exception):
    """A generation that a rounding decides."""


def pictures(seed):
    """Smooth shapes with some noise: height, width."""
    draw = np.random.default_rng(seed)
    for height, width in IMAGE_SIZES:
        y, x = np.mgrid[0:height, 0:width]
        waves = [np.sin(x / draw.uniform(3, 30) + y / draw.uniform(3, 30) + draw.uniform(0, 6)) for _ in range(3)]
        image = 127 + 90 * np.stack(waves, -1) + draw.normal(0, 20, (height, width, 3))
        yield Image.fromarray(image.clip(0, 255).astype(np.uint8))


def prompt_of(text):
    return text if text.startswith("In: ") else f"In: What action should the robot take to {text.lower()}?\nOut:"


def rows_of(tokenizer, vocabulary, actions, seed):
    """An instruction and an action each; the last one is a whole prompt and an answer in words."""
    draw = random.Random(seed)
    said = [tokenizer.decode([vocabulary - draw.randint(1, actions) for _ in range(7)]) for _ in range(2)]
    return [
        {"images": [0], "text": INSTRUCTIONS[0], "answer": said[0]},
        {"images": [1], "text": INSTRUCTIONS[1], "answer": said[1]},
        {"images": [2], "text": f"In: What is to the left of the {INSTRUCTIONS[2]}?\nOut:", "answer": "the stove"},
    ]


def tokens_of(tokenizer, row, blank):
    """Ids of the prompt with its blank, and of the answer with the end token."""
    ids = tokenizer(prompt_of(row["text"]))["input_ids"]
    whole = tokenizer(f"{prompt_of(row['text'])} {row['answer']}</s>")["input_ids"]
    assert whole[: len(ids)] == ids
    prompt = ids + [blank]
    return prompt, whole[len(prompt) if whole[len(ids)] == blank else len(ids) :]


def run(folder, model, exact, tokenizer, processor, vocabulary, sizes):
    seed, blank = sizes["seed"], tokenizer.convert_tokens_to_ids("▁")
    rows = rows_of(tokenizer, vocabulary, sizes.get("actions", 64), seed)
    inputs, expected, pixels = {}, {}, []
    with torch.no_grad():
        for index, image in enumerate(pictures(seed)):
            inputs[f"image_{index}"] = torch.from_numpy(np.array(image))
            pixels.append(processor(image, return_tensors="pt")["pixel_values"])
            expected[f"pixel_values_{index}"] = pixels[-1] if sizes.get("exact_pixels") else pixels[-1].half()
            seen = model.vision_backbone(pixels[-1])
            expected[f"connector_input_{index}"] = seen[0]
            expected[f"visual_{index}"] = model.projector(seen)[0]
    patches = len(expected["visual_0"])
    total, count, prompts = 0.0, 0, []
    for number, row in enumerate(rows):
        prompt, answer = tokens_of(tokenizer, row, blank)
        tokens = torch.tensor([prompt + answer])
        logits = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), pixel_values=pixels[row["images"][0]]).logits[0]
        labels = torch.tensor(answer)
        log_probs = logits[-len(answer) - 1 : -1].log_softmax(-1).gather(1, labels[:, None])[:, 0]
        total, count = total - log_probs.sum(), count + len(answer)
        inputs[f"input_ids_{number}"] = torch.tensor([prompt[0], *[-1] * patches, *prompt[1:], *answer])
        inputs[f"answer_length_{number}"] = torch.tensor([len(answer)])
        expected[f"logits_{number}"] = logits[-KEPT:].detach()
        expected[f"log_probs_{number}"] = log_probs.detach()
        prompts.append((torch.tensor([prompt]), pixels[row["images"][0]]))
    loss = total / count
    loss.backward()
    expected["loss"] = loss.detach().reshape(1)
    layers = [model.projector.fc1, model.projector.fc2, *([model.projector.fc3] if len(sizes["kinds"]) == 2 else [])]
    for number, layer in enumerate(layers):
        expected[f"grad_connector_{2 * number}_weight"] = layer.weight.grad
        expected[f"grad_connector_{2 * number}_bias"] = layer.bias.grad
    generation = generations(model, exact, tokenizer, prompts, expected)
    if sizes.get("whole"):
        check_predicted(model, prompts, expected)
    save_file({k: v.contiguous() for k, v in inputs.items()}, folder / "inputs.safetensors")
    save_file({k: v.detach().contiguous() for k, v in expected.items()}, folder / "expected.safetensors")
    made_by = {"torch": torch.__version__, "transformers": transformers.__version__}
    text = json.dumps({"made_by": made_by, "rows": rows, "generation": generation}, indent=2, ensure_ascii=False)
    (folder / "fixture.json").write_text(text + "\n")
    print(folder.name, sizes, "generated", [len(expected[each["key"]]) for each in generation], flush=True)


def generations(model, exact, tokenizer, prompts, expected):
    generation = []
    for row, (ids, pixels) in enumerate(prompts):
        for number, search in enumerate(SEARCHES):
            tokens = generate(model, ids, pixels, search)
            if tokens != generate(exact, ids, pixels.double(), search):
                raise Unstable(f"row {row}, {search}")
            key = f"generated_{row}_{number}"
            expected[key] = torch.tensor(tokens)
            generation.append({"key": key, "row": row, "eos_token_id": tokenizer.eos_token_id, **search})
    return generation


@torch.no_grad()
def generate(model, ids, pixels, search):
    mask = torch.ones_like(ids)
    found = model.generate(ids, attention_mask=mask, pixel_values=pixels, **search, do_sample=False)
    return found[0, ids.shape[1] :].tolist()


def check_predicted(model, prompts, expected):
    """The published `predict_action`, given the prompt without its blank, must say what `generate` said with it."""
    for row, (ids, pixels) in enumerate(prompts):
        generated, plain = [], model.generate
        model.generate = lambda tokens, **settings: generated.append(plain(tokens, **settings)) or generated[-1]
        mask = torch.ones_like(ids)
        with torch.no_grad():
            model.predict_action(ids[:, :-1], pixel_values=pixels, attention_mask=mask, do_sample=False, min_new_tokens=7)
        model.generate = plain
        assert generated[0][0].tolist() == ids[0].tolist() + expected[f"generated_{row}_2"].tolist()


def write_folder(folder, sizes, classes):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    model, tokenizer, processor, vocabulary = random_openvla(classes, sizes, sizes["seed"])
    model.to(sizes.get("dtype", torch.float32)).save_pretrained(folder, max_shard_size=sizes.get("shard_size", "1GB"))
    tokenizer.save_pretrained(folder)
    processor.save_pretrained(folder)
    # a copy of a model would have the eyes of the original: the published code binds their methods
    loaded, exact = (
        classes[1].from_pretrained(folder, torch_dtype=dtype, attn_implementation="eager").eval()
        for dtype in (torch.float32, torch.float64)
    )
    read = classes[2].from_pretrained(folder)
    run(folder, loaded, exact, tokenizer, read, vocabulary, sizes)


def drawn(seed):
    draw = random.Random(seed)
    kinds = draw.choice([["dinov2", "siglip"], ["dinov2", "siglip"], ["dinov2", "clip"], ["siglip"], ["dinov2"], ["clip"], ["in1k"]])
    heads = draw.choice([2, 4])
    sizes = {
        "kinds": kinds, "seed": seed, "exact_pixels": True, "whole": draw.random() < 0.4,
        "actions": draw.choice([64, 256]), "strategy": draw.choice(["resize-naive", "letterbox", "resize-crop"]),
        "dtype": draw.choice([torch.float32, torch.float16, torch.bfloat16]), "shard_size": draw.choice(["1GB", "60KB"]),
        "eyes": [{"depth": draw.choice([2, 3, 5]), "num_heads": draw.choice([1, 2, 4])} for _ in kinds],
        "text": {"num_hidden_layers": draw.choice([1, 2, 3]), "num_attention_heads": heads, "num_key_value_heads": draw.choice([heads, 1])},
    }
    sizes["side"], sizes["patch"] = draw.choice([(28, 7), (30, 7), (32, 8), (42, 14)])
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("published", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--random", type=int, default=0, help="this many folders of drawn sizes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eyes", type=Path, help="where to write what the eyes are that Prismatic names")
    arguments = parser.parse_args()
    if arguments.eyes:
        arguments.eyes.write_text(json.dumps(named_eyes(), indent=2) + "\n")
    if not arguments.out:
        return
    classes = published(arguments.published)
    variants = {f"random-{seed}": drawn(seed) for seed in range(arguments.seed, arguments.seed + arguments.random)}
    for name, sizes in (variants or VARIANTS).items():
        while True:
            try:
                write_folder(arguments.out / name, sizes, classes)
                break
            except Unstable as error:
                print(name, "seed", sizes["seed"], "is decided by a rounding:", error)
                sizes = {**sizes, "seed": sizes["seed"] + 100}


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
