/** Texts beside the ids that Hugging Face's tokenizers give them, `lines.json` of a comparison folder. */
import { join } from '@emac/platform';
import { readJsonObject } from '../files/json-object.ts';
import type { TextTokenizer } from '../files/tokenizer.ts';

/** Share of the texts that are encoded or decoded otherwise. */
export const linesStage = 'lines';

export const linesIn = (folder: string): string => join(folder, 'lines.json');

interface TokenizedLines {
  readonly texts: readonly string[];
  /** without special tokens */
  readonly ids: readonly (readonly number[])[];
  /** what the ids are decoded to */
  readonly decoded: readonly string[];
}

/** Share of the file's texts that the tokenizer encodes or decodes otherwise. */
export function differingLines(tokenizer: Pick<TextTokenizer, 'encode' | 'decode'>, file: string): number {
  const { texts, ids, decoded } = readJsonObject(file) as unknown as TokenizedLines;
  const differing = texts.filter((text, line) => {
    const ours = tokenizer.encode(text);
    return String(ours) !== String(ids[line]) || tokenizer.decode(ours) !== decoded[line];
  });
  return differing.length / texts.length;
}
