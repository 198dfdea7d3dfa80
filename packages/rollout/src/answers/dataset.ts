/**
 *
 * How well a policy answers the prompts of a dataset, without any environment. Answers and outputs are compared as commands,
 * after post-processing:
 *  - exact match: the share of answers that are the output;
 *  - token accuracy: the share of the outputs' words that the generated answer has at the same place (words; no teacher
 *    forcing);
 *  - BLEU-4 (`bleu.ts`);
 *  - loss: −log p per output token with teacher forcing, mean over all tokens.
 */
import { answersTo, type Policy, type Prompt, type Sampling, type Scorer, type Target } from '@emac/core';
import { bleu } from './bleu.ts';

/** A prompt, the expected output, and the form in which answer and output are compared. */
export interface AnsweredPrompt {
  readonly prompt: Prompt;
  readonly output: string;
  /** the output as it is scored; absent: its target */
  readonly scored?: Target;
  target(output: string): string;
  command(answer: string): string;
}

export interface AnsweredSample {
  /** null if the dataset has none */
  readonly taskType: string | null;
  readonly answer: string;
  readonly output: string;
  /** log-probability of the output, and its tokens */
  readonly logProbability: number;
  readonly tokens: number;
}

export interface AnswerSummary {
  readonly samples: number;
  readonly exact_match: number | null;
  readonly token_accuracy: number | null;
  readonly bleu: number | null;
  readonly loss: number | null;
}

export interface DatasetResult extends AnswerSummary {
  readonly v: 1;
  readonly checkpoint: string;
  readonly data: string;
  /** in the order of the records; `unknown` without a type */
  readonly by_task_type: Readonly<Record<string, AnswerSummary>>;
}

export interface DatasetEvaluation {
  readonly policy: Pick<Policy, 'decide'> & Scorer;
  readonly sampling: Sampling;
  readonly length: number;
  /** null for an unusable record, which is skipped */
  readonly sample: (index: number) => Promise<AnsweredPrompt | null>;
  readonly taskType: (index: number) => string | null;
  /** prompts answered together, at most; does not change results */
  readonly parallel: number;
  readonly onSample?: (sample: AnsweredSample) => void;
}

/** Answers every usable prompt of a dataset, in order. */
export async function answerDataset(evaluation: DatasetEvaluation): Promise<AnsweredSample[]> {
  const { length, parallel, taskType, onSample } = evaluation;
  const answered: AnsweredSample[] = [];
  for (let start = 0; start < length; start += parallel) {
    const prompts = await promptsFrom(evaluation, start, Math.min(start + parallel, length));
    for (const [place, found] of (await answersFor(evaluation, prompts)).entries()) {
      const sample = { ...found, taskType: taskType(prompts[place]!.index) };
      answered.push(sample);
      onSample?.(sample);
    }
  }
  return answered;
}

type Indexed = AnsweredPrompt & { readonly index: number };

async function promptsFrom({ sample }: DatasetEvaluation, start: number, end: number): Promise<Indexed[]> {
  const prompts: Indexed[] = [];
  for (let index = start; index < end; index++) {
    const given = await sample(index);
    if (given) prompts.push({ ...given, index });
  }
  return prompts;
}

async function answersFor(
  { policy, sampling }: DatasetEvaluation,
  prompts: readonly Indexed[],
): Promise<Omit<AnsweredSample, 'taskType'>[]> {
  const questions = prompts.map(({ prompt }) => ({ prompt, allowed: null, random: null }));
  const answers = await policy.decide(questions, sampling);
  const found: Omit<AnsweredSample, 'taskType'>[] = [];
  // one at a time: a row's numbers may differ in the last bit with the rest of its batch
  for (const [place, { prompt, output, scored, target, command }] of prompts.entries()) {
    const [[logProbabilities] = []] = await policy.score([
      { prompt, ...answersTo([scored ?? target(output)]) },
    ]);
    found.push({
      answer: command(answers[place]!.text),
      output: command(output),
      logProbability: logProbabilities!.reduce((sum, value) => sum + value, 0),
      tokens: logProbabilities!.length,
    });
  }
  return found;
}

/** The measures over all samples, and by task type. */
export function summarizeAnswers(
  answered: readonly AnsweredSample[],
): AnswerSummary & Pick<DatasetResult, 'by_task_type'> {
  const types = [...new Set(answered.map(typeOf))];
  const byType = types.map((type) => [type, measures(answered.filter((each) => typeOf(each) === type))]);
  return { ...measures(answered), by_task_type: Object.fromEntries(byType) };
}

function typeOf({ taskType }: AnsweredSample): string {
  return taskType ?? 'unknown';
}

function measures(answered: readonly AnsweredSample[]): AnswerSummary {
  const words = answered.map(({ answer, output }) => ({
    answer: wordsOf(answer),
    reference: wordsOf(output),
  }));
  const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);
  const total = (of: (sample: AnsweredSample) => number) => answered.reduce((sum, each) => sum + of(each), 0);
  const inPlace = words.map(
    ({ answer, reference }) => reference.filter((word, place) => answer[place] === word).length,
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return {
    samples: answered.length,
    exact_match: ratio(
      total(({ answer, output }) => (answer === output ? 1 : 0)),
      answered.length,
    ),
    token_accuracy: ratio(sum(inPlace), sum(words.map(({ reference }) => reference.length))),
    bleu: bleu(words),
    loss: ratio(
      -total(({ logProbability }) => logProbability),
      total(({ tokens }) => tokens),
    ),
  };
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
