/** The runs behind the tables of results, as commands of `emac`; each is done once, and those that learn go on where they stopped. */
import type { Observe } from '@emac/prompt';

/** A training, and the evaluations of what it made. */
export interface Job {
  /** also the name of its folder */
  readonly name: string;
  /** flags of `emac train`, but --out; null: nothing is trained, the shipped model itself is evaluated */
  readonly train: readonly string[] | null;
  /** the job whose run `--ref` names */
  readonly reference?: string;
  /** evaluations by name: flags of `emac eval`, but --ckpt and --out */
  readonly evaluations: Readonly<Record<string, readonly string[]>>;
}

export interface Sources {
  /** a folder of real ALFWorld games with train, valid_seen and (if it is there) valid_unseen; null: built-in games alone */
  readonly real: string | null;
  readonly hasUnseen: boolean;
}

const seeds = [0, 1, 2];
const forms: readonly Observe[] = ['both', 'text', 'image'];

/** Everything, shortest first where it does not matter. */
export function jobsOf(sources: Sources): Job[] {
  return [
    ...untouched(sources),
    ...defaultRuns(),
    ...(sources.real === null ? [] : [...trainedOnReal(sources), ...studies(sources)]),
  ];
}

function untouched(sources: Sources): Job[] {
  return forms.map((form) => ({
    name: `untouched-${form}`,
    train: null,
    evaluations: heldOut(sources, ['--observe', form]),
  }));
}

/** What the README shows, and that seed 0 is not a lucky one. */
function defaultRuns(): Job[] {
  const suite = { 'builtin valid_unseen': ['--games', 'builtin:valid_unseen'] };
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

/** Both phases on 24 real train games, in every form of observing. */
function trainedOnReal(sources: Sources): Job[] {
  return forms.flatMap((form) =>
    seeds.flatMap((seed) => {
      const flags = [...realTraining(sources, seed), '--observe', form];
      const evaluations = heldOut(sources);
      const bc: Job = { name: `bc-${form}-${seed}`, train: ['--phase', 'bc', ...flags], evaluations };
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
    ...study('cloning', ['--act-with', 'expert']),
    ...study('memories', ['--student-memory']),
    ...[1, 3, 6, 12].flatMap((games) => study(`labels-${games}`, [], games)),
  ];
}

function heldOut({ real, hasUnseen }: Sources, flags: readonly string[] = []): Job['evaluations'] {
  const suites: [string, string][] = [
    ...(real === null ? [] : [['real valid_seen', `${real}/valid_seen`] as [string, string]]),
    ...(hasUnseen ? [['real valid_unseen', `${real}/valid_unseen`] as [string, string]] : []),
    ['builtin valid_unseen', 'builtin:valid_unseen'],
  ];
  return Object.fromEntries(suites.map(([name, games]) => [name, ['--games', games, ...flags]]));
}
