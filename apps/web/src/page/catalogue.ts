/** What can be chosen on the page; the site's builder makes it from the packages, so that it lists what the commands list. */

/** Methods of a family have the same settings. */
export type Family = 'train' | 'sft' | 'ppo' | 'grpo';

export interface Catalogue {
  readonly kinds: readonly OfferedKind[];
  readonly methods: readonly OfferedMethod[];
  readonly settings: Readonly<Record<Family, readonly OfferedSetting[]>>;
  /** an environment of one's own, as an example */
  readonly example: string;
}

/** A kind of environments. */
export interface OfferedKind {
  readonly name: string;
  readonly about: string;
  readonly environments: readonly string[];
  /** the usual one first */
  readonly policies: readonly string[];
  /** why a tab cannot have it; null if it can */
  readonly refusal: string | null;
}

export interface OfferedMethod {
  readonly name: string;
  readonly about: string;
  readonly family: Family;
  /** from pairs of a better and a worse answer */
  readonly hasPairs: boolean;
  /** whether small networks learn by it; language models do by all */
  readonly hasNetworks: boolean;
}

/** A setting with a flag of the command. */
export interface OfferedSetting {
  readonly flag: string;
  readonly about: string;
  /** its path in the settings, e.g. `optimization.learningRate` */
  readonly path: string;
  readonly form: 'number' | 'text' | 'switch' | 'word';
  /** each stands for a value; empty unless the form is `word` */
  readonly words: Readonly<Record<string, unknown>>;
}

/** The name of an environment whose module is typed into the page. */
export const ownEnvironment = './my-environment.mjs';
