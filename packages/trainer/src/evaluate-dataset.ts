/**
 * How well a policy answers the prompts of a dataset, without any game. Answers and outputs are compared as commands,
 * after post-processing:
 *  - exact match: the share of answers that are the output;
 *  - token accuracy: the share of the outputs' words that the answer has at the same place (words, and in the answer as
 *    it was generated: the student is not told the words before);
 *  - BLEU-4 (`evaluate-bleu.ts`);
 *  - loss: −log p of a token of the output, mean over all tokens, each told the tokens before it.
 */
import type { Student } from '@emac/core';
import { bleu } from './evaluate-bleu.ts';
import type { OfflineData, OfflineSample } from './offline-learner.ts';
import type { PolicyTexts } from './texts.ts';

export interface AnsweredSample {
  /** null where the dataset does not tell */
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
  /** in the order of the records; `unknown` where they do not tell */
  readonly by_task_type: Readonly<Record<string, AnswerSummary>>;
}

export interface DatasetEvaluation {
  readonly student: Pick<Student, 'act' | 'logProbabilities'>;
  readonly texts: Pick<PolicyTexts, 'target' | 'command'>;
  readonly data: OfflineData;
  readonly taskType: (index: number) => string | null;
  readonly onSample?: (sample: AnsweredSample) => void;
}

/** Answers every prompt of a dataset that can be used, in order. */
export async function answerDataset(evaluation: DatasetEvaluation): Promise<AnsweredSample[]> {
  const { data, taskType, onSample } = evaluation;
  const answered: AnsweredSample[] = [];
  for (let index = 0; index < data.length; index++) {
    const given = await data.sample(index);
    if (given === null) continue;
    const sample = { ...(await answerTo(evaluation, given)), taskType: taskType(index) };
    answered.push(sample);
    onSample?.(sample);
  }
  return answered;
}

async function answerTo(
  { student, texts }: DatasetEvaluation,
  { features, text, output }: OfflineSample,
): Promise<Omit<AnsweredSample, 'taskType'>> {
  const answer = texts.command(await student.act(text, features));
  const target = texts.target(output);
  const [found] = await student.logProbabilities([{ features, text, target }]);
  const { sum: logProbability, tokens } = found!;
  return { answer, output: texts.command(output), logProbability, tokens };
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
