"""Keys that transformers' configuration classes know, with their defaults: those common to all, and by family and section.

python write_config_keys.py OLDER.json adds the keys of the installed transformers to those of OLDER.json (none: -) and prints
packages/backbone/fixtures/config-keys.json. Run it with 4.57.1 and then with 5.24.0; no torch is needed. A language model that
is a family of its own has its keys there alone.
"""

import inspect
import json
import sys
from pathlib import Path

from transformers import AutoConfig

FAMILIES = (
    "llama", "mistral", "qwen2", "qwen3", "gemma3_text", "instructblip", "qwen2_vl", "qwen2_5_vl", "qwen3_vl",
    "llava_next", "llava", "idefics3", "smolvlm",
)
# their language model is one of the families above
TEXT_ELSEWHERE = {"instructblip", "llava_next", "llava", "idefics3", "smolvlm"}
SECTIONS = ("text_config", "vision_config", "qformer_config")
# what the classes write about themselves
OWN = {"architectures", "transformers_version", "model_type", "_name_or_path", "dtype", "torch_dtype"}


def keys_of(config):
    named = {
        name: None if each.default is inspect.Parameter.empty else each.default
        for name, each in inspect.signature(type(config).__init__).parameters.items()
        if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL) and name != "self"
    }
    written = config.to_dict()
    return {
        key: value
        for key, value in sorted({**named, **written}.items())
        if key not in OWN and not key.startswith("_") and key not in SECTIONS and plain(value)
    }


def plain(value):
    try:
        json.dumps(value)
        return True
    except TypeError:
        return False


def sections_of(family):
    config = AutoConfig.for_model(family)
    found = {"": keys_of(config)}
    for section in SECTIONS:
        inner = getattr(config, section, None)
        if inner is not None:
            found[section] = keys_of(inner)
    return found


def short(value):
    """A list of a type for each layer is long."""
    return value[:2] if isinstance(value, list) and len(value) > 8 else value


def flat(older):
    return {
        family: {name: {**older["common"], **keys} for name, keys in sections.items()}
        for family, sections in older["families"].items()
    }


older = {} if sys.argv[1] == "-" else flat(json.loads(Path(sys.argv[1]).read_text()))
every = {}
for family in FAMILIES:
    sections, before = sections_of(family), older.get(family, {})
    if family in TEXT_ELSEWHERE:
        sections.pop("text_config")
    every[family] = {name: {**keys, **before.get(name, {})} for name, keys in sections.items()}
all_sections = [keys for sections in every.values() for keys in sections.values()]
common = {key: value for key, value in all_sections[0].items() if all(key in keys for keys in all_sections)}
rest = {
    family: {
        name: {key: short(value) for key, value in sorted(keys.items()) if key not in common}
        for name, keys in sections.items()
    }
    for family, sections in every.items()
}
print('{"common": ' + json.dumps(common) + ',\n"families": {')
print(
    ",\n".join(
        f'"{family}": {{\n' + ",\n".join(f'  "{name}": {json.dumps(keys)}' for name, keys in sections.items()) + "\n}"
        for family, sections in rest.items()
    )
)
print("}}")
