/** `emac model fetch`: downloads a published checkpoint, by its name on the Hugging Face hub or as an archive, as a folder for `--model`. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { fetchArchive, fetchModel, hubHeaders, hubModel, shownUrl, type HubModel } from '@emac/downloads';
import { text, toggle, type Values } from '../../options/option.ts';
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
  json: toggle('print the result as JSON on standard output'),
};

export const modelFetchCommand = command({
  options,
  run: async (values, [name], io) => {
    const model = hubModel(publishedModels[name!] ?? name!, io.env);
    if (model) await fromHub(model, values, io);
    else if (isAddress(name!)) await fromArchive(name!, values, io);
    else
      throw new EmacError(
        'usage',
        `${name}: is neither ORGANIZATION/NAME on the Hugging Face hub nor an address; give one, such as ${publishedModels['instructblip-vicuna-7b']}`,
      );
    return 0;
  },
});

type Given = Values<typeof options>;

async function fromHub(model: HubModel, { out, revision: given, json }: Given, io: Io): Promise<void> {
  const revision = given ?? 'main';
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

async function fromArchive(url: string, { out, revision, json }: Given, io: Io): Promise<void> {
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

interface Fetched {
  readonly folder: string;
  readonly what: string;
  readonly files: number;
  readonly bytes: number;
}

function report({ stdout }: Io, { folder, what, files, bytes }: Fetched): void {
  say(stdout, `model: ${folder}`);
  say(stdout, what);
  say(stdout, `${counted(files, 'file')}, ${size(bytes)}`);
  say(stdout, `next: npx emac train --phase bc --model ${shellWord(folder)}`);
}
