"""The shipped model in Hugging Face's classes, and the moments of play that its fixtures are made of."""

import gzip
import json
from pathlib import Path

import torch
from PIL import Image
from tokenizers import Tokenizer
from transformers import AutoTokenizer, BlipImageProcessor, InstructBlipForConditionalGeneration

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "packages" / "emma-tiny" / "model"
FIXTURES = ROOT / "packages" / "backbone" / "fixtures"
SCENES = FIXTURES / "emma-tiny"


def load_model():
    return InstructBlipForConditionalGeneration.from_pretrained(MODEL, dtype=torch.float32).eval()


def load_tokenizer():
    return AutoTokenizer.from_pretrained(MODEL)


def load_qformer_tokenizer():
    return Tokenizer.from_file(str(MODEL / "qformer_tokenizer" / "tokenizer.json"))


def load_scenes():
    """`text`, `chosen`, `rejected` and `frame` of every scene, with `pixel_values` [3, 224, 224]."""
    processor = BlipImageProcessor.from_pretrained(MODEL)
    scenes = json.loads((SCENES / "scenes.json").read_text())
    for index, scene in enumerate(scenes):
        scene["pixel_values"] = processor(images=read_frame(index, **scene["frame"]), return_tensors="pt")["pixel_values"][0]
    return scenes


def read_frame(index, width, height):
    rgb = gzip.decompress((SCENES / f"frame-{index}.rgb.gz").read_bytes())
    return Image.frombytes("RGB", (width, height), rgb)


def prompt_ids(tokenizer, text):
    """Begin token and text."""
    return [tokenizer.bos_token_id] + tokenizer.encode(text, add_special_tokens=False)


def target_ids(tokenizer, text, target):
    """What a target adds to its prompt when both are tokenized as one text, and the end token."""
    before = tokenizer.encode(text, add_special_tokens=False)
    whole = tokenizer.encode(text + target, add_special_tokens=False)
    assert whole[: len(before)] == before, "a token joins prompt and target"
    return whole[len(before) :] + [tokenizer.eos_token_id]


def no_text(batch):
    """The Q-Former's text of emma-tiny: none."""
    return torch.zeros((batch, 0), dtype=torch.long)
