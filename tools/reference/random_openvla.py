"""Random small OpenVLA checkpoints in its published classes: eyes that timm is told of here, LLaMA, tokenizer and processor.

The published code is imported from a folder given by the caller; `timm_model_args` in `config.json` says what sizes an eye has,
which the published code leaves to timm's names.
"""

import importlib
import json
import sys
from pathlib import Path

import timm
import torch
from timm.models import register_model
from timm.models.vision_transformer import VisionTransformer
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from torch import nn
from transformers import PreTrainedTokenizerFast

INSTRUCTIONS = [
    "Pick up the black bowl between the plate and the ramekin and place it on the plate",
    "open the middle drawer of the cabinet",
    "turn on the stove and put the moka pot on it",
]
HALVES = [0.5, 0.5, 0.5]
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
CLIP = ([0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711])

# arguments of timm's VisionTransformer, mean and deviation of the pictures, activation
KINDS = {
    "dinov2": (
        {"embed_dim": 24, "depth": 3, "num_heads": 3, "init_values": 0.1, "reg_tokens": 4, "no_embed_class": True},
        IMAGENET, None,
    ),
    "siglip": (
        {"embed_dim": 20, "depth": 4, "num_heads": 2, "mlp_ratio": 2.71, "class_token": False},
        (HALVES, HALVES), None,
    ),
    "clip": ({"embed_dim": 28, "depth": 3, "num_heads": 2, "pre_norm": True}, CLIP, "quick_gelu"),
    "in1k": ({"embed_dim": 16, "depth": 2, "num_heads": 4}, (HALVES, HALVES), None),
}
TEXT = {
    "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
}


def published(folder):
    """The published modules, imported as the package that their folder is."""
    path = Path(folder).resolve()
    sys.path.insert(0, str(path.parent))
    modules = [importlib.import_module(f"{path.name}.{name}_prismatic") for name in ("configuration", "modeling", "processing")]
    return modules[0].OpenVLAConfig, modules[1].OpenVLAForActionPrediction, modules[2].PrismaticImageProcessor


def register_eye(name, arguments):
    """Makes timm know an eye of these sizes by a name."""

    def entry(pretrained=False, pretrained_cfg=None, pretrained_cfg_overlay=None, **kwargs):
        more = {"norm_layer": nn.LayerNorm} if arguments.get("pre_norm") else {}
        pool = {} if arguments.get("class_token", True) else {"global_pool": "map"}
        return VisionTransformer(**{**arguments, **more, **pool, **kwargs})

    entry.__name__ = name
    register_model(entry)


def tokenizer_of(actions, whole):
    """BPE with byte fallback, as LLaMA's; the last ids are actions. `whole` gives the ids that LLaMA's has, with gaps."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", behavior="merged_with_next")
    words = [f"▁In:▁What▁action▁should▁the▁robot▁take▁to▁{text.lower().replace(' ', '▁')}?Out:" for text in INSTRUCTIONS]
    tokenizer.train_from_iterator(words, trainers.BpeTrainer(vocab_size=340, special_tokens=special, show_progress=False))
    plain = json.loads(tokenizer.to_str())
    plain["pre_tokenizer"] = None
    plain["added_tokens"] = plain["added_tokens"][:3]
    vocabulary = plain["model"]["vocab"]
    if whole:
        vocabulary["▁"] = 29871
    size = 32000 if whole else len(vocabulary) + actions
    vocabulary.update({chr(0x4E00 + index): size - actions + index for index in range(actions)})
    tokenizer = Tokenizer.from_str(json.dumps(plain))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0),
    ])
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    if not whole:
        tokenizer.add_special_tokens([AddedToken("<PAD>", special=True, normalized=False)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        pad_token=None if whole else "<PAD>", clean_up_tokenization_spaces=False,
    )
    return fast, size


def processor_of(processor, kinds, side, strategy):
    statistics = [KINDS[kind][1] for kind in kinds]
    return processor(
        use_fused_vision_backbone=len(kinds) == 2, image_resize_strategy=strategy,
        input_sizes=[[3, side, side]] * len(kinds), interpolations=["bicubic"] * len(kinds),
        means=[mean for mean, _ in statistics], stds=[deviation for _, deviation in statistics],
    )


def random_openvla(classes, sizes, seed):
    """Model, tokenizer, processor and V of drawn parameters."""
    torch.manual_seed(seed)
    config_class, model_class, processor_class = classes
    kinds, side, patch = sizes["kinds"], sizes.get("side", 28), sizes.get("patch", 7)
    tokenizer, vocabulary = tokenizer_of(sizes.get("actions", 64), sizes.get("whole", False))
    changes = sizes.get("eyes", [{}] * len(kinds))
    arguments = [{**KINDS[kind][0], "patch_size": patch, **change} for kind, change in zip(kinds, changes)]
    names = [f"random_{kind}_{seed}_{number}" for number, kind in enumerate(kinds)]
    for name, given in zip(names, arguments):
        register_eye(name, given)
    limits = {"q01": [-0.5] * 7, "q99": [0.5, 0.4, 0.3, 0.2, 0.1, 0.6, 1.0], "mask": [True] * 6 + [False]}
    config = config_class(
        vision_backbone_id="dinosiglip-vit-so-224px" if len(kinds) == 2 else "siglip-vit-so400m",
        llm_backbone_id="llama2-7b-pure",
        image_resize_strategy=sizes.get("strategy", "resize-naive"),
        text_config={**TEXT, **sizes.get("text", {}), "vocab_size": vocabulary + 64},
        pad_token_id=tokenizer.pad_token_id or vocabulary,
        n_action_bins=sizes.get("actions", 64),
        norm_stats={"drawn": {"action": limits}},
        timm_model_ids=names,
        timm_model_args=arguments,
        timm_override_act_layers=[KINDS[kind][2] for kind in kinds],
        image_sizes=[side] * len(kinds),
    )
    model = model_class._from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            parameter.copy_(random_values(name, parameter.shape))
        model.get_output_embeddings().weight[tokenizer.eos_token_id] *= 1.8
        # what fills the table up is never said: the head's rows are as strong as the others in a random model
        model.get_output_embeddings().weight[vocabulary:] *= 0.01
    return model.eval(), tokenizer, processor_of(processor_class, kinds, side, sizes.get("strategy", "resize-naive")), vocabulary


def random_values(name, shape):
    values = torch.randn(shape)
    if "norm" in name:
        return 0.2 * values + (1 if name.endswith("weight") else 0)
    if name.endswith("scale_factor"):
        return 0.6 + 0.3 * values
    if name.endswith("bias"):
        return 0.2 * values
    if "lm_head" in name:
        return 2.5 * values / shape[1] ** 0.5
    if "embed_tokens" in name:
        return values
    if name.endswith(("cls_token", "reg_token", "pos_embed")):
        return 0.5 * values
    return 1.2 * values / values[0].numel() ** 0.5


def named_eyes():
    """What timm's own models that Prismatic names are: shapes of their tensors up to the first layer, and what shapes do not show."""
    names = {
        "vit_large_patch14_reg4_dinov2.lvd142m": 224, "vit_so400m_patch14_siglip_224": 224, "vit_so400m_patch14_siglip_384": 384,
        "vit_large_patch14_clip_224.openai": 224, "vit_large_patch14_clip_336.openai": 336,
        "vit_large_patch16_224.augreg_in21k_ft_in1k": 224,
    }
    found = {}
    for name, side in names.items():
        eye = timm.create_model(name, pretrained=False, num_classes=0, img_size=side)
        block = eye.blocks[0]
        shapes = {key: list(value.shape) for key, value in eye.state_dict().items()}
        first = {key: shape for key, shape in shapes.items() if "blocks." not in key or key.startswith("blocks.0.")}
        found[name] = {
            "imageSize": side, "depth": len(eye.blocks), "heads": block.attn.num_heads, "normEpsilon": block.norm1.eps,
            "activation": type(block.mlp.act).__name__, "positionsOfPatchesAlone": eye.no_embed_class, "shapes": first,
        }
    return found
