/** The tables of the document of results, by name; a result that does not exist leaves its cell empty. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOf } from './folders.ts';
import { continuations, demonstrated, labelledGames, preferenceChanges } from './jobs.ts';
import { pairedText } from './paired.ts';
import { combined, markdown, resultsOf, resultText, sharedSeeds, typeTable } from './results.ts';

const real = 'real valid_seen';
const suites = [real, 'real valid_unseen', 'builtin valid_seen', demonstrated];

type Table = (out: string) => string;

const ways = [
  ['projection', 'projection'],
  ['`--train lora`', 'lora'],
  ['`--train projection,lora`', 'projection-lora'],
] as const;

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

/** A row for each of these, its result on one suite. */
const onSuite =
  (suite: string, head: string, rows: Readonly<Record<string, string>>): Table =>
  (out) =>
    markdown([
      [head, 'success'],
      ...Object.entries(rows).map(([said, name]) => [said, cell(out, name, suite)]),
    ]);

const demonstration = (head: string, rows: Readonly<Record<string, string>>) =>
  onSuite(demonstrated, head, rows);

/** The policies' results with frames of other games. */
const frames: Table = (out) =>
  markdown([
    ['frames', 'bc'],
    ...Object.entries({ 'of the game': '', blank: ' blank', 'of another game': ' other' }).map(
      ([said, suffix]) => [said, cell(out, 'default-bc', `${real}${suffix}`)],
    ),
  ]);

const successOf = (out: string, name: string, suite: string) =>
  resultsOf(out, name, suite)?.pooled.success ?? null;

const defaults: Table = (out) => {
  const before = successOf(out, 'untouched-image', demonstrated);
  const fixed = (value: number | null) => value?.toFixed(2) ?? '';
  return markdown([
    ['seed', 'untouched', 'after bc', 'after dpo', 'bc − untouched', 'dpo − bc', 'labels', 'pairs'],
    ...[0, 1, 2, 3, 4].map((seed) => {
      const [bc, dpo] = ['bc', 'dpo'].map((phase) =>
        successOf(out, `default-${phase}-${seed}`, demonstrated),
      );
      const gain = (from: number | null, to: number | null) =>
        from === null || to === null ? '' : `${to < from ? '−' : '+'} ${Math.abs(to - from).toFixed(2)}`;
      const [labels, pairs] = ['bc', 'dpo'].map((phase) => labelsOf(out, `default-${phase}-${seed}`));
      const counts = [labels, pairs].map((count) => (count === null ? '' : String(count)));
      return [String(seed), ...[before, bc!, dpo!].map(fixed), gain(before, bc!), gain(bc!, dpo!), ...counts];
    }),
  ]);
};

const labels: Table = (out) =>
  markdown([
    ['training games', ...ways.map(([said]) => said)],
    ...labelledGames.map((games) => [
      String(games),
      ...ways.map(([, name]) => cell(out, `labels-${games}-${name}`, demonstrated)),
    ]),
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
    ...['default-bc', 'default-dpo', 'labels-300-projection', 'labels-300-lora', 'real-bc', 'real-dpo'].map(
      (name) => [name, [0, 1, 2, 3, 4].flatMap((seed) => timeOf(out, `${name}-${seed}`) ?? []).join(', ')],
    ),
  ]);

/** A training's reported time. */
function timeOf(out: string, name: string): string | null {
  const log = join(out, 'runs', name, 'output.log');
  const said = existsSync(log) ? /^time: .*in all (.+)$/m.exec(readFileSync(log, 'utf8')) : null;
  return said && said[1]!;
}

/** DPO against the BC that it began from, game by game, in the seeds that have both. */
const paired: Table = (out) =>
  markdown([
    ['training games', 'suite', 'seeds', 'bc', 'bc, then dpo', 'won by one alone (bc, dpo)', 'p'],
    ...[['built-in', 'default'] as const, ['ALFWorld’s', 'real'] as const].flatMap(([said, name]) =>
      suites.flatMap((suite) => {
        const names = [`${name}-bc`, `${name}-dpo`] as const;
        const { seeds, before, after } = sharedSeeds(out, { names, suite, among: [0, 1, 2, 3, 4] });
        if (seeds.length === 0) return [];
        return [[said, suite, seeds.join(', '), ...pairedText(before.flat(), after.flat())]];
      }),
    ),
  ]);

/** A policy against another, game by game: its result, games won by one alone, and p, in the seeds that have both. */
function against(out: string, names: readonly [string, string], among = [0, 1, 2]): string[] {
  const { seeds, before, after } = sharedSeeds(out, { names, suite: demonstrated, among });
  if (seeds.length === 0) return ['', '', '', ''];
  const compared = pairedText(before.flat(), after.flat()).slice(2);
  return [seeds.join(', '), resultText(combined(after)!), ...compared];
}

/** DPO with one setting changed, against the BC that it began from. */
const preferences: Table = (out) =>
  markdown([
    ['second phase', 'seeds', 'success', 'won by one alone (bc, this)', 'p'],
    ...Object.entries({
      'none (bc alone)': 'default-bc',
      'dpo, default': 'default-dpo',
      ...Object.fromEntries(
        Object.entries(preferenceChanges).map(([name, { said }]) => [said, `preferences-${name}`]),
      ),
    }).map(([said, name]) => [said, ...against(out, ['default-bc', name])]),
  ]);

/** What went on from one policy after imitation, against that policy game by game. */
const after: Table = (out) =>
  markdown([
    [
      'after imitation of 100 games',
      'seeds',
      'success',
      'won by one alone (imitation, this)',
      'p',
      'environment steps',
    ],
    ...['start', ...Object.keys(continuations).map((method) => `after-${method}`)].map((name) => {
      const [seeds, ...compared] = against(out, ['start', name], [0, 1, 2, 3, 4]);
      if (!seeds) return [name, '', '', '', '', ''];
      const steps = seeds.split(', ').map((seed) => stepsOf(out, `${name}-${seed}`));
      const said = name === 'start' ? 'nothing' : name.replace('after-', '');
      return [said, seeds, ...compared, steps.join(', ')];
    }),
  ]);

/** Environment steps of a training in which the student acted. */
function stepsOf(out: string, name: string): number {
  const lines = readFileSync(join(runOf(out, name)!, 'metrics.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { played?: number; mean_steps?: number; environment_steps?: number });
  const ofRounds = lines.reduce((sum, { played = 0, mean_steps: mean = 0 }) => sum + played * mean, 0);
  const ofUpdates = Math.max(...lines.map(({ environment_steps: steps = 0 }) => steps));
  return Math.round(ofUpdates || ofRounds);
}

export const tables: Readonly<Record<string, Table>> = {
  bounds: rowsTable({
    'hand-coded expert, all texts': 'expert-texts',
    'hand-coded expert, frames alone': 'expert-frames',
    'random admissible commands': 'random',
  }),
  defaults,
  suites: rowsTable({
    untouched: 'untouched-image',
    'bc on built-in games': 'default-bc',
    'then dpo': 'default-dpo',
    'bc on ALFWorld’s games': 'real-bc',
    'then dpo on them': 'real-dpo',
  }),
  forms: rowsTable({
    'frames alone': 'untouched-image',
    'texts and frames': 'untouched-both',
    'texts alone': 'untouched-text',
  }),
  types: (out) =>
    typeTable({
      untouched: resultsOf(out, 'untouched-image', real),
      bc: resultsOf(out, 'real-bc', real),
      'bc, then dpo': resultsOf(out, 'real-dpo', real),
      'expert, frames alone': resultsOf(out, 'expert-frames', real),
    }),
  controls: demonstration('labels', {
    'the expert’s': 'default-bc',
    'random commands': 'control-random-labels',
    'the expert’s, collected before': 'dataset',
    'the same, shuffled': 'control-permuted-labels',
  }),
  constants: demonstration('added to every visual token of the untouched model', {
    'the vector of the word `good`': 'constant-good',
    'the vector of the word `poor`': 'constant-poor',
    'the mean change by three trained projections': 'constant-mean-change',
    'three random vectors of that length': 'constant-random',
  }),
  frames,
  acting: demonstration('who acts', {
    'the expert (default)': 'default-bc',
    'the student': 'acting-student-acts',
    '125 games twice: first the expert, then the student': 'acting-expert-then-student',
  }),
  labels,
  after,
  preferences,
  times,
  paired,
};
