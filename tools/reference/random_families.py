"""Random chat models of the families besides InstructBLIP: small, with every parameter drawn, and their own files.

A family here is a configuration, an image processor, a tokenizer and a chat template as its published folders have them.
"""

import torch
from transformers import (
    LlavaNextConfig,
    LlavaNextForConditionalGeneration,
    LlavaNextImageProcessor,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessor,
)

from random_pictured import PICTURED
from random_tokenizers import byte_level_tokenizer, sentencepiece_tokenizer

QWEN_TEMPLATE = (
    "{% set image_count = namespace(value=0) %}{% for message in messages %}"
    "{% if loop.first and message['role'] != 'system' %}<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}"
    "<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}<|im_end|>\n{% else %}"
    "{% for content in message['content'] %}"
    "{% if content['type'] == 'image' or 'image' in content or 'image_url' in content %}"
    "{% set image_count.value = image_count.value + 1 %}"
    "{% if add_vision_id %}Picture {{ image_count.value }}: {% endif %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
IMAGES_THEN_TEXT = (
    "{# Render all images first #}{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}"
    "{{ '<image>\\n' }}{% endfor %}"
    "{# Render all text next #}{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}"
    "{{ content['text'] }}{% endfor %}"
)
MISTRAL_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'user' %}{{ '[INST] ' }}" + IMAGES_THEN_TEXT +
    "{{ ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' ' + message['content'][0]['text'] + '</s>' }}"
    "{% else %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% endfor %}"
)
VICUNA_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'].upper() + ': '}}{% endif %}"
    "{# Render all images first #}{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}"
    "{{ '<image>\\n' }}{% endfor %}"
    "{% if message['role'] != 'assistant' %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ content['text'] + ' '}}{% endfor %}"
    "{% else %}{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}"
    "{% generation %}{{ content['text'] + ' '}}{% endgeneration %}{% endfor %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)


QWEN_TEXT = {
    "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 1024, "rope_theta": 10000.0, "rms_norm_eps": 1e-6,
    "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}, "tie_word_embeddings": True,
}
CLIP = {
    "hidden_size": 16, "intermediate_size": 28, "num_hidden_layers": 3, "num_attention_heads": 2, "image_size": 28,
    "patch_size": 7, "projection_dim": 16, "vocab_size": 99,
}
LLAVA_TEXT = {
    "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
}


def qwen_model(family, sizes, tokenizer):
    ids = {
        "image_token_id": tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        "video_token_id": tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        "vision_start_token_id": tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        "vision_end_token_id": tokenizer.convert_tokens_to_ids("<|vision_end|>"),
    }
    text = {**QWEN_TEXT, **sizes.get("text", {})}
    text = {"vocab_size": len(tokenizer) + 5, "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, **text}
    common = {"depth": 3, "num_heads": 2, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}
    if family == "qwen2_5_vl":
        vision = {
            "hidden_size": 32, "intermediate_size": 40, "window_size": 56, "fullatt_block_indexes": [1],
            "out_hidden_size": text["hidden_size"],
        }
    else:
        vision = {"embed_dim": 32, "hidden_size": text["hidden_size"], "mlp_ratio": 2}
    vision = {**common, **vision, **sizes.get("vision", {})}
    config, model = {
        "qwen2_5_vl": (Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration),
        "qwen2_vl": (Qwen2VLConfig, Qwen2VLForConditionalGeneration),
    }[family]
    tied = text["tie_word_embeddings"]
    config = config(text_config=text, vision_config=vision, tie_word_embeddings=tied, **ids)
    return model._from_config(config, attn_implementation="eager")


def llava_model(family, sizes, tokenizer):
    text = {**LLAVA_TEXT, **sizes.get("text", {})}
    text["vocab_size"] = len(tokenizer) + 3
    text["model_type"] = "mistral" if family == "llava_next_mistral" else "llama"
    if text["model_type"] == "mistral":
        text = {"sliding_window": None, "rope_theta": 1000000.0, "head_dim": None, **text}
    config = LlavaNextConfig(
        vision_config={"model_type": "clip_vision_model", **CLIP, **sizes.get("vision", {})},
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=sizes["pinpoints"],
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
        tie_word_embeddings=False,
    )
    return LlavaNextForConditionalGeneration._from_config(config, attn_implementation="eager")


def random_family(family, sizes, seed):
    """Model, tokenizer and image processor, and how many tokens each picture of `image_inputs` takes."""
    torch.manual_seed(seed)
    if family in PICTURED:
        model, tokenizer, processor = PICTURED[family].model(family, sizes)
    elif family.startswith("qwen"):
        tokenizer = byte_level_tokenizer(QWEN_TEMPLATE)
        model = qwen_model(family, sizes, tokenizer)
        processor = Qwen2VLImageProcessor(**{"min_pixels": 28 * 28 * 4, "max_pixels": 28 * 28 * 20, **sizes.get("processor", {})})
    else:
        tokenizer = sentencepiece_tokenizer(MISTRAL_TEMPLATE if family == "llava_next_mistral" else VICUNA_TEMPLATE)
        model = llava_model(family, sizes, tokenizer)
        side = model.config.vision_config.image_size
        processor = LlavaNextImageProcessor(
            size={"shortest_edge": side}, crop_size={"height": side, "width": side}, image_grid_pinpoints=sizes["pinpoints"],
        )
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            parameter.copy_(random_values(name, parameter.shape))
        end = tokenizer.eos_token_id
        if model.get_output_embeddings().weight is model.get_input_embeddings().weight:
            model.get_output_embeddings().weight *= 0.45
        model.get_output_embeddings().weight[end] *= 2.2
    model.generation_config.update(
        bos_token_id=tokenizer.bos_token_id, eos_token_id=end, pad_token_id=tokenizer.pad_token_id
    )
    return model.eval(), tokenizer, processor


def random_values(name, shape):
    values = torch.randn(shape)
    if "norm" in name.lower() or "ln_q" in name:
        return 0.2 * values + (1 if name.endswith("weight") else 0)
    if name.endswith("bias"):
        return 0.2 * values
    if "lm_head" in name:
        return 2.5 * values / shape[1] ** 0.5
    if "embed_tokens" in name or "pos_embed" in name or "embedding" in name and "patch" not in name or name.endswith("image_newline"):
        return values
    return 1.2 * values / values[0].numel() ** 0.5
