/** `emac model fetch`: downloads a published checkpoint, by its name on the Hugging Face hub or as an archive, or imports a GGUF file, as a folder for `--model`. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { fetchArchive, fetchModel, hubHeaders, hubModel, shownUrl, type HubModel } from '@emac/downloads';
import { isThere } from '@emac/files';
import { choice, text, toggle, type Values } from '../../options/option.ts';
import { counted } from '../../terminal/amounts.ts';
import { size } from '../../terminal/download-progress.ts';
import { say, type Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { command } from '../../calling/command.ts';
import { fetching, isAddress, titleOf } from '../../terminal/fetching.ts';

/** Short names of published checkpoints. */
export const publishedModels: Readonly<Record<string, string>> = {
  'instructblip-vicuna-7b': 'Salesforce/instructblip-vicuna-7b',
};

const options = {
  out: text({ help: 'folder to create', default: null, defaultText: 'models/NAME' }),
  revision: text({ help: 'branch, tag or commit on the hub', default: null, defaultText: 'main' }),
  dtype: choice(['f32', 'f16'] as const, {
    help: 'FILE.gguf: type of the weights; f32 keeps every value, f16 rounds and takes half the space',
    default: null,
    defaultText: 'f32',
  }),
  json: toggle('print the result as JSON on standard output'),
};

export const modelFetchCommand = command({
  options,
  run: async (typed, [name, folder, more], io) => {
    if (more !== undefined || (folder !== undefined && typed.out !== null))
      throw new EmacError('usage', `model fetch: takes MODEL OUT, got also ${more ?? `--out ${typed.out}`}`);
    const values = { ...typed, out: folder ?? typed.out };
    if (/\.gguf$/i.test(name!) && !isAddress(name!)) await fromGguf(name!, values, io);
    else await fromNetwork(name!, values, io);
    return 0;
  },
});

type FetchFlags = Values<typeof options>;

async function fromGguf(file: string, { out, revision, dtype, json }: FetchFlags, io: Io): Promise<void> {
  if (out === null) throw new EmacError('usage', 'model fetch: takes FILE.gguf OUT, got 1 name');
  if (revision !== null)
    throw new EmacError('usage', '--revision: belongs to a model on the hub; leave it out');
  const { importGguf } = await import('@emac/gguf');
  const imported = await importGguf({ file, out, type: dtype === 'f16' ? 'F16' : 'F32' });
  for (const warning of imported.warnings) say(io.stderr, `warning: ${warning}`);
  if (json) return say(io.stdout, JSON.stringify(imported));
  const { folder, model, parameters, types } = imported;
  const stored = Object.entries(types).map(([type, count]) => `${count} ${type}`);
  say(io.stdout, `${folder}: a model folder, ${model}, ${parameters.toLocaleString('en')} parameters`);
  say(io.stdout, `tensors in the file: ${stored.join(', ')}`);
  say(io.stdout, `next: npx emac model check ${shellWord(folder)}`);
}

async function fromNetwork(name: string, values: FetchFlags, io: Io): Promise<void> {
  if (values.dtype !== null)
    throw new EmacError('usage', '--dtype: belongs to a GGUF file; a download stays as it is');
  const model = hubModel(publishedModels[name] ?? name, io.env);
  if (model) await fromHub(model, values, io);
  else if (isAddress(name)) await fromArchive(name, values, io);
  else
    throw new EmacError(
      'usage',
      `${name}: is neither ORGANIZATION/NAME on the Hugging Face hub nor an address; give one, such as ${publishedModels['instructblip-vicuna-7b']}`,
    );
}

async function fromHub(model: HubModel, { out, revision: typed, json }: FetchFlags, io: Io): Promise<void> {
  const revision = typed ?? 'main';
  const folder = out ?? join('models', model.id.split('/')[1]!);
  const headers = hubHeaders(io.env);
  const fetched = await fetching({ folder, io }, ({ progress, ...with_ }) =>
    fetchModel(model, folder, { ...with_, headers, revision, progress: progress.bytes }),
  );
  if (json)
    return say(
      io.stdout,
      JSON.stringify({ model: model.id, from: shownUrl(model.endpoint), revision, ...fetched }),
    );
  report(io, { what: `${model.id} at commit ${fetched.commit}`, ...fetched });
}

async function fromArchive(url: string, { out, revision, json }: FetchFlags, io: Io): Promise<void> {
  const title = titleOf(url);
  if (revision !== null)
    throw new EmacError(
      'usage',
      `--revision: belongs to a model on the hub, ${shownUrl(url)} is the address of an archive; leave it out`,
    );
  const folder = out ?? join('models', title);
  const fetched = await fetching({ folder, io }, ({ progress, ...with_ }) =>
    fetchArchive({ url }, folder, { ...with_, progress: progress.bytes, unpacked: progress.unpacked }),
  );
  if (json) return say(io.stdout, JSON.stringify({ url: shownUrl(url), ...fetched }));
  report(io, {
    what: `archive: ${size(fetched.archive.bytes)}, sha256 ${fetched.archive.sha256}`,
    ...fetched,
  });
}

interface FetchedModel {
  readonly folder: string;
  readonly what: string;
  readonly files: number;
  readonly bytes: number;
}

function report({ stdout }: Io, { folder, what, files, bytes }: FetchedModel): void {
  say(stdout, `model: ${folder}`);
  say(stdout, what);
  say(stdout, `${counted(files, 'file')}, ${size(bytes)}`);
  const isPolicy = !isThere(join(folder, 'config.json'));
  const next = isPolicy ? 'eval --ckpt' : 'train --phase bc --model';
  say(stdout, `next: npx emac ${next} ${shellWord(folder)}`);
}
