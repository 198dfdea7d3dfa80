"""Writes comparison folders of the families: small random checkpoints with what transformers computes on them.

    python tools/reference/write_family_fixtures.py packages/backbone/fixtures/families
    python tools/reference/write_family_fixtures.py packages/backbone/fixtures/text --texts
    python tools/reference/write_family_fixtures.py /tmp/folders --random 6 --seed 1
    python tools/reference/write_family_fixtures.py /tmp/folders --random 8 --family qwen3
    python tools/reference/write_family_fixtures.py /tmp/folders --of /models/SmolLM2-135M-Instruct

With --of the folder is one of your own: its files are linked into a folder of the same name, with the numbers beside
them, for `emac backbone compare`. Every generation is repeated in float64 and must give the same tokens, so that no expected token hangs on a rounding.
"""

import argparse
import copy
import json
import os
import random
import shutil
from pathlib import Path

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file

from random_families import random_family
from random_tokenizers import TEXTS
from random_pictured import PICTURED, drawn_pictured
from random_text import CLASSES, LLAMA3_ROPE, TARGETS, drawn_adapter, drawn_text, random_text_model
from text_comparison import SEARCHES as TEXT_SEARCHES
from text_comparison import Unstable, adapted, run_text, scores, write_lines

SMALL_ADAPTER = {"r": 1, "alpha": 2, "targets": TARGETS, "use_rslora": False}
PINPOINTS = [[28, 56], [56, 28], [56, 56], [84, 28], [28, 84]]
VARIANTS = {
    "qwen2_5_vl": {"family": "qwen2_5_vl", "seed": 1},
    "qwen2_vl": {"family": "qwen2_vl", "seed": 2, "text": {"tie_word_embeddings": False, "num_key_value_heads": 1}},
    "llava_next_mistral": {
        "family": "llava_next_mistral", "seed": 3, "pinpoints": PINPOINTS, "text": {"sliding_window": 50},
    },
    "llava_next_vicuna": {
        "family": "llava_next_vicuna", "seed": 4, "pinpoints": PINPOINTS, "text": {"num_key_value_heads": 4},
    },
    "idefics3": {"family": "idefics3", "seed": 9, "kept": 8, "adapter": SMALL_ADAPTER},
    "smolvlm": {
        "family": "smolvlm", "seed": 10, "kept": 8, "adapter": SMALL_ADAPTER, "dtype": torch.bfloat16,
        "text": {"tie_word_embeddings": False}, "vision": {"image_size": 35}, "scale_factor": 4,
        "processor": {"size": {"longest_edge": 70}},
    },
    "llava": {"family": "llava", "seed": 11, "kept": 8, "adapter": SMALL_ADAPTER, "dtype": torch.float16},
    "qwen3_vl": {
        "family": "qwen3_vl", "seed": 12, "kept": 8, "adapter": SMALL_ADAPTER, "dtype": torch.bfloat16,
        "text": {"hidden_size": 24}, "vision": {"patch_size": 8}, "processor": {"min_pixels": 1024, "max_pixels": 5120},
    },
}
TEXT_VARIANTS = {
    "llama": {
        "family": "llama", "seed": 5, "tokenizer": "llama3", "template": "llama3", "kept": 4, "dtype": torch.float16,
        "text": {"hidden_size": 24, "rope_scaling": LLAMA3_ROPE, "tie_word_embeddings": False},
        "adapter": {"r": 2, "alpha": 4, "targets": TARGETS, "use_rslora": False},
    },
    "mistral": {
        "family": "mistral", "seed": 6, "tokenizer": "sentencepiece", "template": "none", "kept": 4, "dtype": torch.float16,
        "text": {"sliding_window": 20, "head_dim": 6}, "adapter": {"r": 1, "alpha": 2, "targets": TARGETS, "use_rslora": False},
    },
    "qwen2": {
        "family": "qwen2", "seed": 7, "tokenizer": "bytes", "template": "chatml", "kept": 4, "dtype": torch.bfloat16,
        "text": {"num_key_value_heads": 1}, "adapter": {"r": 1, "alpha": 2, "targets": ["q_proj", "v_proj"], "use_rslora": True},
    },
    "qwen3": {
        "family": "qwen3", "seed": 8, "tokenizer": "bytes", "template": "thinking", "kept": 4, "dtype": torch.float16,
        "text": {"head_dim": 12}, "adapter": {"r": 2, "alpha": 4, "targets": TARGETS, "use_rslora": False},
    },
    "gemma3_text": {
        "family": "gemma3_text", "seed": 13, "tokenizer": "gemma", "template": "gemma", "kept": 4, "dtype": torch.bfloat16,
        "text": {
            "hidden_size": 24, "head_dim": 6, "num_hidden_layers": 3, "sliding_window": 20, "sliding_window_pattern": 2, "query_pre_attn_scalar": 8,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "rope_theta": 1000000.0,
        },
        "adapter": {"r": 1, "alpha": 2, "targets": TARGETS, "use_rslora": False},
    },
}
SEARCHES = [
    {"num_beams": 1, "max_new_tokens": 64},
    {"num_beams": 5, "max_new_tokens": 64},
    {"num_beams": 5, "max_new_tokens": 64, "length_penalty": 0.0, "min_new_tokens": 20},
    {"num_beams": 1, "max_new_tokens": 64, "min_new_tokens": 64},
]
IMAGE_SIZES = [(61, 87), (130, 57), (40, 41)]


# Logits of the last positions of each row are kept.
KEPT = 40


def pictures(seed):
    """Smooth shapes with some noise, at odd sizes: height, width."""
    draw = np.random.default_rng(seed)
    for height, width in IMAGE_SIZES:
        y, x = np.mgrid[0:height, 0:width]
        waves = [np.sin(x / draw.uniform(3, 30) + y / draw.uniform(3, 30) + draw.uniform(0, 6)) for _ in range(3)]
        image = 127 + 90 * np.stack(waves, -1) + draw.normal(0, 20, (height, width, 3))
        yield Image.fromarray(image.clip(0, 255).astype(np.uint8))


ROWS = [
    {"images": [0], "text": f"{TEXTS[0]}\n{TEXTS[1]}\n>", "answer": "go to cabinet 1"},
    {"images": [1], "text": f"{TEXTS[1]}\n{TEXTS[2]}\n>", "answer": "take mug 1 from cabinet 1"},
    {"images": [2, 0], "text": TEXTS[3] + "\n>", "answer": "look"},
]


def marked_tokens(tokenizer, row, spans):
    """The same for families that write a picture's tokens into the text; `spans` are those of the row's pictures."""
    images = [{"type": "image"} for _ in row["images"]]
    user = {"role": "user", "content": [*images, {"type": "text", "text": row["text"]}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": row["answer"]}]}
    prompt = tokenizer.apply_chat_template([user], tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template([user, said], tokenize=False)
    if not whole.startswith(prompt):
        # LLaVA-Interleave's template writes a blank more before an answer
        start = whole.index(row["answer"], len(prompt.rstrip()))
        assert whole[len(prompt.rstrip()) : start].strip() == "", (prompt, whole)
        whole = prompt + whole[start:]
    end = whole.index(row["answer"], len(prompt)) + len(row["answer"])
    mark = PLACEHOLDERS[row["family"]]

    def expanded(text):
        first, *rest = text.split(mark)
        return first + "".join(span + part for span, part in zip(spans, rest))

    ids, both = (tokenizer(expanded(text), add_special_tokens=not begins(tokenizer, text))["input_ids"] for text in (prompt, whole[:end]))
    assert both[: len(ids)] == ids, (ids, both)
    return ids, both[len(ids) :] + [end_token(tokenizer, whole[end:])]


PLACEHOLDERS = {"idefics3": "<image>", "smolvlm": "<image>", "llava": "<image>", "qwen3_vl": "<|image_pad|>"}


def begins(tokenizer, text):
    return tokenizer.bos_token is not None and text.startswith(tokenizer.bos_token)


def end_token(tokenizer, rest):
    after = tokenizer(rest.lstrip(), add_special_tokens=False)["input_ids"][:1]
    ends = after and tokenizer.decode(after, skip_special_tokens=True) == ""
    return after[0] if ends else tokenizer.eos_token_id


def turn_tokens(tokenizer, row, counts, image_token):
    """Ids of a row up to the answer, and of the answer with the template's own end token."""
    images = [{"type": "image"} for _ in row["images"]]
    user = {"role": "user", "content": [*images, {"type": "text", "text": row["text"]}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": row["answer"]}]}
    prompt = tokenizer.apply_chat_template([user], tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template([user, said], tokenize=False)
    assert whole.startswith(prompt), (prompt, whole)
    end = whole.index(row["answer"], len(prompt)) + len(row["answer"])
    ids = tokenizer(prompt)["input_ids"]
    both = tokenizer(whole[:end])["input_ids"]
    assert both[: len(ids)] == ids, (ids, both)
    answer = both[len(ids) :] + [tokenizer.eos_token_id]
    expanded, pictures = [], iter(counts[image] for image in row["images"])
    for token in ids:
        expanded += [token] * (next(pictures) if token == image_token else 1)
    return expanded, answer


def image_inputs(processor, images):
    found = processor(images=images, return_tensors="pt")
    return {name: torch.as_tensor(value) for name, value in found.items()}


def visual_of(model, inputs):
    """What enters the language model for one picture [N, D]."""
    if "image_grid_thw" in inputs:
        return model.model.get_image_features(inputs["pixel_values"], inputs["image_grid_thw"])[0]
    return model.model.get_image_features(inputs["pixel_values"], inputs["image_sizes"])[0]


def connector_of(model):
    if hasattr(model.model, "visual"):
        mlp = model.model.visual.merger.mlp
        return mlp[0], mlp[2]
    projector = model.model.multi_modal_projector
    return projector.linear_1, projector.linear_2


def in_order(model, inputs, rows):
    """The connector's input line by line: Qwen2.5-VL has it window by window, LLaVA-NeXT tile by tile with padding."""
    if not hasattr(model.model, "visual"):
        return model.model.pack_image_features([rows], inputs["image_sizes"], "default")[0][0]
    if not hasattr(model.model.visual, "get_window_index"):
        return rows
    index, _ = model.model.visual.get_window_index(inputs["image_grid_thw"])
    return rows[torch.argsort(index)]


def run(folder, model, tokenizer, processor, seed, exact_pixels):
    images = list(pictures(seed))
    each = [image_inputs(processor, [image]) for image in images]
    first, last = connector_of(model)
    seen = []
    hook = first.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0].detach()))
    visual = [visual_of(model, inputs).detach() for inputs in each]
    hook.remove()
    counts = [len(rows) for rows in visual]
    image_token = getattr(model.config, "image_token_id", None) or model.config.image_token_index
    inputs, expected, total, count = {}, {}, 0.0, 0
    for index, (image, found) in enumerate(zip(images, each)):
        inputs[f"image_{index}"] = torch.from_numpy(np.array(image))
        pixels = found["pixel_values"]
        # half the bytes for folders that are committed; exact where another Pillow may have resized
        expected[f"pixel_values_{index}"] = pixels if exact_pixels else pixels.half()
        expected[f"connector_input_{index}"] = in_order(model, found, seen[index])
        expected[f"visual_{index}"] = visual[index]
    prompts = []
    for number, row in enumerate(ROWS):
        ids, answer = turn_tokens(tokenizer, row, counts, image_token)
        feeds = image_inputs(processor, [images[index] for index in row["images"]])
        tokens = torch.tensor([ids + answer])
        logits = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), **feeds).logits[0]
        labels = torch.tensor(answer)
        log_probs = logits[len(ids) - 1 : -1].log_softmax(-1).gather(1, labels[:, None])[:, 0]
        total, count = total - log_probs.sum(), count + len(answer)
        inputs[f"input_ids_{number}"] = tokens[0]
        inputs[f"answer_length_{number}"] = torch.tensor([len(answer)])
        expected[f"logits_{number}"] = logits[-KEPT:].detach()
        expected[f"log_probs_{number}"] = log_probs.detach()
        prompts.append((torch.tensor([ids]), feeds))
    loss = total / count
    loss.backward()
    expected["loss"] = loss.detach().reshape(1)
    for name, layer in (("0", first), ("2", last)):
        expected[f"grad_connector_{name}_weight"] = layer.weight.grad
        expected[f"grad_connector_{name}_bias"] = layer.bias.grad
    exact = copy.deepcopy(model).double()
    generation = []
    for row, (ids, feeds) in enumerate(prompts):
        for number, search in enumerate(SEARCHES):
            # for several beams transformers 4.57 repeats LLaVA's pictures one by one, not prompt by prompt
            if "image_sizes" in feeds and len(ROWS[row]["images"]) > 1 and search["num_beams"] > 1:
                continue
            tokens = generate(model, ids, feeds, search)
            doubles = {name: value.double() if value.is_floating_point() else value for name, value in feeds.items()}
            if tokens != generate(exact, ids, doubles, search):
                raise Unstable(f"row {row}, {search}")
            key = f"generated_{row}_{number}"
            expected[key] = torch.tensor(tokens)
            generation.append({"key": key, "row": row, "eos_token_id": tokenizer.eos_token_id, **search})
    save_file({k: v.contiguous() for k, v in inputs.items()}, folder / "inputs.safetensors")
    save_file({k: v.detach().contiguous() for k, v in expected.items()}, folder / "expected.safetensors")
    made_by = {"torch": torch.__version__, "transformers": transformers.__version__}
    text = json.dumps({"made_by": made_by, "rows": ROWS, "generation": generation}, indent=2, ensure_ascii=False)
    (folder / "fixture.json").write_text(text + "\n")
    lengths = [len(expected[each["key"]]) for each in generation]
    print(folder.name, "visual tokens", counts, "generated", lengths)


def run_pictured(folder, model, tokenizer, processor, sizes):
    """As `run`, for the families of `random_pictured`, with an adapter."""
    family, seed = PICTURED[model.config.model_type], sizes["seed"]
    images = list(pictures(seed))
    connector = family.connector(model)
    seen = []
    hook = next(iter(connector.values())).register_forward_hook(lambda _, inputs, __: seen.append(inputs[0].detach()))
    each = [family.inputs(processor, [image]) for image in images]
    inputs, expected, spans = {}, {}, []
    for index, (image, (feeds, grid)) in enumerate(zip(images, each)):
        rows = family.features(model, feeds).detach()
        spans.append(family.span(model, grid[0], rows))
        ids = torch.tensor(tokenizer(spans[index], add_special_tokens=False)["input_ids"])
        visual = model.get_input_embeddings()(ids).detach().clone()
        visual[ids == model.config.image_token_id] = rows
        inputs[f"image_{index}"] = torch.from_numpy(np.array(image))
        pixels = family.pixels(feeds)
        expected[f"pixel_values_{index}"] = pixels if sizes.get("exact_pixels") else pixels.half()
        expected[f"connector_input_{index}"] = seen[-1].reshape(-1, seen[-1].shape[-1])
        expected[f"visual_{index}"] = visual
        if hasattr(family, "deep"):
            expected.update({f"{name}_{index}": values for name, values in family.deep(model, feeds).items()})
    hook.remove()
    rows = []
    for number, row in enumerate(ROWS):
        found = {**row, "family": model.config.model_type}
        ids, answer = marked_tokens(tokenizer, found, [spans[image] for image in row["images"]])
        feeds, _ = family.inputs(processor, [images[index] for index in row["images"]])
        rows.append((ids, answer, feeds))
        inputs[f"input_ids_{number}"] = torch.tensor(ids + answer)
    kept = sizes.get("kept", KEPT)
    loss = scores(model, rows, kept, "", expected)
    loss.backward()
    expected["loss"] = loss.detach().reshape(1)
    for name, layer in connector.items():
        for part, parameter in layer.named_parameters():
            expected[f"grad_connector_{name.replace('.', '_')}{part}"] = parameter.grad.clone()
    model.zero_grad()
    exact = copy.deepcopy(model).double()
    generation = []
    searches = SEARCHES if sizes.get("exact_pixels") else SEARCHES[1:]
    for row, (ids, answer, feeds) in enumerate(rows):
        for number, search in enumerate(searches):
            search = {**search, "eos_token_id": answer[-1]}
            # for several beams transformers 4.57 repeats LLaVA's pictures one by one, not prompt by prompt
            if model.config.model_type == "llava" and len(ROWS[row]["images"]) > 1 and search["num_beams"] > 1:
                continue
            tokens = generate(model, torch.tensor([ids]), feeds, search)
            doubles = {name: value.double() if value.is_floating_point() else value for name, value in feeds.items()}
            if tokens != generate(exact, torch.tensor([ids]), doubles, search):
                raise Unstable(f"row {row}, {search}")
            key = f"generated_{row}_{number}"
            expected[key] = torch.tensor(tokens)
            generation.append({"key": key, "row": row, **search})
    adapted(folder, model, rows, sizes["adapter"], seed, kept, expected)
    save_file({k: v.contiguous() for k, v in inputs.items()}, folder / "inputs.safetensors")
    save_file({k: v.detach().contiguous() for k, v in expected.items()}, folder / "expected.safetensors")
    made_by = {"torch": torch.__version__, "transformers": transformers.__version__}
    text = json.dumps({"made_by": made_by, "rows": ROWS, "generation": generation}, indent=2, ensure_ascii=False)
    (folder / "fixture.json").write_text(text + "\n")
    lengths = [len(expected[each["key"]]) for each in generation]
    print(folder.name, "prompts", [len(ids) for ids, *_ in rows], "generated", lengths)


@torch.no_grad()
def generate(model, ids, feeds, search):
    found = model.generate(
        input_ids=ids, attention_mask=torch.ones_like(ids), **feeds, **search, do_sample=False
    )
    return found[0, ids.shape[1] :].tolist()


def write_folder(folder, sizes):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    dtype = sizes.get("dtype", torch.float32)
    if sizes["family"] in CLASSES:
        return write_text_folder(folder, sizes, dtype)
    model, tokenizer, processor = random_family(sizes["family"], sizes, sizes["seed"])
    model.to(dtype).save_pretrained(folder, max_shard_size=sizes.get("shard_size", "1GB"))
    tokenizer.save_pretrained(folder)
    processor.save_pretrained(folder)
    loaded = type(model).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    if sizes["family"] in PICTURED:
        loaded.tile_side = getattr(processor, "max_image_size", {}).get("longest_edge")
        return run_pictured(folder, loaded, tokenizer, processor, sizes)
    run(folder, loaded, tokenizer, processor, sizes["seed"], sizes.get("exact_pixels", False))


def write_text_folder(folder, sizes, dtype):
    model, tokenizer = random_text_model(sizes["family"], sizes, sizes["seed"])
    model.to(dtype).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    loaded = type(model).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    searches = TEXT_SEARCHES if "kept" in sizes else TEXT_SEARCHES[1::2]
    run_text(folder, loaded, tokenizer, sizes["adapter"], sizes["seed"], sizes.get("kept", KEPT), searches)


def write_of(out, given, seed, rows=None, lines=None, check=True):
    """A folder of one's own beside its numbers; a model that sees brings its image processor. A language model may be given rows and lines of its own."""
    folder = out / given.name
    folder.mkdir(parents=True, exist_ok=True)
    for file in given.iterdir():
        if file.is_file() and not (folder / file.name).exists():
            os.link(file, folder / file.name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    options = {"dtype": torch.float32, "attn_implementation": "eager"}
    if (folder / "preprocessor_config.json").exists():
        model = transformers.AutoModelForImageTextToText.from_pretrained(folder, **options).eval()
        processor = transformers.AutoImageProcessor.from_pretrained(folder, use_fast=False)
        if model.config.model_type in PICTURED:
            model.tile_side = getattr(processor, "max_image_size", {}).get("longest_edge")
            adapter = {"r": 8, "alpha": 16, "targets": TARGETS, "use_rslora": False}
            return run_pictured(folder, model, tokenizer, processor, {"seed": seed, "exact_pixels": True, "adapter": adapter})
        return run(folder, model, tokenizer, processor, seed, True)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, **options).eval()
    adapter = {"r": 8, "alpha": 16, "targets": TARGETS, "use_rslora": False}
    # a large model in float64 would need twice its memory again
    small = check and sum(each.numel() for each in model.parameters()) < 5e8
    if lines:
        write_lines(folder, tokenizer, lines)
    if not rows:
        return run_text(folder, model, tokenizer, adapter, seed, searches=TEXT_SEARCHES[:2], check=small)
    # the gradients of many rows together would need much memory
    run_text(folder, model, tokenizer, None, seed, searches=TEXT_SEARCHES[:1], check=small, rows=rows)


def rows_of(dataset, count):
    """So many records of a dataset as `emac collect` writes it, evenly spread."""
    records = json.loads(dataset.read_text())
    spread = [records[number * len(records) // count] for number in range(count)]
    return [{"images": [], "text": each["text_input"], "answer": each["text_output"]} for each in spread]


def drawn(seed, family=None):
    if family in CLASSES:
        return drawn_text(family, seed)
    if family in PICTURED:
        draw = random.Random(f"{family} {seed}")
        dtype = draw.choice([torch.float32, torch.float16, torch.bfloat16])
        common = {"family": family, "seed": seed, "exact_pixels": True, "dtype": dtype, "adapter": drawn_adapter(draw)}
        return {**common, **drawn_pictured(family, draw)}
    draw = random.Random(seed)
    family = draw.choice([family] if family else ["qwen2_5_vl", "qwen2_vl", "llava_next_mistral", "llava_next_vicuna"])
    text = {"num_key_value_heads": draw.choice([1, 2, 4]), "num_hidden_layers": draw.choice([1, 2, 3])}
    sizes = {"family": family, "seed": seed, "exact_pixels": True, "dtype": draw.choice([torch.float32, torch.float16, torch.bfloat16]), "text": text}
    if family.startswith("qwen"):
        text["tie_word_embeddings"] = draw.choice([True, False])
        text["rope_scaling"] = {"type": "mrope", "mrope_section": draw.choice([[2, 1, 1], [1, 1, 2], [1, 2, 1]])}
        most = draw.choice([6, 20, 60])
        sizes["processor"] = {"min_pixels": 28 * 28 * draw.choice([1, 4, 6]), "max_pixels": 28 * 28 * most}
    else:
        sizes["pinpoints"] = draw.sample(PINPOINTS, draw.choice([2, 3, 5]))
        if family == "llava_next_mistral":
            text["sliding_window"] = draw.choice([None, 7, 40])
    if family == "qwen2_5_vl":
        sizes["vision"] = {"window_size": draw.choice([28, 56, 84, 112]), "fullatt_block_indexes": draw.choice([[], [0], [1, 2]])}
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--random", type=int, default=0, help="this many folders of drawn sizes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--texts", action="store_true", help="the language models that read text alone")
    parser.add_argument("--family", help="of the drawn folders")
    parser.add_argument("--of", type=Path, help="a model folder of your own")
    parser.add_argument("--dataset", type=Path, help="rows for --of: a train.json of emac collect, of texts")
    parser.add_argument("--rows", type=int, default=40, help="records of --dataset")
    parser.add_argument("--unchecked", action="store_true", help="rows of --dataset without the generation in float64, which takes several times as long")
    parser.add_argument("--lines", type=Path, help="a text file whose lines the tokenizer of --of reads")
    arguments = parser.parse_args()
    if arguments.of:
        rows = arguments.dataset and rows_of(arguments.dataset, arguments.rows)
        lines = arguments.lines and arguments.lines.read_text().splitlines()
        return write_of(arguments.out, arguments.of, arguments.seed, rows, lines, not arguments.unchecked)
    name = f"{arguments.family}-" if arguments.family else ""
    variants = {f"{name}random-{seed}": drawn(seed, arguments.family) for seed in range(arguments.seed, arguments.seed + arguments.random)}
    for name, sizes in (variants or (TEXT_VARIANTS if arguments.texts else VARIANTS)).items():
        if arguments.only in (None, name):
            while True:
                try:
                    write_folder(arguments.out / name, sizes)
                    break
                except Unstable as error:
                    print(name, "seed", sizes["seed"], "is decided by a rounding:", error)
                    sizes = {**sizes, "seed": sizes["seed"] + 100}


if __name__ == "__main__":
    # the models are so small that a second thread only waits
    torch.set_num_threads(1)
    main()
