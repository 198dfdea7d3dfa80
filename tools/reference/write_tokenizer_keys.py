"""Ids and texts of transformers' fast tokenizers with every key of tokenizer_config.json changed, one at a time.

python write_tokenizer_keys.py packages/backbone/fixtures/tokenizer-keys.json

Run it with transformers 4.57.1; no torch is needed. Keys are those that a class and its parents name: parameters, special tokens, and what
they take out of their keyword arguments. special_tokens_map.json, added_tokens.json and the class by config.json are changed likewise, and a
small tokenizer of each kind is opened by every fast class. A result that equals its base's is left out; null stands for an error.
"""

import inspect
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path

import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer
from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()

LINES = ["take the red mug 12 from the shelf .", "the mug is red , the shelf is not ."]
TEXTS = [
    "take the red mug", " Red <mark> mug<new> 12 ", "a<thought>b<end>É the</s>", "<begin>the . red<s> 's mug <q>shelf", "",
]


def added(content, **flags):
    plain = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
    return {"content": content, **plain, **flags}


def with_tokens(tokenizer, special):
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    tokenizer.add_tokens([AddedToken("<thought>", normalized=False, special=False)])
    return json.loads(tokenizer.to_str())


def of_bytes():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=290, initial_alphabet=alphabet, show_progress=False))
    return with_tokens(tokenizer, ["<|endoftext|>", "<begin>", "<end>", "<mark>"])


def of_pieces():
    """As SentencePiece's, with the begin tokens of LLaMA and Gemma."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    special = ["<unk>", "<s>", "</s>", "<bos>", "<eos>", "<pad>", "<begin>", "<end>", "<mark>"]
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=310, special_tokens=[*special, *bytes_], show_progress=False)
    tokenizer.train_from_iterator(LINES, trainer)
    plain = json.loads(tokenizer.to_str())
    plain["added_tokens"] = []
    plain["pre_tokenizer"] = None
    tokenizer = Tokenizer.from_str(json.dumps(plain))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)])
    return with_tokens(tokenizer, special)


def of_words():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<begin>", "<end>", "<mark>"]
    trainer = trainers.WordPieceTrainer(vocab_size=70, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([*LINES, "Red É é abc ' s < > /"], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return with_tokens(tokenizer, special)


KINDS = {"bytes": of_bytes(), "pieces": of_pieces(), "words": of_words()}
# which classes are walked over each kind, and what their folders name
CLASSES = {
    "bytes": {
        "PreTrainedTokenizerFast": {"bos_token": "<begin>", "eos_token": "<end>"},
        "GPT2TokenizerFast": {"bos_token": "<begin>", "eos_token": "<end>"},
        "Qwen2TokenizerFast": {"eos_token": "<end>", "pad_token": "<|endoftext|>"},
    },
    "pieces": {
        "PreTrainedTokenizerFast": {"bos_token": "<s>", "eos_token": "</s>"},
        "LlamaTokenizerFast": {"bos_token": "<s>", "eos_token": "</s>"},
        "CodeLlamaTokenizerFast": {},
        "GemmaTokenizerFast": {"bos_token": "<bos>", "eos_token": "<eos>"},
    },
    "words": {"BertTokenizerFast": {}},
}
# where transformers itself has no class by these names, or takes files of its own
FILES = {"vocab_file", "merges_file", "tokenizer_file", "added_tokens_file", "special_tokens_map_file", "gguf_file"}
# the caller's objects, never a file's
CALLERS = {"tokenizer_object", "__slow_tokenizer", "_commit_hash", "token", "cache_dir", "local_files_only", "trust_remote_code"}


def keys_of(name):
    """Parameters and keyword arguments of a class and its parents."""
    keys = set(transformers.PreTrainedTokenizerBase.SPECIAL_TOKENS_ATTRIBUTES)
    for each in inspect.getmro(getattr(transformers, name)):
        if not each.__module__.startswith("transformers."):
            continue
        if "__init__" in vars(each):
            keys |= {
                one.name
                for one in inspect.signature(each.__init__).parameters.values()
                if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) and one.name != "self"
            }
        source = inspect.getsource(each)
        keys |= set(re.findall(r"\bkwargs\.(?:pop|get|setdefault)\(\s*\"(\w+)\"", source))
        keys |= set(re.findall(r"\bkwargs\[\"(\w+)\"\]", source))
        keys |= set(re.findall(r"\binit_kwargs\.(?:pop|get)\(\s*\"(\w+)\"", source))
    return sorted(keys - CALLERS - {"tokenizer_class"}) + ["unheard_of"]


def values_of(key):
    if key == "added_tokens_decoder":
        return [
            {"90": added("<new>"), "80": added("<q>", special=False)},
            {"5": added("<mark>", lstrip=True, rstrip=True)},
            {"5": added("mug", single_word=True, special=False, normalized=True)},
            {"5": added("<thought>", special=True)},
        ]
    if key in ("additional_special_tokens", "extra_special_tokens"):
        return [["<new>", "<thought>"], [added("<new>", rstrip=True, __type="AddedToken")], {"image_token": "<new>"}, None]
    if key.endswith("_token") and not key.startswith("add_"):
        return ["<new>", "mug", "<thought>", added("<new>", lstrip=True, __type="AddedToken"), None]
    if key == "clean_up_tokenization_spaces":
        return [True, False]
    if key == "extra_ids":
        return [0, 2]
    if key in ("padding_side", "truncation_side"):
        return ["left", "right"]
    if key == "chat_template":
        return ["{{ messages }}", None]
    if key in ("model_max_length", "max_length", "max_len", "stride", "pad_to_multiple_of", "pad_token_type_id"):
        return [3, None]
    if key in ("model_input_names", "init_inputs"):
        return [["input_ids"], []]
    if key in FILES:
        return ["unheard", None]
    return [True, False, None, "unheard", 7]


def opened(files):
    """What the tokenizer of these files makes of the texts; null where transformers opens none."""
    with tempfile.TemporaryDirectory() as folder:
        for name, value in files.items():
            Path(folder, name).write_text(json.dumps(value))
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder)
            if not tokenizer.is_fast:
                return None
            ids = [tokenizer.encode(text, add_special_tokens=False) for text in TEXTS]
            special = [tokenizer.encode(text) for text in TEXTS[:2]]
            decoded = [tokenizer.decode(each, skip_special_tokens=True) for each in ids]
            whole = [tokenizer.decode(each) for each in ids]
        except Exception:
            return None
    named = {key: getattr(tokenizer, f"{key}_id") for key in ("bos_token", "eos_token", "pad_token")}
    return {"ids": ids, "special": special, "decoded": decoded, "whole": whole, **named}


def changes(base, key):
    """Values of a key with their results, those left out that change nothing."""
    files, usual = base
    cases = []
    for value in values_of(key):
        config = {**files["tokenizer_config.json"], key: value}
        result = opened({**files, "tokenizer_config.json": config})
        cases.append({"value": value} if result == usual else {"value": value, "result": differing(result, usual)})
    return cases


def differing(result, usual):
    return result and {key: value for key, value in result.items() if value != usual[key]}


def walk(kind, name, config):
    files = {"tokenizer.json": KINDS[kind], "tokenizer_config.json": {"tokenizer_class": name, **config}}
    usual = opened(files)
    return {
        "kind": kind, "config": files["tokenizer_config.json"], "result": usual,
        "keys": {key: changes((files, usual), key) for key in keys_of(name)},
    }


# further files; each is opened with a tokenizer_config.json of the class and without any key of tokens
NEW = {"<new>": 400, "mug": 401, "<q>": 402}
BESIDE = {
    "the class by model_type": {"config.json": {"model_type": "MODEL"}, "tokenizer_config.json": {}},
    "the class by model_type, without tokenizer_config.json": {"config.json": {"model_type": "MODEL"}},
    "the class by tokenizer_class of config.json": {"config.json": {"model_type": "llama", "tokenizer_class": "NAME"}},
    "added_tokens.json": {"added_tokens.json": NEW},
    "added_tokens.json beside added_tokens_decoder": {
        "added_tokens.json": NEW, "tokenizer_config.json": {"tokenizer_class": "NAME", "added_tokens_decoder": {"9": added("<q>")}},
    },
    "added_tokens.json with a special token": {
        "added_tokens.json": NEW, "tokenizer_config.json": {"tokenizer_class": "NAME", "eos_token": "<new>"},
    },
    "special_tokens_map.json": {
        "special_tokens_map.json": {
            "bos_token": added("<new>", lstrip=True), "eos_token": "<mark>", "pad_token": "<q>",
            "additional_special_tokens": ["mug", added("<thought>", rstrip=True)],
        },
    },
    "special_tokens_map.json over tokenizer_config.json": {
        "special_tokens_map.json": {"eos_token": "<mark>", "additional_special_tokens": ["<new>"]},
        "tokenizer_config.json": {"tokenizer_class": "NAME", "eos_token": "<q>", "additional_special_tokens": ["<thought>", "<new>"]},
    },
    "special_tokens_map.json beside added_tokens_decoder": {
        "special_tokens_map.json": {"eos_token": "<new>", "additional_special_tokens": ["<q>"]},
        "tokenizer_config.json": {"tokenizer_class": "NAME", "eos_token": "<mark>", "added_tokens_decoder": {"9": added("mug")}},
    },
}
MODEL_TYPES = {"bytes": "qwen2", "pieces": "llama", "words": "bert"}


def beside(kind, name):
    def put(value):
        text = json.dumps(value).replace("NAME", name).replace("MODEL", MODEL_TYPES[kind])
        return json.loads(text)

    return {
        title: {"files": put({"tokenizer_config.json": {"tokenizer_class": name}, **files} if "model_type" not in title else files)}
        for title, files in BESIDE.items()
    }


def all_beside(kind, name):
    cases = beside(kind, name)
    for case in cases.values():
        case["result"] = opened({"tokenizer.json": KINDS[kind], **case["files"]})
    return cases


def fast_classes():
    names = {fast for _, fast in TOKENIZER_MAPPING_NAMES.values() if fast}
    return sorted(names | {"PreTrainedTokenizerFast"})


def by_class(kind):
    """Results of every fast class that opens the kind, those together that are equal."""
    results = {}
    for name in fast_classes():
        result = opened({"tokenizer.json": KINDS[kind], "tokenizer_config.json": {"tokenizer_class": name}})
        results.setdefault(json.dumps(result), []).append(name)
    return [{"classes": names, "result": json.loads(result)} for result, names in results.items()]


def main():
    written = {
        "transformers": transformers.__version__,
        "texts": TEXTS,
        "tokenizers": KINDS,
        "classes": {kind: by_class(kind) for kind in KINDS},
        "walks": [walk(kind, name, config) for kind, names in CLASSES.items() for name, config in names.items()],
        "beside": {
            f"{kind} {name}": {"kind": kind, "cases": all_beside(kind, name)} for kind, names in CLASSES.items() for name in names
        },
    }
    Path(sys.argv[1]).write_text(json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n")
    for each in written["walks"]:
        differ = {key: [case["value"] for case in cases if "result" in case] for key, cases in each["keys"].items()}
        print(each["kind"], each["config"], len(each["keys"]), {key: value for key, value in differ.items() if value})


main()
