/** Settings without meaning unless another one is present (or absent): giving them is a mistake. */
import { isDeepStrictEqual } from 'node:util';
import { learnsPairs, phases } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { expertActs, policyActs } from '@emac/rollout';
import { merged } from '@emac/settings';
import { configured, isSetting, valueAtPath } from '../options/configured.ts';
import { isSaid, type Layer } from '../options/layers.ts';
import type { OptionTable } from '../options/option.ts';
import { languageModelFlags, remoteWorldFlags } from './shared-settings.ts';

export interface Belonging {
  /** names of flags: their settings are judged in every place */
  readonly flags: readonly string[];
  /** only the flag is judged: other places give the setting as part of a group, and the group says what it depends on */
  readonly isJudgedAsFlagAlone?: boolean;
  /** true if the setting has a meaning */
  readonly isMeant: (settings: object) => boolean;
  /** the condition they depend on, e.g. `--data, which was not given` */
  readonly to: string;
}

export interface Judged {
  readonly table: OptionTable;
  /** flags as typed */
  readonly values: Readonly<Record<string, unknown>>;
  /** weakest first; the last is the flags */
  readonly layers: readonly Layer[];
  /** every setting's default, the preset included */
  readonly defaults: object;
  /** requested phases, for commands with phases */
  readonly phase?: string;
}

/**
 * Rejects settings given without the one they depend on, from any place. A file may repeat values already in effect. The `config.yaml` of a run is not judged,
 * because it names every setting. Errors: `usage`, `config` for a file's settings.
 */
export function requireMeant(rules: readonly Belonging[], judged: Judged): void {
  for (const rule of rules) {
    const place =
      flagOutOfPlace(rule, judged) ?? (rule.isJudgedAsFlagAlone ? null : outOfPlace(rule, judged));
    if (place !== null)
      throw new EmacError(place.isOfFile ? 'config' : 'usage', `${place.words}: belongs to ${rule.to}`);
  }
}

interface Place {
  readonly words: string;
  readonly isOfFile: boolean;
}

/** The rule's own flags do not count towards its condition. */
function flagOutOfPlace({ flags, isMeant }: Belonging, judged: Judged): Place | null {
  const { table, values } = judged;
  const flag = flags.find((each) => values[each] !== undefined);
  if (flag === undefined) return null;
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !flags.includes(name)));
  const below = settled(judged, judged.layers.slice(0, -1));
  const settings = merged(below, configured(table, others, { standard: below })) as object;
  return isMeant(settings) ? null : { words: `--${flag}`, isOfFile: false };
}

function outOfPlace({ flags, isMeant }: Belonging, judged: Judged): Place | null {
  if (isMeant(settled(judged, judged.layers))) return null;
  const paths = flags.flatMap((flag) => {
    const option = judged.table[flag];
    return option && isSetting(option) ? option.paths : [];
  });
  for (const layer of judged.layers.slice(0, -1).reverse()) {
    const path = paths.find((each) => isGiven(each, layer, judged.defaults));
    if (path !== undefined) return placeOf(path, layer);
  }
  return null;
}

function settled({ defaults, phase }: Judged, layers: readonly Layer[]): object {
  const settings = layers.reduce<unknown>((below, each) => merged(below, each.settings), defaults) as object;
  return phase === undefined ? settings : { ...settings, phase };
}

function isGiven(path: string, layer: Layer, defaults: object): boolean {
  const value = valueAtPath(layer.settings, path);
  if (value === undefined || value === null || layer.isOfRun) return false;
  if (layer.paths) return isSaid(layer, path);
  return !isDeepStrictEqual(value, valueAtPath(defaults, path));
}

function placeOf(path: string, { origin, settings, paths }: Layer): Place {
  if (!paths) return { words: `--config ${origin}: ${path}`, isOfFile: true };
  const isWord = origin === 'SETTING=VALUE';
  return { words: isWord ? `${path}=${shown(valueAtPath(settings, path))}` : origin, isOfFile: false };
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const ofDataset = (settings: object): boolean => valueAtPath(settings, 'dataset.data') != null;
const ofData = (settings: object): boolean => valueAtPath(settings, 'data') != null;
const expertIs = (kind: string) => (settings: object) => valueAtPath(settings, 'expert.kind') === kind;

const ofLanguageModels: Belonging = {
  flags: languageModelFlags,
  isMeant: expertIs('openai'),
  to: '--expert openai, which was not given',
};

const ofScriptedExperts: Belonging = {
  flags: ['expert-noise'],
  isMeant: (settings) => !expertIs('openai')(settings),
  to: 'scripted experts, not to --expert openai',
};

const mixtureMissing = '--act-with mixture, which was not given';

const worldConnects = (settings: object): boolean => valueAtPath(settings, 'world.kind') === 'http';

const ofRemoteWorlds: Belonging = {
  flags: remoteWorldFlags,
  isMeant: worldConnects,
  to: '--world http, which was not given',
};

const ofOwnWorld: Belonging = {
  flags: ['games'],
  isMeant: (settings) => !worldConnects(settings),
  to: 'emac’s own world; with --world http the client has the games',
};

const ofAdapters: Belonging = {
  flags: ['lora-rank', 'lora-alpha', 'lora-dropout', 'lora-targets'],
  isMeant: (settings) => String(valueAtPath(settings, 'trained.parts')).includes('lora'),
  to: '--train lora, which was not given',
};

/** Flags of `emac ppo`. */
export const ppoBelonging: readonly Belonging[] = [ofAdapters, ofRemoteWorlds];

const advantagesAre =
  (...names: readonly string[]) =>
  (settings: object): boolean =>
    names.includes(String(valueAtPath(settings, 'losses.advantages')));

/** Flags of `emac grpo`. */
export const grpoBelonging: readonly Belonging[] = [
  ...ppoBelonging,
  {
    flags: ['kl-in', 'kl-estimator'],
    isMeant: (settings) => valueAtPath(settings, 'losses.beta') !== 0,
    to: '--beta above 0, which is 0 here',
  },
  {
    flags: ['gamma'],
    isMeant: advantagesAre('steps', 'history'),
    to: '--method gigpo or hgpo, which compare steps',
  },
  { flags: ['step-weight'], isMeant: advantagesAre('steps'), to: '--method gigpo' },
  { flags: ['history', 'history-exponent'], isMeant: advantagesAre('history'), to: '--method hgpo' },
  {
    flags: ['scale-rewards'],
    isMeant: (settings) => !advantagesAre('leave-one-out')(settings),
    to: 'advantages that are divided by a deviation; those of --advantages leave-one-out are not',
  },
  {
    flags: ['redraws'],
    isMeant: (settings) => !advantagesAre('batch')(settings),
    to: 'advantages within a group; with --advantages batch attempts that earn the same teach too',
  },
  {
    flags: ['micro-batch-size'],
    isMeant: (settings) => valueAtPath(settings, 'losses.normalization') === 'bnpo',
    to: '--loss-type bnpo, which was not given',
  },
];

/** Flags of `emac train` without meaning for a dataset. */
const playing = [
  'games',
  'rounds',
  'games-per-round',
  'curriculum',
  'episodes-per-update',
  'stop-repeating',
  'no-stop-repeating',
  'no-skip-solved',
  'act-with',
  'expert-probability',
  'expert-decay',
  'student-memory',
  'sample-temperature',
  'train-after',
  'train-on',
  'departure-steps',
  'updates-per-episode',
  'expert',
  'expert-noise',
  'imitate-thoughts',
  'probe',
  'carry',
  'world',
];

const learnsFromPairs = (settings: object): boolean => {
  const asked = String(valueAtPath(settings, 'phase')).split(',');
  return phases.some((each) => learnsPairs(each) && asked.includes(each));
};

export const trainBelonging: readonly Belonging[] = [
  {
    flags: ['curriculum-games', 'curriculum-alpha', 'curriculum-temp', 'curriculum-min-prob'],
    isMeant: (settings) => valueAtPath(settings, 'curriculum.formula') != null,
    to: '--curriculum, which was not given',
  },
  {
    flags: playing,
    isMeant: (settings) => !ofDataset(settings),
    to: 'training on games, but --data has none',
  },
  {
    flags: ['images', 'val', 'epochs', 'max-updates', 'checkpoint-every', 'skip-bad-records'],
    isMeant: ofDataset,
    to: '--data, which was not given',
  },
  {
    flags: ['carry'],
    isMeant: learnsFromPairs,
    to: '--phase dpo, which runs after --phase bc',
  },
  {
    flags: ['loss', 'beta', 'mix-ratio', 'label-smoothing', 'reference-free', 'sum-log-probs', 'agreed'],
    isMeant: learnsFromPairs,
    to: '--phase dpo, which learns from pairs',
  },
  ofAdapters,
  {
    flags: ['expert-probability', 'expert-decay'],
    isJudgedAsFlagAlone: true,
    isMeant(settings) {
      const share = valueAtPath(settings, 'play.expertShare');
      return !isDeepStrictEqual(share, policyActs) && !isDeepStrictEqual(share, expertActs);
    },
    to: mixtureMissing,
  },
  {
    flags: ['departure-steps'],
    isMeant: (settings) => valueAtPath(settings, 'samples.selection.keep') === 'departure',
    to: '--train-on departure, which was not given',
  },
  ofScriptedExperts,
  ofLanguageModels,
  ofRemoteWorlds,
  ofOwnWorld,
];

export const evalBelonging: readonly Belonging[] = [
  { flags: ['images'], isMeant: ofData, to: '--data, which was not given' },
  {
    flags: ['games', 'num-games', 'attempts', 'temperature', 'max-steps', 'admissible-only', 'world', 'gif'],
    isMeant: (settings) => !ofData(settings),
    to: 'games, but --data has none',
  },
  ofRemoteWorlds,
  ofOwnWorld,
];

/** Flags of `emac collect --env`. */
export const environmentCollectBelonging: readonly Belonging[] = [
  {
    // EMAC_PARALLEL_EPISODES may be meant for other commands
    flags: ['parallel-episodes'],
    isJudgedAsFlagAlone: true,
    isMeant: expertIs('openai'),
    to: '--expert openai, which was not given',
  },
  ofLanguageModels,
];

/** Flags of `emac collect --rlds`. */
export const rldsCollectBelonging: readonly Belonging[] = [
  {
    // EMAC_SEED may be meant for other commands
    flags: ['seed'],
    isJudgedAsFlagAlone: true,
    isMeant: (settings) => valueAtPath(settings, 'mixture') != null,
    to: '--mixture, which was not given; one dataset is read in its order',
  },
];

export const collectBelonging: readonly Belonging[] = [
  {
    flags: ['expert-probability'],
    isMeant: (settings) => valueAtPath(settings, 'actWith') === 'mixture',
    to: mixtureMissing,
  },
  ofScriptedExperts,
  ofLanguageModels,
  ofRemoteWorlds,
  ofOwnWorld,
];
