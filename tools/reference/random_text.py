"""Random language models that read text alone: small, with every parameter drawn, and their own tokenizer and template."""

import random

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from random_families import random_values
from random_tokenizers import TEXTS, byte_level_tokenizer, gemma_tokenizer, sentencepiece_tokenizer

CLASSES = {
    "llama": (LlamaConfig, LlamaForCausalLM),
    "mistral": (MistralConfig, MistralForCausalLM),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM),
    "gemma3_text": (Gemma3TextConfig, Gemma3ForCausalLM),
}
LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# strings alone, as SmolLM2's
CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant.<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
# thinks unless told not to, as Qwen3's
THINKING = (
    "{%- for message in messages %}"
    "{%- if message.role == 'user' %}{{- '<|im_start|>user\n' + message.content + '<|im_end|>\n' }}"
    "{%- else %}{%- set content = message.content %}{%- if loop.last %}"
    "{{- '<|im_start|>assistant\n<think>\n\n</think>\n\n' + content.lstrip('\n') }}"
    "{%- else %}{{- '<|im_start|>assistant\n' + content }}{%- endif %}{{- '<|im_end|>\n' }}{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}{%- endif %}"
)
# prints a date, and writes the begin token itself, as LLaMA 3's
LLAMA3 = (
    "{{- bos_token }}{%- if not date_string is defined %}{%- if strftime_now is defined %}"
    "{%- set date_string = strftime_now('%d %b %Y') %}{%- else %}{%- set date_string = '26 Jul 2024' %}{%- endif %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\n\nToday Date: ' + date_string + '\n\n<|eot_id|>' }}"
    "{%- for message in messages %}"
    "{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}"
)
# lists of parts alone
PARTS = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ content['text'] }}{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# without a system role, roles in turn, as Gemma 3's
GEMMA = (
    "{{ bos_token }}\n{%- if messages[0]['role'] == 'system' -%}\n    {%- if messages[0]['content'] is string -%}\n"
    "        {%- set first_user_prefix = messages[0]['content'] + '\n\n' -%}\n    {%- else -%}\n"
    "        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '\n\n' -%}\n    {%- endif -%}\n"
    "    {%- set loop_messages = messages[1:] -%}\n{%- else -%}\n    {%- set first_user_prefix = \"\" -%}\n"
    "    {%- set loop_messages = messages -%}\n{%- endif -%}\n{%- for message in loop_messages -%}\n"
    "    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}\n"
    "        {{ raise_exception(\"Conversation roles must alternate user/assistant/user/assistant/...\") }}\n    {%- endif -%}\n"
    "    {%- if (message['role'] == 'assistant') -%}\n        {%- set role = \"model\" -%}\n    {%- else -%}\n"
    "        {%- set role = message['role'] -%}\n    {%- endif -%}\n"
    "    {{ '<start_of_turn>' + role + '\n' + (first_user_prefix if loop.first else \"\") }}\n"
    "    {%- if message['content'] is string -%}\n        {{ message['content'] | trim }}\n"
    "    {%- elif message['content'] is iterable -%}\n        {%- for item in message['content'] -%}\n"
    "            {%- if item['type'] == 'image' -%}\n                {{ '<start_of_image>' }}\n"
    "            {%- elif item['type'] == 'text' -%}\n                {{ item['text'] | trim }}\n            {%- endif -%}\n"
    "        {%- endfor -%}\n    {%- else -%}\n        {{ raise_exception(\"Invalid content type\") }}\n    {%- endif -%}\n"
    "    {{ '<end_of_turn>\n' }}\n{%- endfor -%}\n"
    "{%- if add_generation_prompt -%}\n    {{'<start_of_turn>model\n'}}\n{%- endif -%}\n"
)
TEMPLATES = {"chatml": CHATML, "thinking": THINKING, "llama3": LLAMA3, "parts": PARTS, "gemma": GEMMA, "none": None}


def llama3_tokenizer(template):
    """A byte-level BPE that takes whole words from its vocabulary first, as LLaMA 3's."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3_SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    begin = tokenizer.token_to_id(special[0])
    tokenizer.post_processor = TemplateProcessing(
        single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A $B", special_tokens=[(special[0], begin)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=special[0], eos_token="<|eot_id|>", pad_token="<|end_of_text|>",
        chat_template=template, clean_up_tokenization_spaces=False,
    )


TOKENIZERS = {"bytes": byte_level_tokenizer, "llama3": llama3_tokenizer, "sentencepiece": sentencepiece_tokenizer, "gemma": gemma_tokenizer}
SIZES = {
    "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "rope_theta": 10000.0, "tie_word_embeddings": True,
}


def random_text_model(family, sizes, seed):
    """Model and tokenizer."""
    torch.manual_seed(seed)
    tokenizer = TOKENIZERS[sizes["tokenizer"]](TEMPLATES[sizes["template"]])
    config, model = CLASSES[family]
    text = {**SIZES, **sizes.get("text", {}), "vocab_size": len(tokenizer) + 3}
    model = model._from_config(config(**text, bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id))
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            parameter.copy_(random_values(name, parameter.shape))
            # Gemma's norms add one
            if family == "gemma3_text" and "norm" in name:
                parameter -= 1
        head = model.get_output_embeddings().weight
        if head is model.get_input_embeddings().weight:
            head *= 0.45
        head[tokenizer.eos_token_id] *= 2.2
        if family == "gemma3_text":
            head[tokenizer.convert_tokens_to_ids("<end_of_turn>")] *= 2.2
    model.generation_config.update(pad_token_id=tokenizer.pad_token_id)
    return model.eval(), tokenizer


def drawn_text(family, seed):
    """Sizes, tokenizer, template and stored type of a folder, by its seed."""
    draw = random.Random(f"{family} {seed}")
    heads = draw.choice([2, 4, 6])
    text = {
        "hidden_size": heads * draw.choice([4, 8, 12]), "intermediate_size": draw.choice([20, 44, 60]),
        "num_hidden_layers": draw.choice([1, 2, 3]), "num_attention_heads": heads,
        "num_key_value_heads": draw.choice([each for each in (1, 2, 3, 6, 4) if heads % each == 0]),
        "rope_theta": draw.choice([1e4, 1e5, 1e6]), "rms_norm_eps": draw.choice([1e-5, 1e-6]),
        "tie_word_embeddings": draw.choice([True, False]), "max_position_embeddings": draw.choice([512, 1024, 32768]),
    }
    if family == "qwen3" or draw.random() < 0.3:
        text["head_dim"] = draw.choice([4, 6, 10]) if family != "qwen2" else text["hidden_size"] // heads
    if family == "llama":
        text["rope_scaling"] = draw.choice([None, LLAMA3_ROPE, {**LLAMA3_ROPE, "factor": 32.0}, {"rope_type": "linear", "factor": 4.0}])
        text["attention_bias"], text["mlp_bias"] = draw.choice([(False, False), (True, False), (True, True)])
    if family == "mistral":
        text["sliding_window"] = draw.choice([None, 7, 40])
    if family == "qwen3":
        text["attention_bias"] = draw.choice([True, False])
    if family.startswith("qwen") and draw.random() < 0.4:
        text.update(use_sliding_window=True, sliding_window=draw.choice([9, 30]), max_window_layers=0)
    tokenizer = draw.choice(["bytes", "llama3", "sentencepiece"])
    if family == "gemma3_text":
        tokenizer = "gemma"
        text.update(drawn_gemma(draw, text["num_hidden_layers"]))
    template = draw.choice({
        "bytes": ["chatml", "thinking", "parts", "none"], "llama3": ["llama3", "none"], "sentencepiece": ["none"], "gemma": ["gemma", "gemma", "none"],
    }[tokenizer])
    return {
        "family": family, "seed": seed, "text": text, "tokenizer": tokenizer, "template": template,
        "dtype": draw.choice([torch.float32, torch.float16, torch.bfloat16]), "adapter": drawn_adapter(draw),
    }


def drawn_gemma(draw, layers):
    return {
        "num_hidden_layers": layers + 1, "sliding_window": draw.choice([7, 20, 40, 512]), "head_dim": draw.choice([4, 6, 10]),
        "layer_types": [draw.choice(["sliding_attention", "full_attention"]) for _ in range(layers + 1)],
        "rope_theta": draw.choice([1e4, 1e6]), "rope_local_base_freq": draw.choice([1e2, 1e4]),
        "rope_scaling": draw.choice([None, {"rope_type": "linear", "factor": 8.0}]), "query_pre_attn_scalar": draw.choice([4, 24, 256]),
        "hidden_activation": draw.choice(["gelu_pytorch_tanh", "gelu_pytorch_tanh", "gelu"]), "attention_bias": draw.random() < 0.2,
    }


# short enough that small contexts have short, middle and long wavelengths
LLAMA3_ROPE = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def drawn_adapter(draw):
    targets = draw.choice([TARGETS, ["q_proj", "v_proj"], ["k_proj", "o_proj", "down_proj"], ["gate_proj", "up_proj"]])
    return {"r": draw.choice([1, 2, 4]), "alpha": draw.choice([2, 4, 8]), "targets": targets, "use_rslora": draw.random() < 0.3}
