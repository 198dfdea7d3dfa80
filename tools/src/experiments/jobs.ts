/** The runs behind the tables of results, as commands of `emac`; each runs once, and trainings resume. */
import type { Observe } from '@emac/prompt';

/** A training, and the evaluations of its policy. */
export interface Job {
  /** also the name of its folder */
  readonly name: string;
  /** flags of `emac train`, but --out; null: nothing is trained, the shipped model itself is evaluated */
  readonly train: readonly string[] | null;
  /** the job with the run for `--ref` */
  readonly reference?: string;
  /** the job with the run for `--init` */
  readonly start?: string;
  /** the dataset for `--data`, created first */
  readonly dataset?: Dataset;
  /** evaluations by name: flags of `emac eval`, but --ckpt and --out */
  readonly evaluations: Readonly<Record<string, readonly string[]>>;
  /** suites that are also played with frames that show something else (`other-frames.ts`) */
  readonly framesOf?: Readonly<Record<string, string>>;
  /** what is added to all visual tokens of the shipped model before its evaluation (`constant-vector.ts`) */
  readonly vector?: {
    readonly name: string;
    /** the job whose run has the projection to compare with; absent for a word */
    readonly trainedBy?: string;
  };
}

/** The expert's labels of games that are played before the training. */
export interface Dataset {
  /** the job with the policy that plays, or whose form of observing is taken where the expert plays */
  readonly playedBy: string;
  /** flags of `emac collect`, but --ckpt and --out */
  readonly collect: readonly string[];
  /** seed for permuting the labels (`permute-labels.ts`); null: not permuted */
  readonly permuted: number | null;
}

export interface Sources {
  /** a folder of real ALFWorld games with train, valid_seen and (if it is there) valid_unseen; null: built-in games alone */
  readonly real: string | null;
  readonly hasUnseen: boolean;
}

const seeds = [0, 1, 2];

/** Seeds of the two commands of the README, fixed before any was tried. */
const defaultSeeds = [0, 1, 2, 3, 4];
const forms: readonly Observe[] = ['image', 'both', 'text'];
const ways = ['projection', 'lora', 'projection,lora'] as const;

/** Training games of a point of the label curve. */
export const labelledGames = [1, 3, 10, 30, 100, 300] as const;

interface Change {
  /** in the table */
  readonly said: string;
  readonly flags: readonly string[];
}

const studentActs = ['--act-with', 'student'];

/** Changes of the second phase, by name. */
export const preferenceChanges: Readonly<Record<string, Change>> = {
  'student-acts': { said: 'the student acts (as published)', flags: studentActs },
  'student-failed': {
    said: 'the student acts, failed games alone (published code)',
    flags: [...studentActs, '--train-after', 'failed'],
  },
  'no-mix': { said: '`--mix-ratio 0`', flags: ['--mix-ratio', '0'] },
  'no-mix-student': {
    said: '`--mix-ratio 0`, the student acts',
    flags: ['--mix-ratio', '0', ...studentActs],
  },
  'beta-1': { said: '`--beta 1`', flags: ['--beta', '1'] },
  'rate-4': { said: 'four times the rate', flags: ['--lr', '2e-3'] },
  'rate-quarter': { said: 'a quarter of the rate', flags: ['--lr', '1.25e-4'] },
  'more-bc': { said: 'more bc instead, as many games', flags: ['--phase', 'bc'] },
};

/** All jobs, shortest first where order is free. */
export function jobsOf(sources: Sources): Job[] {
  return [
    ...untouched(sources),
    ...defaultRuns(sources),
    ...labelCurve(),
    ...constantVectors(),
    ...controls(),
    ...acting(),
    ...preferences(),
    ...afterImitation(),
    ...(sources.real === null ? [] : trainedOnReal(sources)),
  ];
}

/** The suite of the README's commands. */
export const demonstrated = 'builtin valid_unseen';
const readme = { [demonstrated]: ['--games', 'builtin:valid_unseen', '--num-games', '100'] };

function untouched(sources: Sources): Job[] {
  return forms.map((form) => ({
    name: `untouched-${form}`,
    train: null,
    evaluations: heldOut(sources, ['--observe', form]),
  }));
}

const seeded = (seed: number) => ['--seed', String(seed), '--eval-games', '0'];

/** The two commands of the README. */
function defaultRuns(sources: Sources): Job[] {
  const framesOf = sources.real === null ? {} : { 'real valid_seen': `${sources.real}/valid_seen` };
  const evaluations = heldOut(sources);
  return [
    ...defaultSeeds.map((seed) => ({
      name: `default-bc-${seed}`,
      train: ['--phase', 'bc', ...seeded(seed)],
      evaluations,
      framesOf,
    })),
    ...defaultSeeds.map((seed) => ({
      name: `default-dpo-${seed}`,
      train: ['--phase', 'dpo', ...seeded(seed)],
      reference: `default-bc-${seed}`,
      evaluations,
    })),
  ];
}

/** Imitation of more and more games, each label drawn about equally often. */
function labelCurve(): Job[] {
  return labelledGames.flatMap((games) =>
    ways.flatMap((way) =>
      seeds.map((seed) => ({
        name: `labels-${games}-${way.replace(',', '-')}-${seed}`,
        train: ['--phase', 'bc', '--games-per-round', String(games), '--train', way, ...seeded(seed)],
        evaluations: readme,
      })),
    ),
  );
}

/** The untouched model with one vector added to all of its visual tokens. */
function constantVectors(): Job[] {
  const added = (name: string, vector: NonNullable<Job['vector']>): Job => ({
    name: `constant-${name}`,
    train: null,
    vector,
    evaluations: readme,
  });
  return [
    ...['good', 'poor'].map((word) => added(`${word}-0`, { name: word })),
    ...seeds.flatMap((seed) => {
      const trainedBy = `default-bc-${seed}`;
      return [
        added(`mean-change-${seed}`, { name: 'mean-change', trainedBy }),
        added(`random-${seed}`, { name: `random-${seed}`, trainedBy }),
      ];
    }),
  ];
}

/** Meaningless labels. */
function controls(): Job[] {
  return seeds.flatMap((seed) => [
    {
      name: `control-random-labels-${seed}`,
      train: ['--phase', 'bc', '--expert-noise', '1', ...seeded(seed)],
      evaluations: readme,
    },
    onDataset('dataset', { seed, permuted: null }),
    onDataset('control-permuted-labels', { seed, permuted: seed }),
  ]);
}

/** Training from frames on labels of the expert's own play, intact or permuted, with three passes over it. */
function onDataset(name: string, { seed, permuted }: { seed: number; permuted: number | null }): Job {
  const games = ['--games', 'builtin:train', '--num-games', '250', '--seed', String(seed)];
  return {
    name: `${name}-${seed}`,
    dataset: { playedBy: `default-bc-${seed}`, collect: [...games, '--act-with', 'expert'], permuted },
    train: ['--phase', 'bc', '--epochs', '3', '--observe', 'image', ...seeded(seed)],
    evaluations: readme,
  };
}

/** Who acts while the expert labels. */
function acting(): Job[] {
  const halves = ['--rounds', '2', '--games-per-round', '125'];
  const ways = {
    'student-acts': ['--act-with', 'student'],
    'expert-then-student': [...halves, '--act-with', 'mixture', '--expert-decay', '0'],
  };
  return Object.entries(ways).flatMap(([name, flags]) =>
    seeds.map((seed) => ({
      name: `acting-${name}-${seed}`,
      train: ['--phase', 'bc', ...flags, ...seeded(seed)],
      evaluations: readme,
    })),
  );
}

/** The second command with one setting changed. */
function preferences(): Job[] {
  return Object.entries(preferenceChanges).flatMap(([name, { flags }]) =>
    seeds.map((seed): Job => {
      const isMore = name === 'more-bc';
      return {
        name: `preferences-${name}-${seed}`,
        train: isMore
          ? [...flags, '--games-per-round', '500', ...seeded(seed)]
          : ['--phase', 'dpo', ...flags, ...seeded(seed)],
        [isMore ? 'start' : 'reference']: `default-bc-${seed}`,
        evaluations: readme,
      };
    }),
  );
}

/** 320 attempts in groups, without a penalty for leaving the start. */
const attempts = [
  ...['--env', 'alfworld', '--prompts-per-update', '4', '--updates', '10'],
  ...['--beta', '0', '--lr', '1e-3', '--minibatch-size', '600'],
];

/** What goes on from one policy after imitation, for about as many steps of the student in games; by name of the job. */
export const continuations = {
  bc: [...studentActs, '--games-per-round', '300'],
  dpo: [...studentActs, '--games-per-round', '300'],
  grpo: attempts,
  gigpo: attempts,
  hgpo: attempts,
  ppo: [
    '--env',
    'alfworld',
    '--num-processes',
    '16',
    '--num-steps',
    '30',
    '--steps',
    '7680',
    '--batch-size',
    '480',
    '--lr',
    '3e-3',
  ],
};

/** The step limit of the other tables, whatever the training's own. */
const asLong = { [demonstrated]: [...readme[demonstrated]!, '--max-steps', '50'] };

/** After imitation of 100 games: more imitation, preferences or reward? */
function afterImitation(): Job[] {
  return defaultSeeds.flatMap((seed) => [
    {
      name: `start-${seed}`,
      train: ['--phase', 'bc', '--games-per-round', '100', ...seeded(seed)],
      evaluations: readme,
    },
    ...Object.entries(continuations).map(([method, flags]): Job => ({
      name: `after-${method}-${seed}`,
      train: ['--method', method, ...flags, '--train', 'projection', '--max-steps', '30', ...seeded(seed)],
      [method === 'dpo' ? 'reference' : 'start']: `start-${seed}`,
      evaluations: asLong,
    })),
  ]);
}

/** The two commands on ALFWorld's games. */
function trainedOnReal(sources: Sources): Job[] {
  return seeds.flatMap((seed): Job[] => {
    const flags = ['--games', `${sources.real}/train`, ...seeded(seed)];
    const bc = `real-bc-${seed}`;
    return [
      { name: bc, train: ['--phase', 'bc', ...flags], evaluations: heldOut(sources) },
      {
        name: `real-dpo-${seed}`,
        train: ['--phase', 'dpo', ...flags],
        reference: bc,
        evaluations: heldOut(sources),
      },
    ];
  });
}

/** Games that nothing is trained on: all real ones, so many of an endless suite. */
export interface Suite {
  readonly name: string;
  readonly source: string;
  /** null: all */
  readonly games: number | null;
}

export function suitesOf({ real, hasUnseen }: Sources): Suite[] {
  return [
    ...(real === null ? [] : [{ name: 'real valid_seen', source: `${real}/valid_seen`, games: null }]),
    ...(hasUnseen ? [{ name: 'real valid_unseen', source: `${real}/valid_unseen`, games: null }] : []),
    { name: 'builtin valid_seen', source: 'builtin:valid_seen', games: 100 },
    { name: 'builtin valid_unseen', source: 'builtin:valid_unseen', games: 100 },
  ];
}

function heldOut(sources: Sources, flags: readonly string[] = []): Job['evaluations'] {
  const count = (games: number | null) => (games === null ? [] : ['--num-games', String(games)]);
  return Object.fromEntries(
    suitesOf(sources).map(({ name, source, games }) => [
      name,
      ['--games', source, ...count(games), ...flags],
    ]),
  );
}
