"""Writes small files of `torch.save` with what PyTorch reads from them: formats, and one model in LAVIS's parts.

    python tools/reference/write_torch_files.py packages/backbone/fixtures/torch && npx prettier --write packages/backbone/fixtures/torch

`parts/` is a random InstructBLIP as it is published for LAVIS, beside `whole/`, the same model as a comparison folder.
LAVIS's last vision norm has ε = 1e-5; activations before it are made small, so that the reference shows that ε.
"""

import argparse
import json
import shutil
import sys
from collections import OrderedDict
from pathlib import Path

import torch
from safetensors.torch import save_file

from random_checkpoint import config_of, random_model
from reference_run import image_parts, random_inputs, run_stages

SEED = 11
LAVIS_EPSILON = 1e-5
SIZES = {
    "vision": {"hidden_size": 8, "intermediate_size": 12, "num_attention_heads": 2, "image_size": 12, "patch_size": 6},
    "qformer": {"hidden_size": 8, "intermediate_size": 12, "num_attention_heads": 2, "vocab_size": 19,
                "max_position_embeddings": 8},
    "text": {"hidden_size": 16, "intermediate_size": 20, "num_attention_heads": 2, "vocab_size": 37,
             "max_position_embeddings": 2048},
    "queries": 3,
}
CHARACTERS = ["<unk>", "<s>", "</s>", "Ġ", "Ċ", ">", ".", ",", "1", "2", *"abcdefghijklmnopqrstuvwxyz"]
VISION_LAYER = {
    "layer_norm1": "norm1", "layer_norm2": "norm2", "self_attn.projection": "attn.proj", "self_attn.qkv": "attn.qkv",
    "mlp.fc1": "mlp.fc1", "mlp.fc2": "mlp.fc2",
}
VISION_EMBEDDINGS = {
    "class_embedding": "cls_token", "position_embedding": "pos_embed", "patch_embedding.weight": "patch_embed.proj.weight",
    "patch_embedding.bias": "patch_embed.proj.bias",
}


def write_formats(folder):
    """Tensors of every kind in one file, and what they hold; files that only differ in how they are written."""
    draw = torch.Generator().manual_seed(SEED)
    matrix = torch.randn(3, 5, generator=draw)
    tied = torch.randn(4, generator=draw)
    tensors = OrderedDict(
        float32=matrix,
        parameter=torch.nn.Parameter(torch.randn(2, 3, generator=draw)),
        float16=matrix.half(),
        bfloat16=matrix.bfloat16(),
        float64=matrix.double(),
        int64=torch.tensor([-1, 2**40]),
        bool=torch.tensor([True, False]),
        scalar=torch.tensor(2.5),
        empty=torch.zeros(0, 3),
        rows=matrix.clone()[1:],
        transposed=matrix.clone().t(),
        columns=matrix.clone()[:, 1::2],
        expanded=torch.tensor([7.0]).expand(4, 1),
        permuted=torch.randn(2, 3, 4, generator=draw).permute(2, 0, 1),
        tied=tied,
        tied_too=tied,
    )
    state = {"model": tensors, "optimizer": adam_state(), "config": unknown_objects(), "scaler": scaler_state(), "epoch": 3}
    torch.save(state, folder / "tensors.pth")
    save_file({name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}, folder / "tensors.safetensors")
    small = {"float32": matrix}
    for protocol in (3, 4, 5):
        torch.save(small, folder / f"protocol-{protocol}.pth", pickle_protocol=protocol)
    torch.save(small, folder / "before-zip.pth", _use_new_zipfile_serialization=False)
    torch.save({"model": {"float32": matrix, "list": [1, 2]}}, folder / "not-a-tensor.pth")


def adam_state():
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.AdamW([parameter], lr=1e-5)
    parameter.sum().backward()
    optimizer.step()
    return optimizer.state_dict()


def scaler_state():
    return torch.amp.GradScaler("cpu").state_dict()


def unknown_objects():
    """What a reader must not need to know: a class of its own, a set, bytes, a complex number, large integers."""
    return {"arguments": argparse.Namespace(seed=1), "set": {1}, "bytes": b"x", "complex": 1j, "large": 2**80,
            "device": torch.device("cpu"), "size": torch.Size([1, 2]), "dtype": torch.float16, "none": None}


def lavis_model():
    """A random model whose last vision norm is LAVIS's; vision and language model rounded to float16."""
    model = random_model(config_of(SIZES), SEED)
    with torch.no_grad():
        for name, parameter in model.vision_model.named_parameters():
            if name.startswith("embeddings") or "projection" in name or "fc2" in name:
                parameter *= 0.01
        for part in (model.vision_model.embeddings, model.vision_model.encoder, model.language_model):
            for parameter in part.parameters():
                parameter.copy_(parameter.half().float())
        zero_key_biases(model)
    model.vision_model.post_layernorm.eps = LAVIS_EPSILON
    return model


def zero_key_biases(model):
    for layer in model.vision_model.encoder.layers:
        width = layer.self_attn.qkv.bias.shape[0] // 3
        layer.self_attn.qkv.bias[width : 2 * width] = 0


def is_half(name):
    return name.startswith("language_model.") or name.startswith("vision_model.") and "post_layernorm" not in name


def write_whole(model, folder):
    folder.mkdir()
    state = {name: tensor.half() if is_half(name) else tensor for name, tensor in named(model).items()}
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / "model.safetensors")
    config = model.config.to_diff_dict()
    config["vision_config"]["final_layer_norm_eps"] = LAVIS_EPSILON
    write_json(folder / "config.json", config)
    write_tokenizer(folder, begin="</s>")
    inputs, _ = random_inputs(model.config, SEED)
    expected = run_stages(model, inputs)
    save_file({name: tensor.contiguous() for name, tensor in inputs.items()}, folder / "inputs.safetensors")
    save_file({name: tensor.detach().contiguous() for name, tensor in expected.items()}, folder / "expected.safetensors")
    write_json(folder / "fixture.json", {"seed": SEED, "generation": []})
    return inputs, state


def named(model):
    """Tensors by their names in a file, which keeps the language model and its head apart."""
    found = {}
    for name, tensor in model.state_dict().items():
        name = name.removeprefix("model.")
        if name.startswith("language_model.") and not name.startswith(("language_model.model.", "language_model.lm_head.")):
            name = name.replace("language_model.", "language_model.model.", 1)
        found["language_model.lm_head.weight" if name == "lm_head.weight" else name] = tensor
    return found


def write_parts(state, config, folder):
    folder.mkdir()
    lavis, eva, vicuna = OrderedDict(), OrderedDict(), OrderedDict()
    for name, tensor in state.items():
        if name.startswith("language_model."):
            vicuna[name.removeprefix("language_model.")] = tensor
        elif name.startswith("vision_model.") and "post_layernorm" not in name:
            eva.update(eva_tensors(name.removeprefix("vision_model."), tensor))
        else:
            lavis[lavis_name(name)] = tensor
    lavis["Qformer.bert.embeddings.position_ids"] = torch.arange(8).expand((1, -1))
    torch.save({"model": lavis, "optimizer": adam_state(), "config": {"run": {"seed": 42}}, "scaler": scaler_state(),
                "epoch": 0}, folder / "instruct_blip_trimmed.pth")
    torch.save(with_unused_blocks(eva), folder / "eva_vit.pth")
    write_vicuna(vicuna, config.text_config, folder / "vicuna")
    sizes = {"vision_config": {"num_attention_heads": 2, "num_hidden_layers": 2}, "qformer_config": {"num_attention_heads": 2},
             "image_token_index": config.image_token_index}
    write_json(folder / "model.json", {"lavis": "instruct_blip_trimmed.pth", "vision": "eva_vit.pth",
                                       "language_model": "vicuna", "config": sizes})


def lavis_name(name):
    for ours, theirs in (("vision_model.post_layernorm", "ln_vision"), ("language_projection", "llm_proj"),
                         ("qformer.embeddings.layernorm", "Qformer.bert.embeddings.LayerNorm")):
        if name.startswith(ours):
            return theirs + name[len(ours):]
    return name.replace("qformer.", "Qformer.bert.").replace("attention.attention.", "attention.self.")


def eva_tensors(name, tensor):
    if name.startswith("embeddings."):
        return {VISION_EMBEDDINGS[name.removeprefix("embeddings.")]: tensor}
    number, rest = name.removeprefix("encoder.layers.").split(".", 1)
    if rest == "self_attn.qkv.bias":
        query, _, value = tensor.clone().chunk(3)
        return {f"blocks.{number}.attn.q_bias": query.clone(), f"blocks.{number}.attn.v_bias": value.clone()}
    part, kind = rest.rsplit(".", 1)
    return {f"blocks.{number}.{VISION_LAYER[part]}.{kind}": tensor}


def with_unused_blocks(eva):
    """The published file has a last block, norm and head that are not used."""
    block = {name.replace("blocks.1.", "blocks.2."): tensor + 1 for name, tensor in eva.items() if name.startswith("blocks.1.")}
    return OrderedDict(**eva, **block, **{"norm.weight": torch.ones(8), "head.weight": torch.ones(3, 8)})


def write_vicuna(tensors, config, folder):
    folder.mkdir()
    names = list(tensors)
    shards = {f"pytorch_model-0000{n + 1}-of-00002.bin": names[n::2] for n in range(2)}
    for layer, (shard, members) in enumerate(shards.items()):
        content = OrderedDict((name, tensors[name].clone()) for name in members)
        content[f"model.layers.{layer}.self_attn.rotary_emb.inv_freq"] = torch.ones(4)
        torch.save(content, folder / shard)
    places = {name: shard for shard, members in shards.items() for name in members}
    write_json(folder / "pytorch_model.bin.index.json", {"metadata": {}, "weight_map": places})
    write_json(folder / "config.json", config.to_diff_dict())
    write_tokenizer(folder, begin="<s>")


def write_tokenizer(folder, begin):
    """One token for each character. The begin token is what the language model itself names, or what LAVIS makes of it."""
    special = [{"id": n, "content": text, "special": True, "normalized": False, "single_word": False, "lstrip": False,
                "rstrip": False} for n, text in enumerate(CHARACTERS[:3])]
    write_json(folder / "tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
        "post_processor": None, "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "vocab": {text: n for n, text in enumerate(CHARACTERS)}, "merges": []},
    })
    write_json(folder / "tokenizer_config.json", {"bos_token": begin, "eos_token": "</s>", "unk_token": "<unk>"})


def write_emma_checkpoint(model, inputs, folder):
    """A trained projection and its norm, and what the eye then gives."""
    draw = torch.Generator().manual_seed(SEED + 1)
    trained = {name: torch.nn.Parameter(torch.randn(tensor.shape, generator=draw) * 0.3)
               for name, tensor in (("llm_proj.weight", model.language_projection.weight),
                                    ("llm_proj.bias", model.language_projection.bias),
                                    ("ln_vision.weight", model.vision_model.post_layernorm.weight),
                                    ("ln_vision.bias", model.vision_model.post_layernorm.bias))}
    state = OrderedDict((name, parameter.data) for name, parameter in trained.items())
    torch.save({"model": state, "optimizer": adam_state(), "scaler": scaler_state(), "epoch": 0},
               folder / "emma_checkpoint_0.pth")
    for part, prefix in ((model.language_projection, "llm_proj"), (model.vision_model.post_layernorm, "ln_vision")):
        part.load_state_dict({kind: trained[f"{prefix}.{kind}"].data for kind in ("weight", "bias")})
    with torch.no_grad():
        projected, vision, _ = image_parts(model, inputs)
    save_file({"vision_hidden_state": vision.contiguous(), "projected": projected.contiguous(), **dict(state)},
              folder / "emma_checkpoint_0.safetensors")


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_formats(folder)
    model = lavis_model()
    inputs, state = write_whole(model, folder / "whole")
    write_parts(state, model.config, folder / "parts")
    write_emma_checkpoint(model, inputs, folder)
    print(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()), "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
