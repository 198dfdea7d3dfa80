/** A copy of a checkout made of hard links, with one changed file at a time. */
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFolder } from '@emac/files';
import ts from 'typescript';
import type { Fault } from './fault.ts';

export interface Copy {
  readonly folder: string;
  /** applies a fault to a file and its built output */
  damage(file: string, fault: Pick<Fault, 'text' | 'replacement'>): void;
  mend(): void;
}

const leftOut = new Set(['.git', 'site']);

/** Makes the copy; `folder` must not be there yet, and lies on the disk of the checkout. */
export function copyOf(checkout: string, folder: string): Copy {
  createFolder(folder);
  const entries = readdirSync(checkout).filter((name) => !leftOut.has(name));
  execFileSync('cp', ['-al', ...entries.map((name) => join(checkout, name)), folder]);
  // caches are not part of the checkout
  for (const name of ['.cache', '.vite', '.vitest'])
    rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
  const options = compilerOptions(checkout);
  const damaged = new Set<string>();
  // never through a link: that would be the checkout's own file
  const replace = (file: string, text: string): void => {
    rmSync(join(folder, file));
    writeFileSync(join(folder, file), text);
    damaged.add(file);
  };
  return {
    folder,
    damage(file, { text, replacement }) {
      const source = readFileSync(join(folder, file), 'utf8').replace(text, () => replacement);
      replace(file, source);
      const built = file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
      if (existsSync(join(folder, built)))
        replace(built, ts.transpileModule(source, { compilerOptions: options, fileName: file }).outputText);
    },
    mend() {
      for (const file of damaged) {
        rmSync(join(folder, file));
        linkSync(join(checkout, file), join(folder, file));
      }
      damaged.clear();
    },
  };
}

function compilerOptions(checkout: string): ts.CompilerOptions {
  const path = join(checkout, 'tsconfig.base.json');
  const { config } = ts.readConfigFile(path, (name) => readFileSync(name, 'utf8')) as {
    readonly config: { readonly compilerOptions: object };
  };
  return {
    ...ts.convertCompilerOptionsFromJson(config.compilerOptions, dirname(path)).options,
    // the format depends on package.json, which is not read here
    module: ts.ModuleKind.ESNext,
    sourceMap: false,
  };
}
