/**
 * The programs that make a tiny model, trained from pixels to answers at once. Each can be stopped and restarted.
 *
 *   node tools/dist/NAME/make.js tokenizer OUT [--samples N]
 *   node tools/dist/NAME/make.js pretrain OUT [--samples 200e3] [--sessions 2] [--learning-rate 2e-3] [--seed NAME]
 *     [--start MODEL_FOLDER] [--env ID]…    on from its weights, with its tokenizer; samples of these environments alone
 *   node tools/dist/NAME/make.js assemble OUT MODEL_FOLDER
 */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder, openSafetensors, readFloat32 } from '@emac/files';
import { writeModelFolder } from './model-folder.ts';
import { pretrain, type TinyTraining } from './pretrain.ts';
import { writeTokenizer, type TokenizerOptions } from './tokenizer.ts';

/** A tiny model's own parts; all else is shared. */
export interface TinyMaker<Sample> extends TinyTraining<Sample> {
  /** it also names the chance of its training */
  readonly name: string;
  readonly tokenizer: TokenizerOptions & {
    /** texts for the tokenizer; `samples`: their number */
    readonly texts: (samples: number | null) => Iterable<string>;
  };
  /** environments whose samples can be asked for alone */
  readonly environments?: readonly string[];
  /** writes the model's further files */
  readonly finish?: (folder: string) => void;
}

/** The whole program. */
export async function make<Sample>(maker: TinyMaker<Sample>): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      samples: { type: 'string' },
      sessions: { type: 'string', default: '2' },
      'learning-rate': { type: 'string', default: '2e-3' },
      seed: { type: 'string', default: maker.name },
      start: { type: 'string' },
      env: { type: 'string', multiple: true, default: [] },
    },
  });
  const [part, out, folder] = positionals;
  const samples = values.samples === undefined ? null : Number(values.samples);
  if (part === 'tokenizer' && out) writeTokenizer(out, maker.tokenizer.texts(samples), maker.tokenizer);
  else if (part === 'pretrain' && out) {
    if (values.start !== undefined) takeTokenizer(values.start, out);
    await pretrain(maker, {
      out,
      samples: samples ?? 200e3,
      peak: Number(values['learning-rate']),
      sessions: Number(values.sessions),
      seed: values.seed,
      start: values.start ?? null,
      environments: environmentsOf(maker, values.env),
    });
  } else if (part === 'assemble' && out && folder) assemble(maker, out, folder);
  else throw new Error('usage: make tokenizer OUT | pretrain OUT | assemble OUT MODEL_FOLDER');
}

/** Of the model to go on from, where OUT is new. */
function takeTokenizer(start: string, out: string): void {
  const own = join(out, 'tokenizer.json');
  if (existsSync(own)) return;
  createFolder(out);
  copyFileSync(join(start, 'tokenizer.json'), own);
}

function environmentsOf<Sample>({ name, environments = [] }: TinyMaker<Sample>, asked: readonly string[]) {
  const strange = asked.find((id) => !environments.includes(id));
  if (strange === undefined) return asked;
  throw new Error(`--env ${strange}: ${name} has ${environments.join(', ') || 'none to choose from'}`);
}

/** The Q-Former's text weights are unused, so they are zeros. */
function assemble<Sample>({ sizes, finish }: TinyMaker<Sample>, trained: string, folder: string): void {
  const state = openSafetensors(join(trained, 'state.safetensors'));
  writeModelFolder(folder, {
    sizes,
    tokenizerFile: join(trained, 'tokenizer.json'),
    valuesOf: (name, size) => (state.tensors.has(name) ? readFloat32(state, name) : new Float32Array(size)),
  });
  finish?.(folder);
}
