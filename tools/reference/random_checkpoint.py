"""Random InstructBLIP checkpoints: small, with every parameter drawn, so that no term of a formula can hide."""

import torch
from transformers import (
    InstructBlipConfig,
    InstructBlipForConditionalGeneration,
    InstructBlipQFormerConfig,
    InstructBlipVisionConfig,
    LlamaConfig,
)

BEGIN = END = 2
PAD = 0
PLAIN = {
    "vision": {"hidden_size": 16, "intermediate_size": 28, "num_hidden_layers": 2, "num_attention_heads": 4,
               "image_size": 28, "patch_size": 14},
    "qformer": {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
                "vocab_size": 53, "max_position_embeddings": 16},
    "text": {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
             "vocab_size": 83, "max_position_embeddings": 128},
    "queries": 5,
}


def config_of(sizes):
    """An InstructBlipConfig from PLAIN with the given changes in each of its parts."""
    vision, qformer, text = ({**PLAIN[part], **sizes.get(part, {})} for part in ("vision", "qformer", "text"))
    qformer["encoder_hidden_size"] = vision["hidden_size"]
    return InstructBlipConfig(
        vision_config=InstructBlipVisionConfig(**vision).to_dict(),
        qformer_config=InstructBlipQFormerConfig(**qformer).to_dict(),
        text_config=LlamaConfig(bos_token_id=BEGIN, eos_token_id=END, pad_token_id=PAD, **text).to_dict(),
        num_query_tokens=sizes.get("queries", PLAIN["queries"]),
        image_token_index=text["vocab_size"] - 1,
    )


def random_model(config, seed):
    """A model with every parameter drawn: weights keep the scale of what they multiply, norms and biases too are random."""
    torch.manual_seed(seed)
    model = InstructBlipForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            parameter.copy_(random_values(name, parameter.shape))
        if config.text_config.tie_word_embeddings:
            model.language_model.lm_head.weight *= 2.5 / config.text_config.hidden_size**0.5
        # An end token of larger logits, positive and negative: texts end, at various lengths.
        model.language_model.lm_head.weight[END] *= 2.2
    return model


def random_values(name, shape):
    values = torch.randn(shape)
    if "norm" in name.lower():
        return 0.2 * values + (1 if name.endswith("weight") else 0)
    if name.endswith("bias"):
        return 0.2 * values
    if "lm_head" in name:
        return 2.5 * values / shape[1] ** 0.5
    if "embed" in name and "patch" not in name or name == "query_tokens":
        return values
    return 1.2 * values / values[0].numel() ** 0.5


def save(model, folder, dtype, shard_size):
    """Writes a checkpoint as `save_pretrained` does and returns it read back and computed in float32.

    Read back from the files: `model.to(dtype).float()` would also round what is no weight, as the rotary frequencies.
    """
    model.generation_config.update(bos_token_id=BEGIN, eos_token_id=END, pad_token_id=PAD)
    model.to(dtype)
    if dtype == torch.float16:
        # transformers keeps them in float32 beside float16 weights
        model.query_tokens.data = model.query_tokens.float()
    model.save_pretrained(folder, max_shard_size=shard_size)
    return InstructBlipForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
