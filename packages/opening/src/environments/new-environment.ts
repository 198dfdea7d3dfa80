/**
 * Writes the package of a custom environment from a template: tasks, episodes, a scripted player, tests, a README. The
 * templates are TypeScript; without their types they are the JavaScript ones.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmacError } from '@emac/core';
import { createFolder, isThere, whileReading, whileWriting } from '@emac/files';

export const environmentTemplates = ['game', 'tools'] as const;

export type EnvironmentTemplate = (typeof environmentTemplates)[number];

export interface NewEnvironment {
  readonly template: EnvironmentTemplate;
  /** with sources that `tsc` compiles, in place of JavaScript */
  readonly isTyped: boolean;
}

const templates = fileURLToPath(new URL('../../templates', import.meta.url));

/**
 * Creates the folder; its last part is the name of the package. Returns the files. Errors: `usage` for a name that npm
 * does not accept; `cannot-create`, also for an existing path.
 */
export function writeNewEnvironment(
  folder: string,
  { template, isTyped }: NewEnvironment,
): readonly string[] {
  const name = basename(resolve(folder));
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
    throw new EmacError(
      'usage',
      `${folder}: a package's name has small letters, digits, dots and dashes, got ${name}; give another one`,
    );
  if (isThere(folder)) throw new EmacError('cannot-create', `${folder}: already exists; give another name`);
  const written = [
    ...filesIn(template).map(isTyped ? inTypeScript : inJavaScript),
    ...(isTyped ? [['src/emac.ts', templateText('types.ts')] as const] : []),
    ...manifests(isTyped ? 'typescript' : 'javascript'),
  ];
  for (const [file, text] of written) {
    const path = join(folder, file);
    createFolder(dirname(path));
    whileWriting(path, () => writeFileSync(path, text.replaceAll('NAME', name), { flag: 'wx' }));
  }
  return written.map(([file]) => file).sort();
}

function filesIn(part: string): [string, string][] {
  const folder = join(templates, part);
  const files = whileReading(folder, () => readdirSync(folder));
  return files.map((file) => [file, templateText(join(part, file))]);
}

function templateText(file: string): string {
  const path = join(templates, file);
  return whileReading(path, () => readFileSync(path, 'utf8'));
}

/** Files in JSON. They stand in one file, as tools would take them for a part of this repository. */
function manifests(language: string): [string, string][] {
  const files = JSON.parse(templateText(`${language}.json`)) as Record<string, object>;
  return Object.entries(files).map(([file, content]) => [file, `${JSON.stringify(content, null, 2)}\n`]);
}

function inTypeScript([file, text]: [string, string]): [string, string] {
  return file.endsWith('.ts') ? [`src/${file}`, text] : [file, text];
}

/** Removes the few kinds of types that the templates have; a test compares with the compiler. */
function inJavaScript([file, text]: [string, string]): [string, string] {
  if (file === 'README.md') return [file, inJavaScriptWords(text)];
  if (!file.endsWith('.ts')) return [file, text];
  const untyped = text
    .replace(/^import type .*\n\n?/gm, '')
    .replace(/ satisfies \w+/g, '')
    .replace(/: (?:string|InlineObservation|Turn\[\])(?=\)| =)/g, '');
  return [file.replace(/\.ts$/, '.js'), untyped];
}

function inJavaScriptWords(readme: string): string {
  return readme
    .replace('npm install && npm test', 'node --test            ')
    .replace(/src\/(\w+)\.ts/g, '$1.js')
    .replace(/\n\nEMAC runs `dist\/`.*/, '');
}
