/** What a policy makes of a state: its choice, and how likely it is to say each listed command. */
import type { Policy, Prompt, Question, Sampling, Scorer } from '@emac/core';

export interface Weighed {
  readonly action: string;
  /** of each admissible command in their order, natural logarithm of the probability of its whole answer; null: not listed, or not known */
  readonly logProbabilities: readonly number[] | null;
  /** the text that it read after the picture; null for a policy without texts */
  readonly prompt: string | null;
  /** as generated; null for a policy without texts */
  readonly answer: string | null;
}

/** Of whole answers to one prompt, with a scorer: all in one pass. */
export async function scoredAnswers(
  scorer: Scorer,
  prompt: Prompt,
  answers: readonly string[],
): Promise<number[]> {
  const [scores] = await scorer.score([{ prompt, answers }]);
  return scores!.map((tokens) => tokens.reduce((sum, each) => sum + each, 0));
}

/** Of actions of a small network, whose answers have one token. Actions that it does not have are never said. */
export async function scoredActions(
  policy: Pick<Policy, 'decide'>,
  prompt: Prompt,
  { asked, known }: { readonly asked: readonly string[]; readonly known: readonly string[] },
): Promise<number[]> {
  const said = asked.filter((action) => known.includes(action));
  const questions = said.map((action): Question => ({ prompt, allowed: [action], random: null }));
  const search: Sampling = { kind: 'search', beams: 1 };
  const answers = await policy.decide(questions, search);
  return asked.map((action) => answers[said.indexOf(action)]?.logProbabilities[0] ?? -Infinity);
}

/** Probabilities among the listed ones alone; their logarithms may have any common offset. */
export function shares(logProbabilities: readonly number[]): number[] {
  const most = Math.max(...logProbabilities);
  if (most === -Infinity) return logProbabilities.map(() => 0);
  const weights = logProbabilities.map((each) => Math.exp(each - most));
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each) => each / sum);
}

/**
 * The answers that name each command in place of the chosen one, where an answer has thoughts before it: what comes before the command's
 * last mention stays. Null if the answer does not end with its command.
 */
export function answersLike(answer: string, chosen: string, commands: readonly string[]): string[] | null {
  const at = answer.lastIndexOf(chosen);
  if (chosen === '' || at < 0) return null;
  const [before, after] = [answer.slice(0, at), answer.slice(at + chosen.length)];
  return commands.map((command) => before + command + after);
}
