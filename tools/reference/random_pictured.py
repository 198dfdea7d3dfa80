"""Random models that see, of families whose image processor and prompt are their own: Idefics3, SmolVLM, LLaVA and Qwen3-VL.

Each family is a class here with what `write_family_fixtures.py` asks: a random model, and how its prompts and pictures are read.
"""

import torch
from transformers import (
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3ImageProcessor,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaImageProcessor,
    CLIPImageProcessor,
    Qwen2VLImageProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    SiglipImageProcessor,
    SmolVLMConfig,
    SmolVLMForConditionalGeneration,
    SmolVLMImageProcessor,
)
# SmolVLM's is the same text; its module needs torchvision
from transformers.models.idefics3.processing_idefics3 import get_image_prompt_string

from random_tokenizers import byte_level_tokenizer

# as SmolVLM's
TILED_TEMPLATE = (
    "<|im_start|>{% for message in messages %}{{message['role'] | capitalize}}"
    "{% if message['content'][0]['type'] == 'image' %}{{':'}}{% else %}{{': '}}{% endif %}"
    "{% for line in message['content'] %}{% if line['type'] == 'text' %}{{line['text']}}"
    "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)
TILED_SPECIAL = [
    "<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>",
    *(f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)),
]


class Tiled:
    """Idefics3 and SmolVLM: tiles with marks."""

    classes = {
        "idefics3": (Idefics3Config, Idefics3ForConditionalGeneration, Idefics3ImageProcessor),
        "smolvlm": (SmolVLMConfig, SmolVLMForConditionalGeneration, SmolVLMImageProcessor),
    }

    @staticmethod
    def model(family, sizes):
        config, model, processor = Tiled.classes[family]
        tokenizer = byte_level_tokenizer(TILED_TEMPLATE, TILED_SPECIAL, "<end_of_utterance>")
        text = {
            "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "max_position_embeddings": 1024, "rms_norm_eps": 1e-5, "tie_word_embeddings": True,
            **sizes.get("text", {}), "vocab_size": len(tokenizer) + 3, "model_type": "llama",
        }
        vision = {
            "hidden_size": 16, "intermediate_size": 28, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 28,
            "patch_size": 7, **sizes.get("vision", {}),
        }
        config = config(
            text_config=text, vision_config=vision, scale_factor=sizes.get("scale_factor", 2),
            image_token_id=tokenizer.convert_tokens_to_ids("<image>"), pad_token_id=tokenizer.pad_token_id,
            tie_word_embeddings=text["tie_word_embeddings"],
        )
        settings = {"size": {"longest_edge": 56}, "max_image_size": {"longest_edge": 28}, **sizes.get("processor", {})}
        return model._from_config(config, attn_implementation="eager"), tokenizer, processor(**settings)

    @staticmethod
    def inputs(processor, images):
        found = processor(images=[images], return_tensors="pt", return_row_col_info=True)
        grids = list(zip(found.pop("rows")[0], found.pop("cols")[0]))
        return {name: torch.as_tensor(value) for name, value in found.items()}, grids

    @staticmethod
    def span(model, grid, _rows):
        """What stands for a picture in a prompt, as text."""
        vision, factor = model.config.vision_config, model.config.scale_factor
        count = (model.tile_side // vision.patch_size // factor) ** 2
        return get_image_prompt_string(*grid, count, "<fake_token_around_image>", "<image>", "<global-img>")

    @staticmethod
    def features(model, feeds):
        rows = model.model.get_image_features(feeds["pixel_values"], feeds["pixel_attention_mask"])
        return rows.reshape(-1, rows.shape[-1])

    @staticmethod
    def connector(model):
        """The connector's layers by the suffix of their names here."""
        return {"": model.model.connector.modality_projection.proj}

    @staticmethod
    def pixels(feeds):
        return feeds["pixel_values"][0]


# as llava-interleave-qwen's
LLAVA_TEMPLATE = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + ' '}}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>' }}{% endfor %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ '\n' + content['text'] }}{% endfor %}"
    "{{'<|im_end|>'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


class Plain:
    """LLaVA: one picture, one span of image tokens."""

    @staticmethod
    def model(family, sizes):
        tokenizer = byte_level_tokenizer(LLAVA_TEMPLATE, ["<image>", "<|im_start|>", "<|im_end|>"], "<|im_end|>")
        text = {
            "model_type": "qwen2", "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "max_position_embeddings": 1024, "tie_word_embeddings": True,
            **sizes.get("text", {}), "vocab_size": len(tokenizer) + 3,
        }
        vision = {
            "model_type": "siglip_vision_model", "hidden_size": 16, "intermediate_size": 28, "num_hidden_layers": 2,
            "num_attention_heads": 2, "image_size": 28, "patch_size": 7, **sizes.get("vision", {}),
        }
        config = LlavaConfig(
            text_config=text, vision_config=vision, image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
            tie_word_embeddings=text["tie_word_embeddings"], **{"vision_feature_layer": -1, "vision_feature_select_strategy": "full", **sizes.get("config", {})},
        )
        side = vision["image_size"]
        square = {"height": side, "width": side}
        if vision["model_type"] == "siglip_vision_model":
            processor = SiglipImageProcessor(size=square, **sizes.get("processor", {}))
        else:
            kind = {"clip": CLIPImageProcessor, "llava": LlavaImageProcessor}[sizes.get("kind", "clip")]
            processor = kind(crop_size=square, **{"size": {"shortest_edge": side}, **sizes.get("processor", {})})
        return LlavaForConditionalGeneration._from_config(config, attn_implementation="eager"), tokenizer, processor

    @staticmethod
    def inputs(processor, images):
        found = processor(images=images, return_tensors="pt")
        return {name: torch.as_tensor(value) for name, value in found.items()}, [None] * len(images)

    @staticmethod
    def span(_model, _grid, rows):
        return "<image>" * len(rows)

    @staticmethod
    def features(model, feeds):
        return model.model.get_image_features(feeds["pixel_values"])[0]

    @staticmethod
    def connector(model):
        projector = model.model.multi_modal_projector
        return {"0.": projector.linear_1, "2.": projector.linear_2}

    @staticmethod
    def pixels(feeds):
        return feeds["pixel_values"]


# as Qwen3-VL's, without tools and videos
QWEN3_TEMPLATE = (
    "{%- set image_count = namespace(value=0) %}\n{%- for message in messages %}\n"
    "    {%- if message.role == \"user\" %}\n        {{- '<|im_start|>' + message.role + '\\n' }}\n"
    "        {%- if message.content is string %}\n            {{- message.content }}\n        {%- else %}\n"
    "            {%- for content in message.content %}\n"
    "                {%- if content.type == 'image' or 'image' in content or 'image_url' in content %}\n"
    "                    {%- set image_count.value = image_count.value + 1 %}\n"
    "                    {%- if add_vision_id %}Picture {{ image_count.value }}: {% endif -%}\n"
    "                    <|vision_start|><|image_pad|><|vision_end|>\n"
    "                {%- elif 'text' in content %}\n                    {{- content.text }}\n                {%- endif %}\n"
    "            {%- endfor %}\n        {%- endif %}\n        {{- '<|im_end|>\\n' }}\n"
    "    {%- elif message.role == \"assistant\" %}\n        {{- '<|im_start|>' + message.role + '\\n' }}\n"
    "        {%- if message.content is string %}\n            {{- message.content }}\n        {%- else %}\n"
    "            {%- for content_item in message.content %}\n                {%- if 'text' in content_item %}\n"
    "                    {{- content_item.text }}\n                {%- endif %}\n            {%- endfor %}\n        {%- endif %}\n"
    "        {{- '<|im_end|>\\n' }}\n    {%- endif %}\n{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n"
)


class Deep:
    """Qwen3-VL: pictures of any size, and features for the language model's first layers."""

    @staticmethod
    def model(family, sizes):
        tokenizer = byte_level_tokenizer(QWEN3_TEMPLATE)
        text = {
            "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 3, "num_attention_heads": 4, "head_dim": 8,
            "num_key_value_heads": 2, "max_position_embeddings": 1024, "rope_theta": 10000.0, "tie_word_embeddings": True,
            "rope_scaling": {"rope_type": "default", "mrope_interleaved": True, "mrope_section": [2, 1, 1]},
            **sizes.get("text", {}), "vocab_size": len(tokenizer) + 5, "eos_token_id": tokenizer.eos_token_id,
        }
        vision = {
            "depth": 3, "hidden_size": 16, "intermediate_size": 28, "num_heads": 2, "patch_size": 16, "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0, 1], **sizes.get("vision", {}), "out_hidden_size": text["hidden_size"],
        }
        names = {"image_token_id": "image_pad", "video_token_id": "video_pad", "vision_start_token_id": "vision_start", "vision_end_token_id": "vision_end"}
        ids = {key: tokenizer.convert_tokens_to_ids(f"<|{token}|>") for key, token in names.items()}
        config = Qwen3VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=text["tie_word_embeddings"], **ids)
        half = [0.5, 0.5, 0.5]
        patch = vision["patch_size"]
        processor = Qwen2VLImageProcessor(**{
            "patch_size": patch, "image_mean": half, "image_std": half,
            # transformers 4.57 ignores `size` here
            "min_pixels": 4 * patch**2 * 4, "max_pixels": 4 * patch**2 * 20, **sizes.get("processor", {}),
        })
        return Qwen3VLForConditionalGeneration._from_config(config, attn_implementation="eager"), tokenizer, processor

    @staticmethod
    def inputs(processor, images):
        found = processor(images=images, return_tensors="pt")
        return {name: torch.as_tensor(value) for name, value in found.items()}, [None] * len(images)

    @staticmethod
    def span(_model, _grid, rows):
        return "<|image_pad|>" * len(rows)

    @staticmethod
    def features(model, feeds):
        return model.model.get_image_features(feeds["pixel_values"], feeds["image_grid_thw"])[0][0]

    @staticmethod
    def deep(model, feeds):
        """What is added to the first layers' outputs, [N, layers * D]; nothing if no layer is named."""
        found = model.model.get_image_features(feeds["pixel_values"], feeds["image_grid_thw"])[1]
        return {"deep": torch.cat(found, -1).detach()} if found else {}

    @staticmethod
    def connector(model):
        return {"0.": model.model.visual.merger.linear_fc1, "2.": model.model.visual.merger.linear_fc2}

    @staticmethod
    def pixels(feeds):
        return feeds["pixel_values"]


PICTURED = {"idefics3": Tiled, "smolvlm": Tiled, "llava": Plain, "qwen3_vl": Deep}


def drawn_deep(draw):
    heads = draw.choice([2, 4])
    half = draw.choice([4, 6, 8])
    height, width = draw.choice([(1, 1), (half // 3, half // 3), (1, half // 3)])
    layers, depth = draw.choice([2, 3, 4]), draw.choice([2, 3, 4])
    text = {
        "num_attention_heads": heads, "hidden_size": heads * draw.choice([6, 8]), "head_dim": 2 * half,
        "num_key_value_heads": draw.choice([1, 2, heads]), "num_hidden_layers": layers, "intermediate_size": draw.choice([20, 44]),
        "tie_word_embeddings": draw.choice([True, False]), "rope_theta": draw.choice([1e4, 5e6]), "attention_bias": draw.random() < 0.2,
        "rope_scaling": {"rope_type": "default", "mrope_interleaved": True, "mrope_section": [half - height - width, height, width]},
        "max_position_embeddings": draw.choice([1024, 32768]),
    }
    vision = {
        "depth": depth, "num_heads": draw.choice([1, 2]), "hidden_size": draw.choice([16, 24]), "patch_size": draw.choice([8, 14, 16]),
        "num_position_embeddings": draw.choice([4, 16, 49]), "hidden_act": draw.choice(["gelu_pytorch_tanh", "gelu"]),
        "deepstack_visual_indexes": sorted(draw.sample(range(depth), draw.randint(0, min(depth, layers)))),
    }
    token = 4 * vision["patch_size"] ** 2
    processor = {"min_pixels": token * draw.choice([1, 4, 6]), "max_pixels": token * draw.choice([6, 20, 60])}
    return {"text": text, "vision": vision, "processor": processor}


def drawn_plain(draw):
    heads = draw.choice([2, 4])
    text = {
        "model_type": draw.choice(["qwen2", "llama", "mistral", "qwen3"]), "num_attention_heads": heads, "hidden_size": heads * draw.choice([4, 6, 8]),
        "num_key_value_heads": draw.choice([1, 2, heads]), "num_hidden_layers": draw.choice([1, 2, 3]),
        "tie_word_embeddings": draw.choice([True, False]), "rms_norm_eps": draw.choice([1e-5, 1e-6]),
    }
    text["head_dim"] = text["hidden_size"] // heads
    siglip = draw.random() < 0.5
    layers, patch = draw.choice([2, 3]), draw.choice([4, 5, 7])
    vision = {
        "model_type": "siglip_vision_model" if siglip else "clip_vision_model", "image_size": patch * draw.choice([3, 4]) + draw.choice([0, 1]),
        "patch_size": patch, "num_hidden_layers": layers, "num_attention_heads": draw.choice([1, 2, 4]),
    }
    config = {
        "vision_feature_layer": draw.choice([-1, -2, 1, layers]), "vision_feature_select_strategy": draw.choice(["full", "default"]),
        "multimodal_projector_bias": draw.random() < 0.7,
    }
    processor = {"resample": draw.choice([3, 3, 2, 1])}
    if not siglip:
        processor["size"] = {"shortest_edge": vision["image_size"] + draw.choice([0, 0, 5])}
    return {"text": text, "vision": vision, "config": config, "processor": processor, "kind": draw.choice(["clip", "llava"])}


def drawn_pictured(family, draw):
    if family == "llava":
        return drawn_plain(draw)
    if family == "qwen3_vl":
        return drawn_deep(draw)
    heads = draw.choice([2, 4])
    text = {
        "num_attention_heads": heads, "hidden_size": heads * draw.choice([4, 6, 8]), "num_key_value_heads": draw.choice([1, 2, heads]),
        "num_hidden_layers": draw.choice([1, 2, 3]), "tie_word_embeddings": draw.choice([True, False]),
        "rope_theta": draw.choice([1e4, 1e5]), "rms_norm_eps": draw.choice([1e-5, 1e-6]),
    }
    factor = draw.choice([1, 2, 3, 4])
    patch = draw.choice([4, 5, 7])
    side = factor * draw.choice([1, 2] if factor > 1 else [2, 3])
    tile = patch * side
    vision = {
        "image_size": draw.choice([tile, tile, patch * (side + 1)]), "patch_size": patch, "num_hidden_layers": draw.choice([1, 3]),
        "num_attention_heads": draw.choice([1, 2, 4]), "hidden_act": draw.choice(["gelu_pytorch_tanh", "gelu"]),
    }
    processor = {
        "size": {"longest_edge": draw.choice([tile - 1, 2 * tile, 2 * tile + 9, 3 * tile])}, "max_image_size": {"longest_edge": tile},
        "do_image_splitting": draw.random() < 0.8, "resample": draw.choice([1, 1, 2, 3]),
    }
    return {"text": text, "vision": vision, "scale_factor": factor, "processor": processor}
