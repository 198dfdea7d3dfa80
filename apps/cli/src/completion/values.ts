/** The values of flags and arguments: words, names of runs, files. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { alfworldArchives } from '@emac/downloads';
import { isFolder } from '@emac/files';
import { kinds, suites } from '@emac/opening';
import { layout } from '@emac/runs';
import type { Argument, Command } from '../calling/command.ts';
import { methods } from '../commands/methods.ts';
import { publishedModels } from '../commands/model/fetch.ts';
import { isSetting } from '../options/configured.ts';
import type { Option } from '../options/option.ts';
import { presetNames } from '../options/preset-values.ts';
import { usualFolder } from '../options/run-name.ts';

/** The values possible in one place. */
interface Values {
  readonly words?: readonly string[];
  /** names of runs */
  readonly runs?: boolean;
  readonly files?: boolean;
}

const builtin = suites.map((suite) => `builtin:${suite}`);
const run: Values = { words: ['latest'], runs: true, files: true };

/** Known values of flags with free text. */
const ofFlag: Readonly<Record<string, Values>> = {
  method: { words: methods.map(({ name }) => name) },
  ckpt: { ...run, words: ['latest', 'emma-tiny', 'rl-tiny', 'untouched'] },
  ref: { ...run, words: ['latest', 'emma-tiny'] },
  init: { ...run, words: ['latest', 'emma-tiny', 'model', 'random'] },
  resume: run,
  games: { files: true, words: builtin },
  'eval-on': { files: true, words: builtin },
  expert: { files: true },
  env: { files: true, words: kinds.flatMap(({ ids }) => ids) },
  model: { files: true, words: ['emma-tiny', 'rl-tiny', 'lewis-tiny', 'vla-tiny'] },
  policy: { files: true, words: ['rl-tiny', 'vla-tiny', 'mlp', 'cnn'] },
  data: { files: true },
};

const ofArgument: Readonly<Record<string, Values>> = {
  run,
  runs: run,
  checkpoint: run,
  checkpoints: run,
  game: { files: true, words: builtin.map((suite) => `${suite}/0`) },
  archive: { words: Object.keys(alfworldArchives) },
  model: { words: Object.keys(publishedModels) },
  preset: { words: presetNames },
  shell: { words: ['bash', 'zsh', 'fish'] },
};

/** Of a flag. */
export function valuesOf(flag: string, { form }: Option<unknown>): Values {
  const values = ofFlag[flag] ?? { files: form.words?.startsWith('a text') === true };
  return { ...values, words: [...(values.words ?? []), ...(form.choices ?? [])] };
}

/** Of the argument without a flag. */
export function argumentValues({ name }: Argument, { options }: Command): Values {
  if (name !== 'settings') return ofArgument[name] ?? { files: true };
  const paths = Object.values(options).flatMap((option) => (isSetting(option) ? option.paths : []));
  return { words: [...new Set(paths)].map((path) => `${path}=`) };
}

/** The words for what was typed so far. */
export function wordsFor({ words = [], runs, files }: Values, typed: string, folder: string): string[] {
  const all = [...words, ...(runs ? runNames(typed, folder) : []), ...(files ? paths(typed, folder) : [])];
  return [...new Set(all)].filter((word) => !/[\n\t]/.test(word));
}

/** Names of runs; after an @ their checkpoints. */
function runNames(typed: string, folder: string): string[] {
  const [, name] = /^(.*)@/s.exec(typed) ?? [];
  const place = join(folder, usualFolder);
  const names = namesIn(place).filter((each) => existsSync(join(place, each, layout.run)));
  return name === undefined ? names : [`${name}@best`, `${name}@latest`];
}

/** Files and folders that continue the typed path; hidden ones after a dot. */
function paths(typed: string, folder: string): string[] {
  const above = typed.slice(0, typed.lastIndexOf('/') + 1);
  const place = above.startsWith('~/') ? homedir() + above.slice(1) : above;
  const inside = place.startsWith('/') ? place : join(folder, place);
  return namesIn(inside)
    .filter((name) => !name.startsWith('.') || typed.slice(above.length).startsWith('.'))
    .map((name) => `${above}${name}${isFolder(join(inside, name)) ? '/' : ''}`);
}

function namesIn(folder: string): string[] {
  return isFolder(folder) ? readdirSync(folder) : [];
}
