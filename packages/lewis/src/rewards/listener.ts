/** Rewards of a listener's answer: reasons and a verdict as JSON between ```` ```json ```` and ```` ``` ````. */

export type Verdict = 'yes' | 'no';

export interface ListenerAnswer {
  readonly reasoning: string;
  readonly verdict: Verdict;
}

/** Null without such JSON with both texts, or for an answer other than yes and no. */
export function readListenerAnswer(written: string): ListenerAnswer | null {
  const block = /```json\s*([\s\S]*?)```/i.exec(written)?.[1];
  if (block === undefined) return null;
  const read = parsed(block) as Partial<Record<'Reasoning' | 'Answer', unknown>> | null;
  if (typeof read?.Reasoning !== 'string' || typeof read.Answer !== 'string') return null;
  const verdict = verdictOf(read.Answer);
  return verdict && { reasoning: read.Reasoning, verdict };
}

/** `yes`, `y`, `true` and `1`; `no`, `n`, `false` and `0`; null for anything else. */
export function verdictOf(word: string): Verdict | null {
  const plain = word.trim().toLowerCase().replace(/[.!]$/, '');
  if (['yes', 'y', 'true', '1'].includes(plain)) return 'yes';
  return ['no', 'n', 'false', '0'].includes(plain) ? 'no' : null;
}

/** 1 if the answer parses, else 0. */
export function listenerFormatReward(written: string): number {
  return readListenerAnswer(written) ? 1 : 0;
}

/** 1 for the right verdict, else 0. */
export function consistencyReward(written: string, right: Verdict): number {
  return readListenerAnswer(written)?.verdict === right ? 1 : 0;
}

/** 1 for the right verdict, −1 for a wrong yes, −0.3 for a wrong no, 0 for an invalid answer. */
export function weightedReward(written: string, right: Verdict): number {
  const answer = readListenerAnswer(written);
  if (!answer) return 0;
  if (answer.verdict === right) return 1;
  return answer.verdict === 'yes' ? -1 : -0.3;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
