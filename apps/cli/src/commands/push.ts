/** `emac push`: a policy's files with a card, or a model folder, as one commit of a repository on the Hugging Face hub. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { hubModel, pushFiles } from '@emac/downloads';
import { isThere } from '@emac/files';
import { exportPolicy, policyCard } from '@emac/model-folders';
import { command } from '../calling/command.ts';
import { toggle } from '../options/option.ts';
import { runNamed } from '../options/run-name.ts';
import { size } from '../terminal/download-progress.ts';
import { say, type Io } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';

const options = {
  send: toggle('send the files, with the key in HF_TOKEN; without it they are only shown'),
  public: toggle('a new repository is public; otherwise only its owner sees it'),
  json: toggle('print the result as JSON on standard output'),
};

export const pushCommand = command({
  options,
  run: async (values, [policy, name, more], io) => {
    if (policy === undefined || name === undefined || more !== undefined)
      throw new EmacError(
        'usage',
        `push: takes POLICY ORGANIZATION/NAME, got ${more ?? name ?? policy ?? 'nothing'}`,
      );
    const model = hubModel(name, io.env);
    if (!model)
      throw new EmacError('usage', `push: ${name}: must be ORGANIZATION/NAME, the repository on the hub`);
    const made = mkdtempSync(join(tmpdir(), 'emac-push-'));
    try {
      const files = isThere(join(policy, 'config.json'))
        ? filesIn(policy)
        : policyFiles(policy, model.id, made);
      show(files, values, io);
      const title = `Add ${files.size} files with emac push`;
      const { send, public: isPublic, json } = values;
      const address = send ? await pushFiles({ model, files, title, isPublic }, io.env) : null;
      if (json)
        say(io.stdout, JSON.stringify({ repository: model.id, files: [...files.keys()], commit: address }));
      else say(io.stdout, address ?? `nothing was sent to ${model.endpoint}/${model.id}; add --send`);
      return 0;
    } finally {
      rmSync(made, { recursive: true });
    }
  },
});

function show(files: ReadonlyMap<string, string>, { json }: { json: boolean }, { stdout }: Io): void {
  if (json) return;
  say(
    stdout,
    table(
      ['file', 'size'],
      [...files].map(([name, path]) => [name, size(statSync(path).size)]),
    ),
  );
}

/** A policy of a run, with its card. */
function policyFiles(policy: string, repository: string, made: string): Map<string, string> {
  const checkpoint = runNamed(policy);
  const folder = join(made, 'policy');
  exportPolicy(checkpoint, folder);
  writeFileSync(join(folder, 'README.md'), policyCard(checkpoint, repository));
  return filesIn(folder);
}

/** Every file of a folder but hidden ones, by its path with `/`. */
function filesIn(folder: string, above = ''): Map<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  return new Map(
    entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      const name = `${above}${entry.name}`;
      return entry.isDirectory() ? [...filesIn(path, `${name}/`)] : [[name, path] as const];
    }),
  );
}
