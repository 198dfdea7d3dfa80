/** Flags that say nothing without another one, or beside it: given all the same, they are a mistake. */
import { EmacError } from '@emac/core';
import { languageModelFlags } from './shared-settings.ts';

type Given = Readonly<Record<string, unknown>>;

export interface Belonging {
  readonly flags: readonly string[];
  /** true where such a flag has a meaning */
  readonly isMeant: (given: Given) => boolean;
  /** what they belong to, e.g. `--data, which was not given` */
  readonly to: string;
}

/** Errors: `usage` naming a flag that was given without what it belongs to. */
export function requireMeant(given: Given, rules: readonly Belonging[]): void {
  for (const { flags, isMeant, to } of rules) {
    const flag = flags.find((each) => given[each] !== undefined);
    if (flag !== undefined && !isMeant(given)) throw new EmacError('usage', `--${flag}: belongs to ${to}`);
  }
}

const hasData = ({ data }: Given): boolean => data !== undefined;
const hasGames = ({ data }: Given): boolean => data === undefined;

const ofLanguageModels: Belonging = {
  flags: languageModelFlags,
  isMeant: ({ expert }) => expert === 'openai',
  to: '--expert openai, which was not asked for',
};

const ofScriptedExperts: Belonging = {
  flags: ['expert-noise'],
  isMeant: ({ expert }) => expert !== 'openai',
  to: 'scripted experts, not to --expert openai',
};

const ofMixtures: Belonging = {
  flags: ['expert-probability', 'expert-decay'],
  isMeant: (given) => given['act-with'] === 'mixture',
  to: '--act-with mixture, which was not asked for',
};

/** Those of `emac train` that a dataset has no use for. */
const playing = [
  'games',
  'rounds',
  'games-per-round',
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
];

export const trainBelonging: readonly Belonging[] = [
  { flags: playing, isMeant: hasGames, to: 'training on games, --data has none' },
  {
    flags: ['images', 'val', 'epochs', 'checkpoint-every', 'skip-bad-records'],
    isMeant: hasData,
    to: '--data, which was not given',
  },
  {
    flags: ['carry'],
    isMeant: ({ phase }) => phase !== 'bc',
    to: '--phase dpo, which has a run of --phase bc before it',
  },
  ofMixtures,
  {
    flags: ['departure-steps'],
    isMeant: (given) => given['train-on'] === 'departure',
    to: '--train-on departure, which was not asked for',
  },
  ofScriptedExperts,
  ofLanguageModels,
];

export const evalBelonging: readonly Belonging[] = [
  { flags: ['images'], isMeant: hasData, to: '--data, which was not given' },
  {
    flags: ['games', 'num-games', 'max-steps', 'admissible-only', 'gif'],
    isMeant: hasGames,
    to: 'games, --data has none',
  },
];

export const collectBelonging: readonly Belonging[] = [ofMixtures, ofScriptedExperts, ofLanguageModels];
