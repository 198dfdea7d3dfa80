/** The tables of the document of results, by name; a result that does not exist leaves its cell empty. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOf } from './folders.ts';
import { pairedText } from './paired.ts';
import { gamesOf, markdown, resultsOf, resultText, typeTable } from './results.ts';

const real = 'real valid_seen';
const unseen = 'builtin valid_unseen';
const suites = [real, 'real valid_unseen', 'builtin valid_seen', unseen];
const forms = ['text', 'both', 'image'];

type Table = (out: string) => string;

const cell = (out: string, name: string, suite: string) => {
  const results = resultsOf(out, name, suite);
  return results ? resultText(results) : '';
};

/** A row for each of these, its result on the real games and on generated ones. */
const rowsTable =
  (rows: Readonly<Record<string, string>>): Table =>
  (out) =>
    markdown([
      ['', ...suites],
      ...Object.entries(rows).map(([said, name]) => [said, ...suites.map((suite) => cell(out, name, suite))]),
    ]);

/** Each form before and after training, on one suite. */
const formsTable =
  (suite: string): Table =>
  (out) =>
    markdown([
      ['observe', 'untouched', 'bc', 'bc, then dpo'],
      ...forms.map((form) => [
        `\`${form}\``,
        ...['untouched', 'bc', 'dpo'].map((made) => cell(out, `${made}-${form}`, suite)),
      ]),
      [
        '`image`, the expert acts in the first round',
        ...['untouched-image', 'expert-first-bc', 'expert-first-dpo'].map((name) => cell(out, name, suite)),
      ],
    ]);

/** BC's results from frames alone, with frames of other games. */
const frames: Table = (out) =>
  markdown([
    ['frames of `--observe image`', 'bc', 'bc, the expert acts in the first round'],
    ...Object.entries({ 'of the game': '', blank: ' blank', 'of another game': ' other' }).map(
      ([said, suffix]) => [
        said,
        ...['bc-image', 'expert-first-bc'].map((name) => cell(out, name, `${real}${suffix}`)),
      ],
    ),
  ]);

const onReal =
  (head: string, rows: Readonly<Record<string, readonly [name: string, suite?: string]>>): Table =>
  (out) =>
    markdown([
      [head, `success on ${real}`],
      ...Object.entries(rows).map(([said, [name, suite = real]]) => [said, cell(out, name, suite)]),
    ]);

const defaults: Table = (out) =>
  markdown([
    ['seed', 'bc', 'bc, then dpo'],
    ...[0, 1, 2, 3, 4].map((seed) => [
      String(seed),
      ...['bc', 'dpo'].map((phase) => cell(out, `default-${phase}-${seed}`, 'README')),
    ]),
  ]);

const labels: Table = (out) =>
  markdown([
    ['training games', 'labels', `success on ${real}`],
    ...[1, 3, 6, 12, 24].map((games) => {
      const name = games === 24 ? 'bc-both' : `labels-${games}`;
      const counts = [0, 1, 2].flatMap((seed) => labelsOf(out, `${name}-${seed}`) ?? []);
      return [String(games), counts.join(', '), cell(out, name, real)];
    }),
  ]);

/** Labels used by a run in all; null if unknown. */
function labelsOf(out: string, name: string): number | null {
  const run = runOf(out, name);
  if (run === undefined) return null;
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
  const rounds = lines
    .map((line) => JSON.parse(line) as { kind: string; samples?: number })
    .filter(({ kind }) => kind === 'round');
  return rounds.at(-1)?.samples ?? null;
}

const times: Table = (out) =>
  markdown([
    ['run', 'time of each seed'],
    ...['default-bc', 'default-dpo', 'bc-text', 'bc-both', 'bc-image', 'expert-first-bc', 'dpo-both'].map(
      (name) => [name, [0, 1, 2].flatMap((seed) => timeOf(out, `${name}-${seed}`) ?? []).join(', ')],
    ),
  ]);

/** A training's reported time. */
function timeOf(out: string, name: string): string | null {
  const log = join(out, 'runs', name, 'output.log');
  const said = existsSync(log) ? /^time: .*in all (.+)$/m.exec(readFileSync(log, 'utf8')) : null;
  return said && said[1]!;
}

/** DPO against the BC that it began from, game by game. */
const paired: Table = (out) => {
  const compared = [
    ...forms.map((form) => [`\`${form}\``, `bc-${form}`, `dpo-${form}`] as const),
    ['`image`, the expert acts in the first round', 'expert-first-bc', 'expert-first-dpo'] as const,
  ];
  return markdown([
    ['', 'suite', 'bc', 'bc, then dpo', 'won by one alone (bc, dpo)', 'p'],
    ...compared.flatMap(([said, bc, dpo]) =>
      suites.flatMap((suite) => {
        const [before, after] = [bc, dpo].map((name) => gamesOf(out, name, suite));
        return before?.length && after?.length ? [[said, suite, ...pairedText(before, after)]] : [];
      }),
    ),
  ]);
};

/** BC on one game, then DPO on 24 others, or more BC on them. */
const oneGame: Table = (out) =>
  markdown([
    [
      '',
      'one game',
      'then dpo on 24',
      'then bc on 24',
      'won by one alone (one game, dpo)',
      'p',
      'won by one alone (bc, dpo)',
      'p',
    ],
    ...oneGameRows.flatMap(([said, form, made]) => {
      const named = ['bc', made, 'more'].map((each) => `one-game-${each}-${form}`);
      const [bc, dpo, more] = named.map((name) => gamesOf(out, name, real));
      if (![bc, dpo, more].every((games) => games?.length)) return [];
      const results = named.map((name) => cell(out, name, real));
      return [[said, ...results, ...pairedText(bc!, dpo!).slice(2), ...pairedText(more!, dpo!).slice(2)]];
    }),
  ]);

const oneGameRows = [
  ['`both`', 'both', 'dpo'],
  ['`both`, `--train-after every-episode`', 'both', 'every'],
  ['`image`, `--train-after every-episode`', 'image', 'dpo'],
] as const;

export const tables: Readonly<Record<string, Table>> = {
  bounds: rowsTable({
    'hand-coded expert, all texts': 'expert-texts',
    'hand-coded expert, frames alone': 'expert-frames',
    'random admissible commands': 'random',
  }),
  'forms-real': formsTable(real),
  'forms-builtin': formsTable(unseen),
  'both-suites': rowsTable({ untouched: 'untouched-both', bc: 'bc-both', 'bc, then dpo': 'dpo-both' }),
  'types-both': (out) =>
    typeTable({
      untouched: resultsOf(out, 'untouched-both', real),
      bc: resultsOf(out, 'bc-both', real),
      'bc, then dpo': resultsOf(out, 'dpo-both', real),
    }),
  'types-image': (out) =>
    typeTable({
      untouched: resultsOf(out, 'untouched-image', real),
      bc: resultsOf(out, 'bc-image', real),
      'bc, expert acts first': resultsOf(out, 'expert-first-bc', real),
      'expert, frames alone': resultsOf(out, 'expert-frames', real),
    }),
  controls: onReal('labels', {
    'none (untouched)': ['untouched-both'],
    'the expert’s, while the student acts': ['bc-both'],
    'random commands': ['control-random-labels'],
    'the expert’s, collected before': ['dataset'],
    'the same, shuffled': ['control-permuted-labels'],
  }),
  frames,
  studies: onReal('', {
    'DAgger: the student acts': ['bc-both'],
    'plain cloning: the expert acts': ['cloning'],
    'memories in the student’s prompt': ['memories'],
  }),
  defaults,
  labels,
  times,
  paired,
  'one-game': oneGame,
};
