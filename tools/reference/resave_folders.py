"""Comparison folders with pictures as transformers 5 writes them: configuration, weights, tokenizer and image processor saved once more.

    python tools/reference/write_family_fixtures.py /tmp/folders --random 2 --seed 500 --family qwen2_vl
    python tools/reference/resave_folders.py /tmp/folders /tmp/resaved
    for folder in /tmp/resaved/*; do npx emac backbone compare $folder; done

Run the second with transformers 5.24.0, without torchvision. The numbers stay those of 4.57.1. Of each folder with three axes of positions a
second one scales them ("yarn"), which must be refused by its name.
"""

import json
import shutil
import sys
from pathlib import Path

import transformers
from transformers import AutoConfig, AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

transformers.logging.set_verbosity_error()


def resaved(folder, out):
    out.mkdir(parents=True, exist_ok=True)
    AutoModelForImageTextToText.from_pretrained(folder, dtype="auto").save_pretrained(out)
    AutoTokenizer.from_pretrained(folder).save_pretrained(out)
    settings = AutoImageProcessor.from_pretrained(folder).to_dict()
    (out / "processor_config.json").write_text(json.dumps({"image_processor": settings, "processor_class": "AutoProcessor"}))
    for name in ("fixture.json", "inputs.safetensors", "expected.safetensors", "chat_template.jinja"):
        if (folder / name).exists():
            shutil.copy(folder / name, out / name)
    if (folder / "adapter").exists():
        shutil.copytree(folder / "adapter", out / "adapter", dirs_exist_ok=True)


def scaled(folder, out):
    shutil.copytree(folder, out, dirs_exist_ok=True)
    config = json.loads((out / "config.json").read_text())
    text = config.get("text_config", config)
    key = "rope_parameters" if "rope_parameters" in text else "rope_scaling"
    text[key] = {**text[key], "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128}
    (out / "config.json").write_text(json.dumps(config))


def main(folders, out):
    for folder in sorted(Path(folders).iterdir()):
        resaved(folder, Path(out) / folder.name)
        if folder.name.startswith("qwen"):
            scaled(Path(out) / folder.name, Path(out) / f"{folder.name}-yarn")
        print(folder.name)


main(*sys.argv[1:])
