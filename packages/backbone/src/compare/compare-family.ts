/**
 * A comparison folder of a family: pictures of any size, texts and answers, with transformers' results. Everything after
 * the picture is computed here: pixels, vision encoder, prompt ids, language model. Where the folder holds an `adapter`
 * as PEFT writes it, the rows are computed under it once more.
 */
import { join } from '@emac/platform';

import { EmacError, type Frame } from '@emac/core';
import {
  isThere,
  openSafetensors,
  readFloat32,
  readInt64,
  readTensor,
  type SafetensorsFile,
} from '@emac/files';
import { createSession, type Session, type SessionOptions, type Value } from '@emac/graph';

import { loadBackbone, type Backbone } from '../backbone.ts';
import { shownPicture, type Sight } from '../families/family.ts';
import {
  adapterScale,
  checkAdapter,
  isAdapterFolder,
  readAdapter,
  type Adapter,
} from '../files/adapter-files.ts';
import { readJsonObject } from '../files/json-object.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { adapterGradient } from '../networks/adapter.ts';
import { adapterFeeds } from '../networks/adapter-feeds.ts';
import type { CompareOptions, Comparison } from './comparison.ts';
import { readGenerations, type ExpectedGeneration } from './comparison-folder.ts';
import { connectorParameters, familyGraph } from './family-graph.ts';
import { float32Difference } from './float32-difference.ts';
import { relativeError } from './relative-error.ts';
import { differingLines, linesIn, linesStage } from './tokenized-lines.ts';
import { deepOf, idsOf, joined, rowFeeds, type PreparedRow } from './row-feeds.ts';

const visionStages = ['pixel_values', 'connector_input', 'visual'];
const textStages = ['input_ids', 'logits', 'log_probs', 'loss'];
const adapterStages = ['adapted_logits', 'adapted_log_probs', 'adapted_loss', 'grad_adapter'];

/** The compared stages of a model's folder; includes a gradient for each of the connector's tensors, and the largest error of an adapter's. */
export function familyStages(files: Pick<ModelFiles, 'folder' | 'tensors' | 'family' | 'config'>): string[] {
  return [
    ...(files.family.vision ? visionStages : []),
    ...(files.config.llama.deepLayers ? ['deep'] : []),
    ...textStages,
    ...connectorParameters(files).map(gradientStage),
    ...(isAdapterFolder(adapterIn(files)) ? adapterStages : []),
    ...(isThere(linesIn(files.folder)) ? [linesStage] : []),
  ];
}

const adapterIn = ({ folder }: Pick<ModelFiles, 'folder'>): string => join(folder, 'adapter');

const gradientStage = (name: string) => `grad_connector_${name.replace('.', '_')}`;

interface Row {
  readonly images: readonly number[];
  readonly text: string;
  readonly answer: string;
}

interface Folder {
  readonly inputs: SafetensorsFile;
  readonly expected: SafetensorsFile;
  readonly rows: readonly Row[];
  readonly generations: readonly ExpectedGeneration[];
}

/** Computes every value that the folder has numbers for. Errors: those of the folder, of the model, and of `createSession`. */
export async function compareFamily(
  files: ModelFiles,
  { generations = () => true, ...options }: CompareOptions,
): Promise<Comparison> {
  const folder = openFolder(files.folder);
  const backbone = loadBackbone(files, { ...options, layers: 'resident' });
  const session = await createSession(familyGraph(files), options);
  const adapter = isAdapterFolder(adapterIn(files)) ? readAdapter(adapterIn(files)) : null;
  try {
    const errors = new Map<string, number>(familyStages(files).map((stage) => [stage, 0]));
    const note = (stage: string, error: number) => errors.set(stage, Math.max(errors.get(stage) ?? 0, error));
    const sights = await picturesSeen({ files, options }, folder, note);
    const rows = folder.rows.map((row) => prepared(backbone, row, sights));
    const visual = await runRows(session, { rows, folder, files, note });
    if (isThere(linesIn(files.folder)))
      note(linesStage, differingLines(backbone.tokenizer(), linesIn(files.folder)));
    if (adapter) await compareAdapter(adapter, { rows, folder, files, note }, options);
    const generated = await compareGenerations(backbone, { folder, rows, visual, generations });
    return {
      stages: Object.fromEntries(errors),
      generated,
      rounding: float32Difference(files.config.llama),
      provider: options.provider ?? 'cpu',
    };
  } finally {
    await Promise.all([session.dispose(), backbone.dispose()]);
  }
}

type Note = (stage: string, error: number) => void;

function openFolder(path: string): Folder {
  const file = join(path, 'fixture.json');
  const rows = readJsonObject(file)['rows'];
  if (!Array.isArray(rows)) throw new EmacError('config', `${file}: rows must be a list`);
  return {
    inputs: openSafetensors(join(path, 'inputs.safetensors')),
    expected: openSafetensors(join(path, 'expected.safetensors')),
    rows: rows as Row[],
    generations: readGenerations(file),
  };
}

/**
 * Every picture through processor and vision encoder. Versions of Pillow differ by one step in some bytes of a resized
 * picture. So `pixel_values` judge the processor, and the encoder reads the reference's pixels where bytes differ.
 */
async function picturesSeen(
  { files, options }: { readonly files: ModelFiles; readonly options: SessionOptions },
  { inputs, expected }: Folder,
  note: Note,
): Promise<Sight[]> {
  if (!files.family.vision) return [];
  const eye = files.family.vision.eye(files);
  const connector = files.family.vision.connector(files);
  const session = await createSession(eye.graph(), options);
  const sights: Sight[] = [];
  try {
    for (let number = 0; inputs.tensors.has(`image_${number}`); number++) {
      const frame = frameOf(inputs, `image_${number}`);
      const feeds = eye.feeds(frame);
      const name = 'patches' in feeds ? 'patches' : 'pixel_values';
      const pixels = feeds[name] as Value;
      const ours = pixels.data as Float32Array;
      const wanted = readFloat32(expected, `pixel_values_${number}`);
      note('pixel_values', largestStep(ours, wanted));
      const shown = { ...pixels, data: referencePixels(ours, wanted) };
      const sight = connector.sight(eye.features(await session.run({ ...feeds, [name]: shown }), frame));
      note('connector_input', relativeError(sight.rows, readFloat32(expected, `connector_input_${number}`)));
      if (sight.deep) note('deep', relativeError(sight.deep, readFloat32(expected, `deep_${number}`)));
      sights.push(sight);
    }
    return sights;
  } finally {
    await session.dispose();
  }
}

function frameOf(file: SafetensorsFile, name: string): Frame {
  const { shape, data } = readTensor(file, name);
  const [height, width] = shape as [number, number];
  return { width, height, data };
}

/** CLIP divides pixels by deviations; this is the smallest */
const deviation = 0.26130258;

/**
 * Largest difference of pixels on a scale of 1 from black to white; up to 6 % less in channels of larger deviation,
 * half for SigLIP, 16 % more for DINOv2.
 */
function largestStep(ours: Float32Array, wanted: Float32Array): number {
  if (ours.length !== wanted.length) return Infinity;
  return deviation * ours.reduce((most, value, index) => Math.max(most, Math.abs(value - wanted[index]!)), 0);
}

/** below half a step of a byte in any channel, above float16's rounding */
const sameByte = 0.003;

function referencePixels(ours: Float32Array, wanted: Float32Array): Float32Array {
  if (ours.length !== wanted.length) return ours;
  return ours.map((value, index) => (Math.abs(value - wanted[index]!) < sameByte ? value : wanted[index]!));
}

function prepared(backbone: Backbone, { images, text, answer }: Row, all: readonly Sight[]): PreparedRow {
  const prompts = backbone.prompts();
  const sights = images.map((number) => all[number]!);
  const turn = prompts.turn(text, images.length);
  return {
    tokens: turn.tokens,
    answer: [...prompts.answer(text, answer), prompts.endToken],
    layout: prompts.layout(
      turn,
      sights.map((sight) => shownPicture(sight, backbone.connector!)),
    ),
    sights,
  };
}

/** Logits, log-probabilities, loss and gradients under an adapter. Errors: `data` for one of another model. */
async function compareAdapter(
  adapter: Adapter,
  { rows, folder, files, note }: Runs,
  options: SessionOptions,
): Promise<void> {
  checkAdapter(adapter, files, adapterIn(files));
  const { parameters, settings } = adapter;
  const form = { targets: settings.targets, dropout: false };
  const adapted = adapterFeeds(files.config.llama, form, { parameters, scale: adapterScale(settings) });
  const session = await createSession(familyGraph(files, form), options);
  const sums = new Map<string, Float32Array>();
  const logProbs: number[] = [];
  try {
    for (const [number, row] of rows.entries()) {
      const outputs = await session.run({ ...rowFeeds(row, files), ...adapted });
      const values = (name: string) => outputs[name]!.data as Float32Array;
      for (const stage of ['logits', 'log_probs']) {
        const wanted = readFloat32(folder.expected, `adapted_${stage}_${number}`);
        note(`adapted_${stage}`, relativeError(values(stage).slice(-wanted.length), wanted));
      }
      logProbs.push(...values('log_probs'));
      for (const name of parameters.keys()) addTo(sums, name, values(adapterGradient(name)));
    }
  } finally {
    await session.dispose();
  }
  const count = logProbs.length;
  const mean = -logProbs.reduce((sum, each) => sum + each, 0) / count;
  note('adapted_loss', relativeError(Float32Array.of(mean), readFloat32(folder.expected, 'adapted_loss')));
  for (const [name, sum] of sums) {
    const wanted = readFloat32(folder.expected, `grad_adapter.${name.replace(/^.*?(?=layers)/, '')}`);
    note(
      'grad_adapter',
      relativeError(
        sum.map((value) => value / count),
        wanted,
      ),
    );
  }
}

interface Runs {
  readonly rows: readonly PreparedRow[];
  readonly folder: Folder;
  readonly files: ModelFiles;
  readonly note: Note;
}

/** Runs every row; → each row's visual tokens, none for families that read text alone. */
async function runRows(session: Session, { rows, folder, files, note }: Runs): Promise<Float32Array[]> {
  const { expected, inputs } = folder;
  const sums = new Map<string, Float32Array>();
  const [visual, logProbs]: [Float32Array[], number[]] = [[], []];
  for (const [number, row] of rows.entries()) {
    const same = String(idsOf(row, files)) === String(readInt64(inputs, `input_ids_${number}`));
    note('input_ids', same ? 0 : Infinity);
    const outputs = await session.run(rowFeeds(row, files));
    const values = (name: string) => outputs[name]!.data as Float32Array;
    if (files.family.vision) {
      visual.push(values('visual'));
      const wanted = folder.rows[number]!.images.map((image) => readFloat32(expected, `visual_${image}`));
      note('visual', relativeError(values('visual'), joined(wanted)));
    }
    const logits = readFloat32(expected, `logits_${number}`);
    note('logits', relativeError(values('logits').slice(-logits.length), logits));
    note('log_probs', relativeError(values('log_probs'), readFloat32(expected, `log_probs_${number}`)));
    logProbs.push(...values('log_probs'));
    for (const name of connectorParameters(files)) addTo(sums, name, values(`grad_${name}`));
  }
  const mean = -logProbs.reduce((sum, each) => sum + each, 0) / logProbs.length;
  note('loss', relativeError(Float32Array.of(mean), readFloat32(expected, 'loss')));
  for (const [name, sum] of sums) {
    const stage = gradientStage(name);
    note(
      stage,
      relativeError(
        sum.map((value) => value / logProbs.length),
        readFloat32(expected, stage),
      ),
    );
  }
  return visual;
}

function addTo(sums: Map<string, Float32Array>, name: string, values: Float32Array): void {
  const sum = sums.get(name) ?? new Float32Array(values.length);
  values.forEach((value, index) => (sum[index]! += value));
  sums.set(name, sum);
}

interface Searches {
  readonly folder: Folder;
  readonly rows: readonly PreparedRow[];
  readonly visual: readonly Float32Array[];
  readonly generations: (key: string) => boolean;
}

async function compareGenerations(
  backbone: Backbone,
  { folder, rows, visual, generations }: Searches,
): Promise<Record<string, boolean>> {
  const result: Record<string, boolean> = {};
  for (const { key, row, options } of folder.generations) {
    if (!generations(key)) continue;
    const prepared = rows[row]!;
    const { tokens, layout, sights } = prepared;
    const ours = await backbone.generate(
      { ...(visual[row] && { visual: visual[row], deep: deepOf(sights) }), tokens, layout },
      options,
    );
    result[key] = String(ours.tokens) === String(readInt64(folder.expected, key));
  }
  return result;
}
