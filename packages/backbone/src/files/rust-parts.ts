/**
 * Parts of a `tokenizer.json` that `@huggingface/tokenizers` computes otherwise than Hugging Face's Rust tokenizers, as parts that both
 * compute alike. Rust's `\s` is White_Space, with U+0085 and without U+FEFF; its `\w` is every script's; its lower case looks at one character.
 */
import type { JsonObject } from './json-object.ts';

const word = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

/** A pre-tokenizer; a sequence's parts too. */
export function rustSplit(part: unknown): unknown {
  if (!isPart(part)) return part;
  const { type, pretokenizers, individual_digits: single } = part;
  if (Array.isArray(pretokenizers)) return { ...part, pretokenizers: pretokenizers.map(rustSplit) };
  const found = (Regex: string) => ({
    type: 'Split',
    pattern: { Regex },
    behavior: 'Removed',
    invert: true,
  });
  if (type === 'Whitespace') return found(`[${word}]+|[^${word}\\s]+`);
  if (type === 'WhitespaceSplit') return found('\\S+');
  // the library's knows 0 to 9 alone; Rust's splits every numeric character, such as ² and ½
  if (type === 'Digits')
    return {
      type: 'Split',
      pattern: { Regex: single === true ? '\\p{N}' : '\\p{N}+' },
      behavior: 'Isolated',
      invert: false,
    };
  return part;
}

/** A normalizer; a sequence's parts too. */
export function rustNormalizer(part: unknown): unknown {
  if (!isPart(part)) return part;
  const { type, normalizers, strip_left: left, strip_right: right } = part;
  if (Array.isArray(normalizers)) return { ...part, normalizers: normalizers.map(rustNormalizer) };
  const sequence = (parts: readonly unknown[]) => ({ type: 'Sequence', normalizers: parts });
  const removed = (Regex: string) => ({ type: 'Replace', pattern: { Regex }, content: '' });
  if (type === 'Strip')
    return sequence([
      ...(left === true ? [removed('\\A\\s+')] : []),
      ...(right === true ? [removed('\\s+\\z')] : []),
    ]);
  // JavaScript writes a Σ at a word's end as ς
  const isLower = type === 'Lowercase' || (type === 'BertNormalizer' && part['lowercase'] !== false);
  return isLower ? sequence([{ type: 'Replace', pattern: { String: 'Σ' }, content: 'σ' }, part]) : part;
}

function isPart(part: unknown): part is JsonObject {
  return typeof part === 'object' && part !== null;
}

/** The library's pre-tokenizer, whose package has no types for it. */
interface Splitter {
  pattern?: unknown;
  /** of a sequence */
  readonly tokenizers?: readonly Splitter[];
}

/** Changes the expressions that the library has built in, such as `ByteLevel`'s. */
export function splitAtRustSpaces(splitter: Splitter | null): void {
  if (splitter?.pattern instanceof RegExp) {
    const { source, flags } = splitter.pattern;
    const ofRust = source.replace(/\\([^])/g, (escape, letter: string) =>
      letter === 's' ? '\\p{White_Space}' : letter === 'S' ? '\\P{White_Space}' : escape,
    );
    splitter.pattern = new RegExp(ofRust, flags);
  }
  for (const each of splitter?.tokenizers ?? []) splitAtRustSpaces(each);
}
