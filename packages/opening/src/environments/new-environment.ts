/** Writes the package of a custom environment from a template: tasks, episodes, a scripted player, tests, a README. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmacError } from '@emac/core';
import { createFolder, isThere, whileReading, whileWriting } from '@emac/files';

export const environmentTemplates = ['game', 'tools'] as const;

export type EnvironmentTemplate = (typeof environmentTemplates)[number];

const templates = fileURLToPath(new URL('../../templates', import.meta.url));

/**
 * Creates the folder; its last part is the name of the package. Returns the files. Errors: `usage` for a name that npm
 * does not accept; `cannot-create`, also for an existing path.
 */
export function writeNewEnvironment(folder: string, template: EnvironmentTemplate): readonly string[] {
  const name = basename(resolve(folder));
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
    throw new EmacError(
      'usage',
      `${folder}: a package's name has small letters, digits, dots and dashes, got ${name}; give another one`,
    );
  if (isThere(folder)) throw new EmacError('cannot-create', `${folder}: already exists; give another name`);
  const from = join(templates, template);
  const files = whileReading(from, () => readdirSync(from)).sort();
  createFolder(folder);
  for (const file of files) {
    const text = whileReading(join(from, file), () => readFileSync(join(from, file), 'utf8'));
    const path = join(folder, file);
    whileWriting(path, () => writeFileSync(path, text.replaceAll('NAME', name), { flag: 'wx' }));
  }
  return files;
}
