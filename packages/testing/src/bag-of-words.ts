/**
 * A small real policy: a softmax over whole commands, linear in the set of words of the prompt, with its true gradients. An
 * answer has as many tokens as words, and an end token; all its log-probability is in the first.
 */
import {
  invariant,
  parametersOf,
  type Answer,
  type Completion,
  type Features,
  type GradientRow,
  type Loss,
  type ParameterSet,
  type Policy,
  type Prompt,
  type Random,
  type ScoredRow,
  type Scorer,
  type TokenScores,
  type Trainable,
} from '@emac/core';
import { derivativesOf } from './derivatives.ts';
import { commands } from './fetching.ts';

const words = ['want-a', 'want-b', 'want-c', 'at-a', 'at-b', 'at-c', 'nothing'] as const;
const endToken = commands.length;

/** Constant features: every picture looks the same. */
export const blank: Features = { data: new Float32Array(1), key: 'blank' };

export interface BagOfWords extends Policy, Trainable {
  /** every call with rows, in order */
  readonly calls: { readonly method: 'score' | 'gradient' | 'decide'; readonly rows: number }[];
  /** the same policy with other, fixed parameters */
  under(parameters: ParameterSet): Policy & Scorer;
}

/** A policy with normally distributed parameters of that scale. */
export function bagOfWords(random: Random, scale = 0.5): BagOfWords {
  const start = (length: number) => Float32Array.from({ length }, () => scale * random.normal());
  const parameters: ParameterSet = new Map([
    ['table', { shape: [commands.length, words.length], data: start(commands.length * words.length) }],
    ['bias', { shape: [commands.length], data: start(commands.length) }],
  ]);
  return over(parameters, []);
}

/** The softmax over commands with fixed parameters. */
function networkOf(live: ReadonlyMap<string, Float32Array>) {
  const logProbabilities = (prompt: Prompt, temperature = 1): number[] => {
    const input = bagOf(prompt);
    const logits = commands.map((_, row) =>
      input.reduce(
        (sum, value, column) => sum + value * live.get('table')![row * words.length + column]!,
        live.get('bias')![row]!,
      ),
    );
    const scaled = logits.map((value) => value / temperature);
    const total = Math.log(scaled.reduce((sum, value) => sum + Math.exp(value), 0));
    return scaled.map((value) => value - total);
  };
  const scores = (prompt: Prompt, answer: Completion, temperature = 1): TokenScores => {
    const tokens = tokensOf(answer);
    const found = {
      logProbabilities: new Float32Array(tokens.length),
      entropies: new Float32Array(tokens.length),
    };
    const all = logProbabilities(prompt, temperature);
    found.logProbabilities[0] = all[tokens[0]!]!;
    found.entropies[0] = -all.reduce((sum, each) => sum + Math.exp(each) * each, 0);
    return found;
  };
  /** adds upstream · ∂ log p(answer) / ∂ parameters */
  const accumulate = (
    gradients: ReadonlyMap<string, Float32Array>,
    { prompt, answer, temperature = 1 }: Said,
    upstream: number,
  ): void => {
    const input = bagOf(prompt);
    const [said] = tokensOf(answer);
    logProbabilities(prompt, temperature).forEach((value, row) => {
      const slope = (upstream * ((row === said ? 1 : 0) - Math.exp(value))) / temperature;
      gradients.get('bias')![row]! += slope;
      input.forEach(
        (word, column) => (gradients.get('table')![row * words.length + column]! += slope * word),
      );
    });
  };
  return { logProbabilities, scores, accumulate };
}

interface Said {
  readonly prompt: Prompt;
  readonly answer: Completion;
  readonly temperature: number | undefined;
}

function over(parameters: ParameterSet, calls: BagOfWords['calls']): BagOfWords {
  const live = new Map([...parameters].map(([name, { data }]) => [name, data.slice()]));
  const { logProbabilities, scores, accumulate } = networkOf(live);
  const scored = (rows: readonly ScoredRow[]): TokenScores[][] => {
    calls.push({ method: 'score', rows: rows.reduce((sum, { answers }) => sum + answers.length, 0) });
    return rows.map(({ prompt, answers, temperature }) =>
      answers.map((answer) => scores(prompt, answer, temperature)),
    );
  };
  return {
    calls,
    groups: [{ name: 'all', parameters, learningRateScale: 1 }],
    encode: () => Promise.resolve(blank),
    decide: (questions) => {
      calls.push({ method: 'decide', rows: questions.length });
      return Promise.resolve(questions.map(({ prompt }) => likeliest(logProbabilities(prompt))));
    },
    countPromptTokens: (text) => text.split(/\s/).length,
    countAnswerTokens: (text) => tokensOf(text).length,
    score: (rows) =>
      Promise.resolve(scored(rows).map((answers) => answers.map(({ logProbabilities: each }) => each))),
    scoreWithEntropy: (rows) => Promise.resolve(scored(rows)),
    gradient: (rows, loss) => {
      calls.push({ method: 'gradient', rows: rows.length });
      const gradients = new Map(
        [...parameters].map(([name, { data }]) => [name, new Float32Array(data.length)]),
      );
      let total = 0;
      const read = rows.map((row) => {
        const { value, slopes, terms } = termsOf(row, loss, scores);
        total += value;
        row.answers.forEach((answer, place) =>
          accumulate(gradients, { prompt: row.prompt, answer, temperature: row.temperature }, slopes[place]!),
        );
        return terms;
      });
      return Promise.resolve({ loss: total, gradients, logProbabilities: read });
    },
    commit: () => {
      for (const [name, { data }] of parameters) live.get(name)!.set(data);
    },
    under: (other) => over(other, calls),
  };
}

/** A row's share of the loss, its slope in each answer's log-probability, and the values that the loss read. */
function termsOf(
  row: GradientRow,
  loss: Loss,
  scores: (prompt: Prompt, answer: Completion, temperature?: number) => TokenScores,
): { value: number; slopes: readonly number[]; terms: readonly number[] } {
  const read = row.answers.map((answer) => scores(row.prompt, answer, row.temperature).logProbabilities);
  if (loss.over === 'answers') {
    invariant(read.length === loss.answers, `bagOfWords: the loss reads ${loss.answers} answers of a row`);
    const parts = read.map(({ length }) => (loss.pooling === 'mean' ? length : 1));
    const terms = read.map(([first], place) => Math.fround(first! / parts[place]!));
    const { value, slopes } = derivativesOf(loss, terms, row.constants ?? {});
    return {
      value: row.weight * value,
      slopes: slopes.map((slope, place) => (row.weight * slope) / parts[place]!),
      terms,
    };
  }
  const terms = [...read[0]!];
  const each = terms.map((term, token) => derivativesOf(loss, [term], at(row.constants ?? {}, token)));
  return {
    value: row.weight * each.reduce((sum, { value }) => sum + value, 0),
    // only the first token depends on the parameters
    slopes: [row.weight * each[0]!.slopes[0]!],
    terms,
  };
}

function at(
  constants: NonNullable<GradientRow['constants']>,
  token: number,
): Readonly<Record<string, number>> {
  const entries = Object.entries(constants);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? value : value[token]!]),
  );
}

function likeliest(scores: readonly number[]): Answer {
  const best = scores.indexOf(Math.max(...scores));
  const tokens = tokensOf(commands[best]!);
  const logProbabilities = tokens.map((_, place) => (place === 0 ? scores[best]! : 0));
  return { text: ` ${commands[best]!}\n`, tokens, logProbabilities };
}

/** A token per word of the command after the first, then the end token. */
function tokensOf(answer: Completion): readonly number[] {
  if (typeof answer !== 'string') return answer;
  const command = (commands as readonly string[]).indexOf(answer.trim());
  return [
    command,
    ...answer
      .trim()
      .split(' ')
      .slice(1)
      .map(() => command),
    endToken,
  ];
}

function bagOf(prompt: Prompt): number[] {
  const text = prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(' ');
  return words.map((word) => (text.split(/\s/).includes(word) ? 1 : 0));
}

/** The parameters of a policy as plain numbers. */
export function numbersOf(policy: Pick<Trainable, 'groups'>): number[][] {
  return [...parametersOf(policy).values()].map(({ data }) => [...data]);
}
