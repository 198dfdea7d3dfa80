"""What transformers' image processors make of two pictures with every key of their settings changed, one at a time.

python write_processor_keys.py packages/backbone/fixtures/families packages/emma-tiny/model packages/backbone/fixtures/processor-keys.json

Run it once with transformers 5.24.0, without torchvision, and once with 4.57.1; each writes its own part. Version 5 reads `image_processor`
in processor_config.json, 4 preprocessor_config.json. Of each value: how many numbers a picture has, and some of them. What equals its base is
left out; null stands for an error.
"""

import inspect
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import transformers
from PIL import Image
from transformers import AutoImageProcessor

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()

IS_FIVE = transformers.__version__.startswith("5")
FAMILIES = ["instructblip", "llava", "llava_next_mistral", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "idefics3", "smolvlm"]
SIZES = [(26, 20), (200, 150)]
KEPT = 16
# of the call, not of the file, or names of others
CALLS = {
    "return_tensors", "data_format", "input_data_format", "device", "disable_grouping", "images", "videos", "image", "self", "kwargs",
    "args", "segmentation_maps", "return_row_col_info", "return_image_num_patches", "image_kwargs",
}
VALUES = {
    "do_convert_rgb": [True, False], "do_resize": [False], "default_to_square": [True, False], "do_rescale": [False],
    "rescale_factor": [1 / 127.5], "do_normalize": [False], "image_mean": [[0.1, 0.2, 0.3]], "image_std": [[1, 0.5, 2]],
    "do_pad": [True, False], "pad_size": [{"height": 300, "width": 300}], "do_center_crop": [True, False], "resample": [0, 1, 2, 3],
    "image_seq_length": [7], "image_seq_len": [7], "do_image_splitting": [False], "max_image_size": [{"longest_edge": 42}],
    "image_grid_pinpoints": [[[28, 56], [56, 56]]], "min_pixels": [6272], "max_pixels": [7840], "patch_size": [7],
    "temporal_patch_size": [1], "merge_size": [1],
}
SIDES = {
    "size": [
        {"height": 35, "width": 42}, {"shortest_edge": 35}, {"longest_edge": 42}, {"shortest_edge": 3136, "longest_edge": 6272},
        {"shortest_edge": 35, "longest_edge": 70},
    ],
    "crop_size": [{"height": 21, "width": 28}],
}


def pictures():
    for width, height in SIZES:
        values = (np.arange(width * height * 3) * 7) % 251
        yield Image.fromarray(values.astype(np.uint8).reshape(height, width, 3))


def opened(settings):
    with tempfile.TemporaryDirectory() as place:
        name = "processor_config.json" if IS_FIVE else "preprocessor_config.json"
        content = {"image_processor": settings, "processor_class": "AutoProcessor"} if IS_FIVE else settings
        Path(place, name).write_text(json.dumps(content))
        return AutoImageProcessor.from_pretrained(place, **({} if IS_FIVE else {"use_fast": False}))


def seen(settings):
    processor = opened(settings)
    found = []
    for picture in pictures():
        values = np.asarray(processor([picture], return_tensors="np")["pixel_values"], dtype=np.float64).reshape(-1)
        places = np.linspace(0, len(values) - 1, KEPT).astype(int)
        found.append({"length": len(values), "values": [round(float(each), 3) for each in values[places]]})
    return found


def tried(settings):
    try:
        return seen(settings)
    except Exception as error:  # whatever a key does to transformers
        print("   ", type(error).__name__, str(error)[:120].replace("\n", " "))
        return None


def keys_of(processor):
    cls = type(processor)
    if hasattr(cls, "valid_kwargs"):
        return [*cls.valid_kwargs.__annotations__]
    known = [*inspect.signature(cls.__init__).parameters, *getattr(processor, "_valid_processor_keys", []), *inspect.signature(cls.preprocess).parameters]
    return list(dict.fromkeys(known))


def main(families, instructblip, out):
    part = {}
    for family in FAMILIES:
        folder = Path(instructblip) if family == "instructblip" else Path(families) / family
        base = json.loads((folder / "preprocessor_config.json").read_text())
        if IS_FIVE:
            base = opened(base).to_dict()
        usual = seen(base)
        keys = [key for key in keys_of(opened(base)) if key not in CALLS]
        walked = {}
        for key in keys:
            print(family, key)
            walked[key] = []
            for value in {**VALUES, **SIDES}[key]:
                if base.get(key) == value:
                    continue
                found = tried({**base, key: value})
                walked[key].append({"value": value, **({} if found == usual else {"result": found})})
        part[family] = {"settings": base, "result": usual, "keys": walked}
    file = Path(out)
    whole = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**whole, "5.24.0" if IS_FIVE else "4.57.1": part}))


main(*sys.argv[1:])
