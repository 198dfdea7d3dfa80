/**
 * A small real student for tests: a softmax over whole commands, linear in the set of words of the prompt, with its
 * true gradients. A target has as many tokens as words, and an end token; all its log-probability is in the first.
 */
import type { Features, PreferenceRow, Random, Student } from '@emac/core';

export const commands = ['go a', 'go b', 'go c', 'take a', 'take b', 'take c', 'look around twice'] as const;
const words = ['want-a', 'want-b', 'want-c', 'at-a', 'at-b', 'at-c', 'nothing'] as const;

/** What it sees: always the same. */
export const blank: Features = { data: new Float32Array(1), key: 'blank' };

export interface BagOfWordsStudent extends Student {
  /** every call with rows, in order */
  readonly calls: { readonly method: string; readonly rows: number }[];
}

export function bagOfWordsStudent(random: Random, scale = 0.5): BagOfWordsStudent {
  const size = commands.length * words.length;
  const start = (length: number) => Float32Array.from({ length }, () => scale * random.normal());
  const table = { shape: [commands.length, words.length], data: start(size) };
  const bias = { shape: [commands.length], data: start(commands.length) };
  const parameters = new Map([
    ['table', table],
    ['bias', bias],
  ]);
  const live = { table: table.data.slice(), bias: bias.data.slice() };
  const calls: { method: string; rows: number }[] = [];

  const bag = (text: string): number[] => words.map((word) => (text.split(/\s/).includes(word) ? 1 : 0));
  const logits = (text: string): number[] => {
    const input = bag(text);
    return commands.map((_, row) =>
      input.reduce(
        (sum, value, column) => sum + value * live.table[row * words.length + column]!,
        live.bias[row]!,
      ),
    );
  };
  const logSoftmax = (text: string): number[] => {
    const values = logits(text);
    const total = Math.log(values.reduce((sum, value) => sum + Math.exp(value), 0));
    return values.map((value) => value - total);
  };
  const indexOf = (target: string): number => (commands as readonly string[]).indexOf(target.trim());
  const tokens = (target: string): number => target.trim().split(' ').length + 1;
  const zeros = () =>
    new Map([...parameters].map(([name, { data }]) => [name, new Float32Array(data.length)]));
  /** adds upstream · ∂ log p(target) / ∂ parameters */
  const accumulate = (
    gradients: Map<string, Float32Array>,
    text: string,
    target: string,
    upstream: number,
  ) => {
    const input = bag(text);
    logSoftmax(text).forEach((value, row) => {
      const slope = upstream * ((row === indexOf(target) ? 1 : 0) - Math.exp(value));
      gradients.get('bias')![row]! += slope;
      input.forEach(
        (word, column) => (gradients.get('table')![row * words.length + column]! += slope * word),
      );
    });
  };
  const meanLogProbability = (text: string, target: string): number =>
    Math.fround(logSoftmax(text)[indexOf(target)]! / tokens(target));

  return {
    calls,
    modelIdentity: 'bag of words',
    features: () => Promise.resolve(blank),
    act: (text) => {
      const values = logits(text);
      return Promise.resolve(` ${commands[values.indexOf(Math.max(...values))]!}\n`);
    },
    countTargetTokens: tokens,
    countTextTokens: (text) => text.split(/\s/).length,
    logProbabilities: (rows) => {
      calls.push({ method: 'logProbabilities', rows: rows.length });
      return Promise.resolve(
        rows.map(({ text, target }) => ({ sum: logSoftmax(text)[indexOf(target)]!, tokens: tokens(target) })),
      );
    },
    imitationGradient: (rows) => {
      calls.push({ method: 'imitationGradient', rows: rows.length });
      const gradients = zeros();
      let loss = 0;
      for (const { text, target, weight } of rows) {
        loss -= weight * logSoftmax(text)[indexOf(target)]!;
        accumulate(gradients, text, target, -weight);
      }
      return Promise.resolve({ loss, gradients });
    },
    preferenceGradient: (rows, { beta, mixRatio }) => {
      calls.push({ method: 'preferenceGradient', rows: rows.length });
      const gradients = zeros();
      let loss = 0;
      const [chosen, rejected] = (['chosen', 'rejected'] as const).map((side) =>
        Float32Array.from(rows, (row: PreferenceRow) => meanLogProbability(row.text, row[side])),
      );
      rows.forEach((row, place) => {
        const policy = chosen![place]! - rejected![place]!;
        const h = beta * (policy - (row.referenceChosen - row.referenceRejected));
        loss += row.weight * (Math.log(1 + Math.exp(-h)) - mixRatio * chosen![place]!);
        const pull = beta / (1 + Math.exp(h));
        accumulate(gradients, row.text, row.chosen, (-row.weight * (pull + mixRatio)) / tokens(row.chosen));
        accumulate(gradients, row.text, row.rejected, (row.weight * pull) / tokens(row.rejected));
      });
      return Promise.resolve({ loss, chosen: chosen!, rejected: rejected!, gradients });
    },
    parameters: () => parameters,
    commit: () => {
      live.table.set(table.data);
      live.bias.set(bias.data);
    },
    dispose: () => Promise.resolve(),
  };
}
