"""What transformers makes of a conversation with two pictures, for the tests of packages/datasets: its ids for each family, and the conversation in
Parquet as datasets stores pictures. Needs transformers 4.57, Pillow, torch and pyarrow.

    python tools/reference/write_pictures.py packages/datasets/fixtures
"""

import base64
import io
import json
import sys
from pathlib import Path

import numpy
import transformers
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
# without torchvision the processors of Qwen3-VL and SmolVLM do not open
PROCESSORS = {
    "qwen2_vl": transformers.Qwen2VLProcessor,
    "qwen2_5_vl": transformers.Qwen2_5_VLProcessor,
    "llava": transformers.LlavaProcessor,
    "llava_next_vicuna": transformers.LlavaNextProcessor,
    "llava_next_mistral": transformers.LlavaNextProcessor,
}
SIZES = [(60, 44), (33, 80)]
TEXT = lambda text: {"type": "text", "text": text}
MESSAGES = [
    {"role": "user", "content": [TEXT("a "), {"type": "image"}, TEXT(" b "), {"type": "image"}]},
    {"role": "assistant", "content": [TEXT("go")]},
]


def png(number):
    width, height = SIZES[number]
    pixels = numpy.random.default_rng(number).integers(0, 255, (height, width, 3), dtype=numpy.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def ids(family, pictures):
    path = ROOT / "packages" / "backbone" / "fixtures" / "families" / family
    config = json.loads((path / "config.json").read_text())
    processor = PROCESSORS[family]
    # the processor of films needs torchvision, and there is no film
    processor.check_argument_for_proper_class = lambda *_: None
    patches = {"patch_size": config["vision_config"]["patch_size"], "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    made = processor(
        image_processor=transformers.AutoImageProcessor.from_pretrained(path, use_fast=False),
        tokenizer=transformers.AutoTokenizer.from_pretrained(path),
        chat_template=(path / "chat_template.jinja").read_text(),
        **({"video_processor": object()} if "qwen" in family else patches),
    )
    text = made.apply_chat_template(MESSAGES, tokenize=False)
    found = [int(each) for each in made(text=[text], images=pictures)["input_ids"][0]]
    return {"image": config["image_token_id"] if "image_token_id" in config else config["image_token_index"], "ids": found}


def main(folder):
    files = [png(number) for number in range(2)]
    pictures = [Image.open(io.BytesIO(file)) for file in files]
    found = {family: ids(family, pictures) for family in PROCESSORS}
    row = {"messages": MESSAGES, "images": [base64.b64encode(file).decode() for file in files]}
    (folder / "pictures.json").write_text(json.dumps({"row": row, "families": found}) + "\n")
    import pyarrow
    import pyarrow.parquet

    images = [{"bytes": file, "path": f"{number}.png"} for number, file in enumerate(files)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"messages": MESSAGES, "images": images}]), folder / "pictures.parquet")


main(Path(sys.argv[1]))
