"""Writes what transformers computes with the shipped model: pixel values, features, logits, token ids, answers.

    node tools/reference/write_scenes.mjs packages/backbone/fixtures/emma-tiny
    python tools/reference/write_emma_tiny.py
"""

import hashlib
import json

import torch
from safetensors.torch import save

from emma_tiny import (
    MODEL,
    SCENES,
    load_model,
    load_qformer_tokenizer,
    load_scenes,
    load_tokenizer,
    no_text,
    prompt_ids,
    target_ids,
)

# Columns and rows of the pixel values that the fixture holds; the hash covers all of them.
EVERY = 16
SEARCHES = {
    "greedy": {"num_beams": 1, "max_new_tokens": 24},
    "beams": {"num_beams": 5, "max_new_tokens": 24, "length_penalty": 0.0},
    "long": {"num_beams": 5, "max_new_tokens": 40, "min_new_tokens": 20, "repetition_penalty": 1.2},
}
QFORMER_TEXT = "put a clean mug in the cabinet 1"
STRINGS = [
    "", " ", "  ", "\n", "\n\n", "\n>", "> ", " go to fridge 1", "go to fridge 1", "go to fridge 12", "go to  fridge 1",
    " move mug 3 to shelf 2", " put mug 3 in/on shelf 2", " take apple 1 from countertop 10", " inventory", " look",
    "Your task is to: put a clean mug in cabinet.", "Your task is to: put two alarmclock in dresser.",
    "You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 2, and a drawer 14.",
    "You arrive at fridge 1. The fridge 1 is closed.", "You open the drawer 3. The drawer 3 is open. In it, you see nothing.",
    "Nothing happens.", "You pick up the soapbar 1 from the toilet 1.", "\n> examine desklamp 1\nThere's nothing special about desklamp 1.",
    "UPPER CASE AND lower", "CamelCaseWord", "don't can't won't it's", "a,b;c:d.e!f?g", "(parentheses) [brackets] {braces}",
    "12345 6 78 901 3.14 -7", "go to cabinet 100", "tab\tand\ttabs", "carriage\r\nreturn", "   leading and trailing   ",
    "trailing newline\n", "\n\n\n> x\n\n", "naïve café Zürich", "Ελληνικά", "русский текст", "日本語のテキスト", "한국어",
    "🙂 👍🏽 👩‍👩‍👧", "e\u0301 combining", "\u00a0no-break space", "zero\u200bwidth", "<s>", "</s> after", "text <pad> and <unk>",
    "<image> here", "[CLS] [SEP] [PAD]", "good", "poor mug", "mug 1 is hot", "supercalifragilistic", "a" * 40, "_under_score_",
]


def label_logits(model, scenes, tokenizer):
    """Logits [L, V] at the places that predict the chosen targets' tokens, all scenes in one padded batch."""
    image = [model.config.image_token_index] * model.config.num_query_tokens
    prompts = [image + prompt_ids(tokenizer, scene["text"]) for scene in scenes]
    targets = [target_ids(tokenizer, scene["text"], scene["chosen"]) for scene in scenes]
    width = max(len(prompt + target) for prompt, target in zip(prompts, targets))
    rows, masks, labels = [], [], []
    for prompt, target in zip(prompts, targets):
        free = width - len(prompt) - len(target)
        rows.append(prompt + target + [tokenizer.pad_token_id] * free)
        masks.append([1] * (len(prompt) + len(target)) + [0] * free)
        labels.append([-100] * len(prompt) + target + [-100] * free)
    labels = torch.tensor(labels)
    output = model(
        pixel_values=torch.stack([scene["pixel_values"] for scene in scenes]),
        qformer_input_ids=no_text(len(scenes)),
        input_ids=torch.tensor(rows),
        attention_mask=torch.tensor(masks),
        labels=labels,
    )
    return output.logits[:, :-1][labels[:, 1:] >= 0], targets, output.loss


def answers(model, scene, tokenizer):
    """New tokens of every search."""
    image = [model.config.image_token_index] * model.config.num_query_tokens
    ids = torch.tensor([image + prompt_ids(tokenizer, scene["text"])])
    found = {}
    for name, search in SEARCHES.items():
        whole = model.generate(
            pixel_values=scene["pixel_values"][None], qformer_input_ids=no_text(1), input_ids=ids, **search,
            do_sample=False,
        )
        found[name] = whole[0, ids.shape[1] :].tolist()
    return found


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    model, tokenizer, qformer_tokenizer, scenes = load_model(), load_tokenizer(), load_qformer_tokenizer(), load_scenes()
    pixel_values = torch.stack([scene["pixel_values"] for scene in scenes])
    features = lambda pixels, ids: model.get_image_features(
        pixels, qformer_input_ids=ids, return_dict=True
    )[2].last_hidden_state[:, : model.config.num_query_tokens]
    text_ids = qformer_tokenizer.encode(QFORMER_TEXT).ids
    logits, targets, loss = label_logits(model, scenes, tokenizer)
    double = load_model().double()
    described = []
    for scene, target in zip(scenes, targets):
        generated = answers(model, scene, tokenizer)
        in_double = answers(double, {**scene, "pixel_values": scene["pixel_values"].double()}, tokenizer)
        assert generated == in_double, "float32 and float64 give different tokens; take another scene"
        described.append({
            "prompt": prompt_ids(tokenizer, scene["text"]),
            "target": target,
            "pixel_values_sha256": hashlib.sha256(scene["pixel_values"].numpy().tobytes()).hexdigest(),
            "generated": generated,
        })
    (SCENES / "expected.safetensors").write_bytes(save({
        "pixel_values": pixel_values[:, :, ::EVERY, ::EVERY].contiguous(),
        "features": features(pixel_values, no_text(len(scenes))).contiguous(),
        "features_with_text": features(pixel_values[:1], torch.tensor([text_ids])).contiguous(),
        "label_logits": logits.contiguous(),
        "loss": loss.reshape(1),
    }))
    write_json(SCENES / "expected.json", {
        "model_sha256": hashlib.sha256((MODEL / "model.safetensors").read_bytes()).hexdigest(),
        "every": EVERY,
        "searches": SEARCHES,
        "qformer_text": {"text": QFORMER_TEXT, "ids": text_ids},
        "scenes": described,
    })
    write_json(SCENES / "tokens.json", [tokens_of(text, tokenizer, qformer_tokenizer) for text in STRINGS])
    for scene, each in zip(scenes, described):
        print(repr(scene["chosen"]), {name: tokenizer.decode(ids) for name, ids in each["generated"].items()})
    print("loss", loss.item(), "label logits", list(logits.shape))


def tokens_of(text, tokenizer, qformer_tokenizer):
    ids = tokenizer.encode(text, add_special_tokens=False)
    return {
        "text": text,
        "ids": ids,
        "decoded": tokenizer.decode(ids, skip_special_tokens=True),
        "qformer_ids": qformer_tokenizer.encode(text, add_special_tokens=False).ids,
        "qformer_ids_with_special": qformer_tokenizer.encode(text).ids,
    }


def write_json(path, value):
    path.write_text(json.dumps(value) + "\n")


if __name__ == "__main__":
    main()
