"""Small tokenizers of the families' kinds, trained on a few sentences of play."""
import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

TEXTS = [
    "You are in the middle of a room. Looking quickly around you, you see a fridge 1, a drawer 2, and a shelf 3.",
    "Your task is to: put a clean mug in coffeemachine.",
    "> go to cabinet 1\nOn the cabinet 1, you see a mug 1.\n> take mug 1 from cabinet 1",
    "> look\nYou are facing the cabinet 1. Next to it, you see nothing. It's été – 你好.",
]
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>",
]


def byte_level_tokenizer(template, special=QWEN_SPECIAL, end="<|im_end|>"):
    """A byte-level BPE with added tokens, as Qwen's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        TEXTS, trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, show_progress=False)
    )
    special = [*special, *(token for token in ("<|endoftext|>", "<|im_start|>") if token not in special)]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=end, pad_token="<|endoftext|>", chat_template=template,
        clean_up_tokenization_spaces=False,
    )


def sentencepiece_tokenizer(template):
    """A BPE with byte fallback, as LLaMA's and Mistral's."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0),
    ])
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    words = [text.replace(" ", "▁").replace("\n", "") for text in TEXTS[:3]]
    trainer = trainers.BpeTrainer(vocab_size=380, special_tokens=special, max_token_length=6, show_progress=False)
    # as in SentencePiece's vocabularies a blank stands at the beginning of a piece alone
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", behavior="merged_with_next")
    tokenizer.train_from_iterator(words, trainer)
    plain = json_of(tokenizer)
    plain["pre_tokenizer"] = None
    plain["added_tokens"] = plain["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(text_of(plain))
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in ("<image>", "<pad>")])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>",
        chat_template=template, clean_up_tokenization_spaces=False,
    )


GEMMA_SPECIAL = ["<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", "<image_soft_token>"]


def gemma_tokenizer(template):
    """A BPE with byte fallback whose blanks are replaced before a split at blanks, as Gemma's; runs of line ends are added tokens."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    special = ["<pad>", "<eos>", "<bos>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    words = [text.replace(" ", "▁") for text in TEXTS[:3]]
    trainer = trainers.BpeTrainer(vocab_size=380, special_tokens=special, max_token_length=6, show_progress=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", behavior="merged_with_next")
    tokenizer.train_from_iterator(words, trainer)
    plain = json_of(tokenizer)
    plain["added_tokens"] = plain["added_tokens"][:4]
    tokenizer = Tokenizer.from_str(text_of(plain))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", behavior="merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = TemplateProcessing(
        single="<bos> $A", pair="<bos> $A <bos> $B", special_tokens=[("<bos>", 2)]
    )
    tokenizer.add_tokens([AddedToken("\n" * count, special=False, normalized=False) for count in (1, 2, 3)])
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in GEMMA_SPECIAL])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<bos>", eos_token="<eos>", unk_token="<unk>", pad_token="<pad>",
        chat_template=template, clean_up_tokenization_spaces=False,
    )


def json_of(tokenizer):
    return json.loads(tokenizer.to_str())


def text_of(value):
    return json.dumps(value)
