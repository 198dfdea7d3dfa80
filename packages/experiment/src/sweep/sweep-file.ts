/** The file of a sweep: a training command, values of settings to try, seeds. It names no code to run. */
import { EmacError, Random, repeated } from '@emac/core';
import { nameToday } from '@emac/runs';
import { checked } from '@emac/settings';
import { z } from 'zod';

const whole = z.number().int().min(0).max(999_999_999_999_999);

/** Numbers between two ends, both included. */
const range = z.strictObject({
  from: z.number(),
  to: z.number(),
  /** `log`: equal factors are equally likely */
  scale: z.enum(['linear', 'log']).default('linear'),
  whole: z.boolean().default(false),
});

type Range = z.infer<typeof range>;

const values = z.array(z.json()).min(1);

const sweepSchema = z.strictObject({
  /** of `emac train`, without the words that a sweep decides */
  command: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  /** every combination of these values */
  grid: z.record(z.string(), values).default({}),
  /** so many draws of these values or ranges, each beside every combination of the grid */
  random: z
    .strictObject({
      draws: z.number().int().min(1).max(10_000),
      seed: whole.default(0),
      settings: z.record(z.string(), z.union([values, range])),
    })
    .nullable()
    .default(null),
  seeds: z.array(whole).min(1).default([0]),
  /** successive halving */
  'stop-worst': z
    .strictObject({
      /** shares of the updates; after each the worse half of the settings is stopped */
      after: z.array(z.number().gt(0).lt(1)).min(1),
      /** a number of `metrics.jsonl`; the larger, the better */
      by: z.string().default('mean_return'),
    })
    .optional(),
});

export type SweepFile = z.infer<typeof sweepSchema>;
type Settings = Readonly<Record<string, unknown>>;

/** A run of a sweep. */
export interface SweepCell {
  /** of its settings, from 0; cells of one number differ in their seed alone */
  readonly number: number;
  readonly settings: Settings;
  readonly seed: number;
}

/** Errors: `config` for content of another form. */
export function sweepFile(content: unknown, place: string): SweepFile {
  const file = checked(sweepSchema, content, place);
  const { grid, random, seeds } = file;
  requireCount(place, file);
  const drawn = random?.settings ?? {};
  const names = [...Object.keys(grid), ...Object.keys(drawn)];
  const twice = Object.keys(drawn).find((name) => name in grid);
  if (twice !== undefined) throw wrong(place, `${twice} is in grid and in random; leave one out`);
  const again = repeated(names.map((name) => nameToday(name)));
  if (again !== undefined)
    throw wrong(place, `${again} is the earlier or later name of another one; leave one out`);
  const own = names.find((name) => name === 'seed' || name === 'out');
  if (own !== undefined)
    throw wrong(place, `${own} is decided by the sweep; give seeds as a list, and the folder with --out`);
  const odd = names.find((name) => !/^[A-Za-z][\w.]*$/.test(name));
  if (odd !== undefined)
    throw wrong(
      place,
      `${odd} is not the name of a setting; names are those of config.yaml, such as optimization.learningRate`,
    );
  for (const [name, given] of Object.entries(grid)) {
    const same = repeated(given.map((value) => JSON.stringify(value)));
    if (same !== undefined)
      throw wrong(place, `grid.${name} must differ, ${same} is there twice; remove one`);
  }
  const shares = file['stop-worst']?.after ?? [];
  if (shares.some((share, at) => at > 0 && share <= shares[at - 1]!))
    throw wrong(place, `stop-worst.after must rise, got ${shares.join(', ')}`);
  const same = repeated(seeds);
  if (same !== undefined) throw wrong(place, `seeds must differ, ${same} is there twice; remove one`);
  for (const [name, given] of Object.entries(drawn))
    if (!Array.isArray(given)) requireRange(place, name, given);
  return file;
}

/** runs of a sweep: each has a folder, and its settings are held in memory from the beginning */
const mostRuns = 100_000;

function requireCount(place: string, { grid, random, seeds }: SweepFile): void {
  const choices = Object.values(grid).reduce((count, { length }) => count * length, random?.draws ?? 1);
  const runs = choices * seeds.length;
  if (runs > mostRuns)
    throw wrong(
      place,
      `must describe at most ${mostRuns} runs, describes ${runs}; try fewer values, draws or seeds`,
    );
}

function requireRange(place: string, name: string, { from, to, scale }: Range): void {
  if (from > to || (scale === 'log' && from <= 0))
    throw wrong(
      place,
      `random.settings.${name} must go from a smaller to a larger number, above 0 with scale log, got ${from} to ${to}`,
    );
}

function wrong(place: string, rule: string): EmacError {
  return new EmacError('config', `${place}: ${rule}`);
}

/** Every cell, the seeds of one choice of settings next to each other. */
export function sweepCells({ grid, random, seeds }: SweepFile): SweepCell[] {
  const draws = random === null ? [{}] : drawsOf(random);
  const choices = draws.flatMap((drawn) => combinations(grid).map((chosen) => ({ ...chosen, ...drawn })));
  return choices.flatMap((settings, number) => seeds.map((seed) => ({ number, settings, seed })));
}

/** The last setting changes fastest. */
function combinations(grid: SweepFile['grid']): Settings[] {
  return Object.entries(grid).reduce<Settings[]>(
    (before, [name, given]) => before.flatMap((some) => given.map((value) => ({ ...some, [name]: value }))),
    [{}],
  );
}

/** A draw depends on the seed, its number and the setting's name alone, so that more draws keep the first ones. */
function drawsOf({ draws, seed, settings }: NonNullable<SweepFile['random']>): Settings[] {
  const random = Random.fromSeed(seed).stream('sweep');
  return Array.from({ length: draws }, (_, draw) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, given]) => [name, drawn(given, random.stream(draw).stream(name))]),
    ),
  );
}

function drawn(given: readonly unknown[] | Range, random: Random): unknown {
  if (Array.isArray(given)) return random.pick(given as readonly unknown[]);
  const asked = given as Range;
  return asked.whole ? wholeIn(asked, random) : Number(within(asked, random).toPrecision(4));
}

function within({ from, to, scale }: Range, random: Random): number {
  const share = random.uniform();
  return scale === 'linear' ? from + share * (to - from) : from * (to / from) ** share;
}

/** Each number has its share of the range, the ends too. */
function wholeIn({ from, to, scale, whole: isWhole }: Range, random: Random): number {
  const [low, high] = [Math.ceil(from), Math.floor(to)];
  const found = within({ from: low, to: high + 1, scale, whole: isWhole }, random);
  return Math.min(high, Math.max(low, Math.floor(found)));
}
