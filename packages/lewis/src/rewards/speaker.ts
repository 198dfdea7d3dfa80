/**
 * Rewards of a speaker's answer; GRPO adds the parts unweighted. Where the published paper and its newest code differ,
 * the paper's form is the default and the code's an option.
 */
import { isClosed, tags, type Description } from '../description.ts';
import type { CandidateScores } from '../scores.ts';

/**
 * `binary`: 1 for the right candidate, else 0. From the code: `soft_gated`, its default, is the listener's reward score
 * for the right candidate, else 0; `soft_always` is that score for any choice.
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

/**
 * `all`: 1 if all three parts have both tags, else 0; `each`, from the code: 0.34 for the thoughts, 0.33 for each
 * description.
 */
export type FormatMode = 'all' | 'each';

export function formatReward(written: string, mode: FormatMode = 'all'): number {
  const closed = tags.filter((tag) => isClosed(written, tag));
  if (mode === 'all') return closed.length === tags.length ? 1 : 0;
  const hundredths = closed.reduce((sum, tag) => sum + (tag === 'thinking' ? 34 : 33), 0);
  return hundredths / 100;
}

/**
 * `sentence`: 0.1 if the detailed description is one sentence, else 0. `words`, from the code: −0.2 for a detailed
 * description of several sentences or fewer than 20 words, −0.1 unless the coarse one has 6 to 8 words.
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

/** Splits a text at marks that end a sentence, followed by a blank or the end. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/[.!?]+(?:\s+|$)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
