/**
 * A small real policy that writes: the next word is sampled from a softmax over a table's row, selected by the prompt's number and the last
 * word. Each token of its answers has a probability, an entropy and a true gradient.
 */
import {
  EmacError,
  type Answer,
  type Completion,
  type Gradient,
  type GradientRow,
  type Loss,
  type ParameterSet,
  type Policy,
  type Prompt,
  type Question,
  type Random,
  type Scorer,
  type TokenScores,
  type Trainable,
} from '@emac/core';
import { blank } from './bag-of-words.ts';
import { derivativesOf } from './derivatives.ts';

export interface TokenTableOptions {
  /** number of prompts; a prompt is the text of its number */
  readonly prompts: number;
  /** words of answers, joined by blanks; a word's id is its index, the end token comes last */
  readonly words: readonly string[];
  /** tokens of an answer, end token included */
  readonly maxLength: number;
}

export interface TokenTable extends Policy, Trainable {
  /** every prompt read, in order: equal neighbours are read once */
  readonly reads: { readonly method: 'decide' | 'score' | 'gradient'; readonly prompt: number }[];
  /** the same policy with other parameters, copied */
  under(parameters: ParameterSet): Policy & Scorer;
}

/** Parameters are normally distributed with that scale. */
export function tokenTable(options: TokenTableOptions, random: Random, scale = 0.5): TokenTable {
  const width = options.words.length + 1;
  const rows = options.prompts * width;
  const data = Float32Array.from({ length: rows * width }, () => scale * random.normal());
  return over(options, new Map([['table', { shape: [rows, width], data }]]), []);
}

/** The prompt of a number. */
export function numberedPrompt(number: number): Prompt {
  return [{ kind: 'text', text: String(number) }];
}

function over(options: TokenTableOptions, parameters: ParameterSet, reads: TokenTable['reads']): TokenTable {
  const { data } = parameters.get('table')!;
  const width = options.words.length + 1;
  const live = data.slice();
  const rowAt = (prompt: number, last: number | null): number =>
    (prompt * width + (last === null ? width - 1 : last)) * width;
  const logsAt = (row: number, temperature: number): number[] => {
    const scaled = Array.from(live.subarray(row, row + width), (logit) => logit / temperature);
    const total = Math.log(scaled.reduce((sum, value) => sum + Math.exp(value), 0));
    return scaled.map((value) => Math.fround(value - total));
  };
  const read = (method: 'decide' | 'score' | 'gradient', prompts: readonly Prompt[]): number[] => {
    const numbers = prompts.map((prompt) => numberOf(prompt, options.prompts));
    numbers.forEach((prompt, place) => {
      if (place === 0 || numbers[place - 1] !== prompt) reads.push({ method, prompt });
    });
    return numbers;
  };
  const scores = (prompt: number, tokens: readonly number[], temperature = 1): TokenScores => {
    const all = tokens.map((_, place) => logsAt(rowAt(prompt, tokens[place - 1] ?? null), temperature));
    return {
      logProbabilities: Float32Array.from(tokens, (token, place) => all[place]![token]!),
      entropies: Float32Array.from(all, entropyOf),
    };
  };
  const idsOf = (answer: Completion): readonly number[] =>
    typeof answer === 'string' ? [...wordsOf(answer, options.words), width - 1] : answer;
  const answered = (prompt: number, question: Question, temperature: number): Answer => {
    const [tokens, logProbabilities, entropies] = [[], [], []] as [number[], number[], number[]];
    while (tokens.length < options.maxLength && tokens.at(-1) !== width - 1) {
      const logs = logsAt(rowAt(prompt, tokens.at(-1) ?? null), temperature);
      const token = question.random
        ? question.random.weightedIndex(logs.map(Math.exp))
        : logs.indexOf(Math.max(...logs));
      tokens.push(token);
      logProbabilities.push(logs[token]!);
      entropies.push(entropyOf(logs));
    }
    const said = tokens.filter((token) => token < width - 1).map((token) => options.words[token]!);
    return { text: said.join(' '), tokens, logProbabilities, entropies };
  };
  return {
    reads,
    groups: [{ name: 'table', parameters, learningRateScale: 1 }],
    encode: () => Promise.resolve(blank),
    decide: (questions, sampling) => {
      const numbers = read(
        'decide',
        questions.map(({ prompt }) => prompt),
      );
      const temperature = sampling.kind === 'sample' ? sampling.temperature : 1;
      return Promise.resolve(
        questions.map((question, place) => answered(numbers[place]!, question, temperature)),
      );
    },
    countPromptTokens: () => 1,
    countAnswerTokens: (text) => idsOf(text).length,
    score: async (rows) =>
      (await scoreAll(rows)).map((answers) => answers.map(({ logProbabilities }) => logProbabilities)),
    scoreWithEntropy: (rows) => scoreAll(rows),
    gradient: (rows, loss) => {
      const numbers = read(
        'gradient',
        rows.map(({ prompt }) => prompt),
      );
      return Promise.resolve(gradientOf(rows, loss, numbers));
    },
    commit: () => live.set(data),
    under: (other) => over(options, copied(other), reads),
  };

  function scoreAll(rows: Parameters<Scorer['score']>[0]): Promise<TokenScores[][]> {
    const numbers = read(
      'score',
      rows.map(({ prompt }) => prompt),
    );
    return Promise.resolve(
      rows.map(({ answers, temperature }, place) =>
        answers.map((answer) => scores(numbers[place]!, idsOf(answer), temperature)),
      ),
    );
  }

  function gradientOf(rows: readonly GradientRow[], loss: Loss, numbers: readonly number[]): Gradient {
    const slopes = new Float32Array(data.length);
    let total = 0;
    const logProbabilities = rows.map(({ answers, temperature = 1, weight, constants = {} }, place) => {
      const tokens = idsOf(answers[0]!);
      const found = [...scores(numbers[place]!, tokens, temperature).logProbabilities];
      const add = (at: number, slope: number): void => {
        const row = rowAt(numbers[place]!, tokens[at - 1] ?? null);
        logsAt(row, temperature).forEach((log, other) => {
          slopes[row + other]! += (slope * ((other === tokens[at]! ? 1 : 0) - Math.exp(log))) / temperature;
        });
      };
      if (loss.over === 'answers') {
        const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
        const term = derivativesOf(loss, [mean], constants as Record<string, number>);
        total += weight * term.value;
        tokens.forEach((_, at) => add(at, (weight * term.slopes[0]!) / tokens.length));
        return [mean];
      }
      tokens.forEach((_, at) => {
        const own = Object.entries(constants).map(([name, value]) => [
          name,
          typeof value === 'number' ? value : value[at]!,
        ]);
        const term = derivativesOf(loss, [found[at]!], Object.fromEntries(own) as Record<string, number>);
        total += weight * term.value;
        add(at, weight * term.slopes[0]!);
      });
      return found;
    });
    return { loss: total, gradients: new Map([['table', slopes]]), logProbabilities };
  }
}

function entropyOf(logs: readonly number[]): number {
  return -logs.reduce((sum, log) => sum + Math.exp(log) * log, 0);
}

function numberOf(prompt: Prompt, count: number): number {
  const number = Number(prompt[0]?.kind === 'text' ? prompt[0].text : NaN);
  if (Number.isInteger(number) && number >= 0 && number < count) return number;
  throw new EmacError(
    'data',
    `tokenTable: a prompt is a number below ${count}, got ${JSON.stringify(prompt)}`,
  );
}

function wordsOf(text: string, words: readonly string[]): number[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => words.indexOf(word));
}

function copied(parameters: ParameterSet): ParameterSet {
  return new Map([...parameters].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));
}
