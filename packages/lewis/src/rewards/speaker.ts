/**
 * What a speaker's answer is worth; GRPO adds the parts without weights. Where the published document and its newest code differ, the
 * document's form is the default and the code's an option.
 */
import { isClosed, tags, type Description } from '../description.ts';
import type { CandidateScores } from '../scores.ts';

/**
 * `binary`: 1 for the right candidate, else 0. The code's: `soft_gated`, its default, is the listener's reward score for the right one, else 0;
 * `soft_always` is that score whoever was chosen.
 */
export type AccuracyMode = 'binary' | 'soft_gated' | 'soft_always';
export const accuracyModes: readonly AccuracyMode[] = ['binary', 'soft_gated', 'soft_always'];

export function accuracyReward(
  { predicted, rewardScore }: Pick<CandidateScores, 'predicted' | 'rewardScore'>,
  label: number,
  mode: AccuracyMode = 'binary',
): number {
  const isRight = predicted === label;
  switch (mode) {
    case 'binary':
      return isRight ? 1 : 0;
    case 'soft_gated':
      return isRight ? rewardScore : 0;
    case 'soft_always':
      return rewardScore;
  }
}

/** `all`: 1 where all three parts are between their tags, else 0; `each`, the code's: 0.34 for the thoughts, 0.33 for each description. */
export type FormatMode = 'all' | 'each';

export function formatReward(written: string, mode: FormatMode = 'all'): number {
  const closed = tags.filter((tag) => isClosed(written, tag));
  if (mode === 'all') return closed.length === tags.length ? 1 : 0;
  const hundredths = closed.reduce((sum, tag) => sum + (tag === 'thinking' ? 34 : 33), 0);
  return hundredths / 100;
}

/**
 * `sentence`: 0.1 where the detailed description is one sentence, else 0. `words`, the code's: −0.2 for more than one sentence or else
 * fewer than 20 words in it, and −0.1 where the coarse one has not 6 to 8 words.
 */
export type LengthMode = 'sentence' | 'words';

export function lengthReward(
  { coarse, detailed }: Pick<Description, 'coarse' | 'detailed'>,
  mode: LengthMode = 'sentence',
): number {
  const sentences = sentencesOf(detailed).length;
  if (mode === 'sentence') return sentences === 1 ? 0.1 : 0;
  const words = wordCount(coarse);
  const tenths = (sentences > 1 || wordCount(detailed) < 20 ? 2 : 0) + (words < 6 || words > 8 ? 1 : 0);
  return tenths === 0 ? 0 : -tenths / 10;
}

/** Parts of a text up to a mark that ends a sentence, followed by a blank or nothing. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/[.!?]+(?:\s+|$)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
