/** What a person has chosen on the page: the run that it means, its place, and the command that does the same. */
import type { Asked, Collecting } from '../tab/messages.ts';
import { ownEnvironment, type Catalogue, type Family, type OfferedSetting } from './catalogue.ts';

export interface Choice {
  readonly environment: string;
  readonly policy: string;
  readonly method: string;
  /** games, recorded steps, environment steps or updates, by the method */
  readonly amount: number;
  readonly seed: number;
  /** held-out episodes before training and after it */
  readonly evaluated: number;
  /** who labels, for methods that learn from labels: `human` is the person at the page; default the environment’s own */
  readonly expert?: 'own' | 'human';
  /** other settings, as texts by their flags */
  readonly others?: Readonly<Record<string, string>>;
  /** the module of an environment of one's own */
  readonly code?: string;
}

interface Amount {
  readonly unit: string;
  /** the usual amount for a language model and for a small network */
  readonly usual: readonly [model: number, network: number];
  readonly settings: (amount: number) => Readonly<Record<string, number>>;
}

/** The command's own defaults for a dataset. */
const fineTuned = { train: 'lora' } as const;

/** What a person is asked about: games of a first round in which the person acts, and of a second in which the policy is corrected. */
const taught: Amount = {
  unit: 'Games in each of two rounds',
  usual: [3, 5],
  settings: (amount) => ({ rounds: 2, 'games-per-round': amount }),
};

/** The same for pairs, which need more games. */
const corrected: Amount = { ...taught, usual: [3, 20] };

/** The same for a dataset. */
const labelled: Amount = { unit: 'Steps that you label', usual: [20, 20], settings: () => ({}) };

/** What the amount counts, by the flags that set it. */
const amounts: Readonly<Record<Family, Amount>> = {
  train: {
    unit: 'Games',
    usual: [60, 256],
    settings: (amount) => ({ rounds: 1, 'games-per-round': amount }),
  },
  sft: { unit: 'Recorded steps of the expert', usual: [120, 120], settings: () => ({}) },
  ppo: { unit: 'Environment steps', usual: [9600, 16384], settings: (amount) => ({ steps: amount }) },
  grpo: { unit: 'Updates', usual: [5, 40], settings: (amount) => ({ updates: amount }) },
};

/** The meaning of a choice's amount. */
export function amountOf(
  { method, expert }: Pick<Choice, 'method' | 'expert'>,
  catalogue: Catalogue,
): Amount {
  const family = familyOf(method, catalogue);
  if (expert !== 'human' || !hasExpert(family)) return amounts[family];
  if (family === 'sft') return labelled;
  const { hasPairs = false } = catalogue.methods.find(({ name }) => name === method) ?? {};
  return hasPairs ? corrected : taught;
}

/** Whether methods of a family learn from labels, whoever gives them. */
export function hasExpert(family: Family): boolean {
  return family === 'train' || family === 'sft';
}

/** Whether a policy is a network that learns in seconds. */
export function isSmallNetwork(policy: string): boolean {
  return policy === 'mlp' || policy === 'cnn';
}

/** The family of a method by its name. */
export function familyOf(method: string, { methods }: Pick<Catalogue, 'methods'>): Family {
  return methods.find(({ name }) => name === method)?.family ?? 'train';
}

/** Where the run of a choice lies: the same choice continues it. */
export function folderOf(choice: Choice): string {
  const { environment, policy, method, amount, seed, evaluated, expert = 'own', others = {}, code } = choice;
  const said = Object.entries(others).map(([flag, text]) => `${flag}=${text}`);
  const start = policy.split('/').at(-1)!;
  const own = environment === ownEnvironment ? [shortHash(code ?? '')] : [];
  const teacher = expert === 'human' ? [expert] : [];
  const parts = [environment, start, method, amount, seed, evaluated, ...teacher, ...said, ...own];
  return `/runs/${parts.join(' ').replaceAll(/[^\w.,= -]/g, '_')}`;
}

/** Tells texts of one page apart. */
function shortHash(text: string): string {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return hash.toString(36);
}

/** The dataset that a choice learns from, as `collectEnvironment` takes it; null: it plays. Equal ones have one folder. */
export function collectedBy(choice: Choice, catalogue: Catalogue): Collecting | null {
  const { environment, method, amount, seed, expert } = choice;
  if (familyOf(method, catalogue) !== 'sft') return null;
  const own = environment === ownEnvironment ? [shortHash(choice.code ?? '')] : [];
  const parts = [environment, amount, seed, ...(expert === 'human' ? [expert] : []), ...own];
  return {
    env: environment,
    samples: amount,
    seed,
    validation: 0,
    out: `/data/${parts.join(' ').replaceAll(/[^\w.,= -]/g, '_')}`,
    ...(expert === 'human' && { expert: { kind: expert } }),
  };
}

/** The run, as `learn` takes it. */
export function askedBy(choice: Choice, catalogue: Catalogue): Asked {
  const { environment, policy, method, amount, seed, evaluated, expert, others = {} } = choice;
  const family = familyOf(method, catalogue);
  const collected = collectedBy(choice, catalogue);
  const flags = { ...amountOf(choice, catalogue).settings(amount), ...(collected && fineTuned), ...others };
  const base = {
    seed,
    evaluation: { episodes: evaluated },
    ...(expert === 'human' && !collected && { expert: { kind: 'human' } }),
    ...(collected && { dataset: { data: `${collected.out}/train.json` } }),
  };
  const settings = Object.entries(flags).reduce<object>((all, [flag, text]) => {
    const setting = catalogue.settings[family].find((each) => each.flag === flag)!;
    return put(all, setting.path.split('.'), valueOf(setting, String(text)));
  }, base);
  const learned = collected ? 'bc' : method;
  return { environment, policy, method: learned, settings, folder: folderOf(choice) } as Asked;
}

/** The choice as a sentence for people. */
export function choiceWords(choice: Choice, catalogue: Catalogue): string {
  const { environment, policy, method, amount, others = {} } = choice;
  const { unit } = amountOf(choice, catalogue);
  const start = policy.split('/').at(-1)!;
  const device = others['provider'] === 'webgpu' ? 'GPU' : 'processor';
  return `${method} of ${start} in ${environment}, ${amount.toLocaleString('en-US')} ${unit.toLowerCase()}, on the ${device}`;
}

/** The command whose run has the same numbers, up to rounding; where a dataset is collected, two. */
export function commandOf(choice: Choice, catalogue: Catalogue): string {
  const { environment, policy, method, amount, seed, evaluated, expert, others = {} } = choice;
  const family = familyOf(method, catalogue);
  const collected = collectedBy(choice, catalogue);
  const said = {
    ...amountOf(choice, catalogue).settings(amount),
    seed,
    'eval-episodes': evaluated,
    ...others,
  };
  const words = Object.entries(said).flatMap(([flag, value]) => {
    const isSwitch = catalogue.settings[family].find((each) => each.flag === flag)?.form === 'switch';
    return isSwitch ? [`--${flag}`] : [`--${flag}`, quoted(String(value))];
  });
  const named = ['--method', method, '--env', quoted(environment), '--policy', quoted(policy)];
  const teacher = expert === 'human' ? ['--expert', 'human', '--page'] : [];
  if (!collected) return ['emac', 'train', ...named, ...teacher, ...words].join(' ');
  const steps = ['--num-samples', amount, '--seed', seed, '--val-share', 0, '--out', 'data'];
  return [
    ['emac', 'collect', '--env', quoted(environment), ...teacher, ...steps].join(' '),
    ['emac', 'train', ...named, '--data', 'data', ...words].join(' '),
  ].join('\n');
}

/** A text as a setting's value; what is no number stays a text, which the trainer refuses. */
function valueOf({ form, words }: OfferedSetting, text: string): unknown {
  if (Object.hasOwn(words, text)) return words[text];
  if (form === 'switch') return true;
  return form === 'number' && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function put(group: object, [name, ...below]: readonly string[], value: unknown): object {
  const inside = (group as Readonly<Record<string, object>>)[name!] ?? {};
  return { ...group, [name!]: below.length === 0 ? value : put(inside, below, value) };
}

function quoted(word: string): string {
  return /^[\w./@:+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
