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
}

/** The expert's labels of the states that a trained policy reaches. */
export interface Dataset {
  /** the job with the acting policy */
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

/** Not used while tuning the runs on a single game (on train games, seeds 20 to 23). */
const freshSeeds = [0, 1, 2, 3, 4];
const forms: readonly Observe[] = ['both', 'text', 'image'];

/** All jobs, shortest first where order is free. */
export function jobsOf(sources: Sources): Job[] {
  return [
    ...untouched(sources),
    ...defaultRuns(),
    ...(sources.real === null
      ? []
      : [...trainedOnReal(sources), ...expertFirst(sources), ...scarceLabels(sources), ...studies(sources)]),
  ];
}

function untouched(sources: Sources): Job[] {
  return forms.map((form) => ({
    name: `untouched-${form}`,
    train: null,
    evaluations: heldOut(sources, ['--observe', form]),
  }));
}

/** The README's results, with seeds other than 0. */
function defaultRuns(): Job[] {
  const suite = { README: ['--games', 'builtin:valid_unseen', '--num-games', '20'] };
  return [0, 1, 2, 3, 4].flatMap((seed) => {
    const flags = ['--seed', String(seed), '--eval-games', '0'];
    const bc: Job = {
      name: `default-bc-${seed}`,
      train: ['--phase', 'bc', ...flags],
      evaluations: suite,
    };
    const dpo: Job = {
      name: `default-dpo-${seed}`,
      train: ['--phase', 'dpo', ...flags],
      reference: bc.name,
      evaluations: suite,
    };
    return [bc, dpo];
  });
}

const realTraining = (sources: Sources, seed: number, games = 24) => [
  ...['--games', `${sources.real}/train`, '--games-per-round', String(games), '--rounds', '3'],
  ...['--seed', String(seed), '--eval-games', '0'],
];

/** Further flags needed by a form of observing. */
const formFlags = (form: Observe) => [
  '--observe',
  form,
  ...(form === 'image' ? ['--preset', 'tiny-image'] : []),
];

/** Both phases on 24 real train games, in every form of observing. */
function trainedOnReal(sources: Sources): Job[] {
  return forms.flatMap((form) =>
    seeds.flatMap((seed) => {
      const flags = [...realTraining(sources, seed), ...formFlags(form)];
      const evaluations = heldOut(sources);
      const framesOf = form === 'image' ? { 'real valid_seen': `${sources.real}/valid_seen` } : {};
      const bc: Job = {
        name: `bc-${form}-${seed}`,
        train: ['--phase', 'bc', ...flags],
        evaluations,
        framesOf,
      };
      const dpo: Job = {
        name: `dpo-${form}-${seed}`,
        train: ['--phase', 'dpo', ...flags],
        reference: bc.name,
        evaluations,
      };
      return [bc, dpo];
    }),
  );
}

/**
 * Frames alone, with the expert acting in the first round: DAgger's β of 1, then 0 (Ross, Gordon and Bagnell 2011,
 * §3.1).
 */
function expertFirst(sources: Sources): Job[] {
  const acting = ['--act-with', 'mixture', '--expert-probability', '1', '--expert-decay', '0'];
  return seeds.flatMap((seed) => {
    const flags = [...realTraining(sources, seed), ...formFlags('image')];
    const evaluations = heldOut(sources);
    const bc: Job = {
      name: `expert-first-bc-${seed}`,
      train: ['--phase', 'bc', ...flags, ...acting],
      evaluations,
      framesOf: { 'real valid_seen': `${sources.real}/valid_seen` },
    };
    const dpo: Job = {
      name: `expert-first-dpo-${seed}`,
      train: ['--phase', 'dpo', ...flags],
      reference: bc.name,
      evaluations,
    };
    return [bc, dpo];
  });
}

/** BC on a single game, which often learns little; from there DPO on 24 games, or as a control more BC on them. */
function scarceLabels(sources: Sources): Job[] {
  const games = (count: number, rounds: number) => [
    ...['--games', `${sources.real}/train`, '--games-per-round', String(count), '--rounds', String(rounds)],
    ...['--eval-games', '0'],
  ];
  const evaluations = { 'real valid_seen': heldOut(sources)['real valid_seen']! };
  return (['both', 'image'] as const).flatMap((form) =>
    freshSeeds.flatMap((seed) => {
      const flags = [...formFlags(form), '--seed', String(seed)];
      const bc = `one-game-bc-${form}-${seed}`;
      // the original choice, before the presets learned from failures alone
      const after = form === 'image' ? ['--train-after', 'every-episode'] : [];
      const from = { start: bc, evaluations };
      return [
        { name: bc, train: ['--phase', 'bc', ...games(1, 1), ...flags], evaluations },
        {
          name: `one-game-dpo-${form}-${seed}`,
          train: ['--phase', 'dpo', ...games(24, 2), ...flags, ...after],
          reference: bc,
          evaluations,
        },
        ...(form === 'both'
          ? [
              {
                name: `one-game-every-both-${seed}`,
                train: ['--phase', 'dpo', ...games(24, 2), ...flags, '--train-after', 'every-episode'],
                reference: bc,
                evaluations,
              },
            ]
          : []),
        {
          name: `one-game-more-${form}-${seed}`,
          train: ['--phase', 'bc', ...games(24, 2), ...flags],
          ...from,
        },
      ];
    }),
  );
}

/** One thing changed at a time, against `bc-both`. */
function studies(sources: Sources): Job[] {
  const seen = { 'real valid_seen': heldOut(sources)['real valid_seen']! };
  const study = (name: string, flags: readonly string[], games = 24) =>
    seeds.map((seed): Job => {
      return {
        name: `${name}-${seed}`,
        train: ['--phase', 'bc', ...realTraining(sources, seed, games), ...flags],
        evaluations: seen,
      };
    });
  return [
    ...study('control-random-labels', ['--expert-noise', '1']),
    ...seeds.flatMap((seed) => [
      onDataset('dataset', sources, { seed, permuted: null }),
      onDataset('control-permuted-labels', sources, { seed, permuted: seed }),
    ]),
    ...study('cloning', ['--act-with', 'expert']),
    ...study('memories', ['--student-memory']),
    ...[1, 3, 6, 12].flatMap((games) => study(`labels-${games}`, [], games)),
  ];
}

/**
 * Training on labels of states that the trained policy reaches in the same games, intact or permuted. With about 200
 * samples, 8 passes are about as many updates as three rounds of play.
 */
function onDataset(
  name: string,
  sources: Sources,
  { seed, permuted }: { seed: number; permuted: number | null },
): Job {
  const games = ['--games', `${sources.real}/train`, '--num-games', '24', '--seed', String(seed)];
  return {
    name: `${name}-${seed}`,
    dataset: {
      playedBy: `bc-both-${seed}`,
      collect: [...games, '--act-with', 'student', '--stop-repeating'],
      permuted,
    },
    train: ['--phase', 'bc', '--epochs', '8', '--seed', String(seed), '--eval-games', '0'],
    evaluations: { 'real valid_seen': heldOut(sources)['real valid_seen']! },
  };
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
