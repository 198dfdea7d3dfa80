/**
 * Exports a run in the layout of published code: EMMA's for bc and dpo (`published-rounds.ts`), VLA-RL's for PPO.
 *
 * A PPO run becomes `step_<updates>/` for each kept checkpoint, and `best_return/`. Each holds the adapter in PEFT's form, tokenizers and processor, and
 * `metadata.json`. Files without a place in that layout lie beside it, so that `emac` opens the folders too: `projection.safetensors`,
 * `value_head.safetensors`, `state.json`, `MANIFEST.json`. Times are taken from the run, so equal runs are exported equally.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { adapterLayout, isAdapterFolder } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { experimentId } from '@emac/experiment';
import {
  canonicalJson,
  createFolder,
  isFolder,
  isThere,
  readJournal,
  requireSpace,
  whileReading,
  writeFileAtomic,
  writeFolderAtomic,
} from '@emac/files';
import { modelPath, ppoMomentOf, statisticsFile, type PpoMoment } from '@emac/opening';
import {
  checkpointFiles,
  layout,
  listCheckpoints,
  loadCheckpoint,
  readRecord,
  type ListedCheckpoint,
} from '@emac/runs';
import { begunBy, pathFrom, readStoredConfig, type PpoConfig } from '@emac/settings';
import { companionsIn } from './companion-files.ts';
import { exportRounds } from './published-rounds.ts';
import { copyFile, writeWhole, type Content } from './model-folder.ts';

export interface PublishedRun {
  readonly folder: string;
  /** `step_0`, `step_10` …, or `emma_checkpoint_0.pth` …, in order */
  readonly steps: readonly string[];
  /** the one that equals `best_return`; null if there is no best checkpoint yet */
  readonly best: string | null;
  /** files in each folder that the published code does not have; none for plain files */
  readonly own: readonly string[];
}

export interface PublishedExport {
  /** the folder of a PPO run with a trained adapter, or of a bc or dpo run with a trained projection */
  readonly run: string;
  /** a folder that does not exist, or is empty */
  readonly out: string;
  /** where the model is now; null: where the run had it */
  readonly model: string | null;
}

/** `metadata.json` of an exported folder. */
interface Metadata {
  /** when the checkpoint was made, ISO 8601, UTC; null if the run's events do not say */
  readonly timestamp: string | null;
  /** the moving average of mean returns; null if the run has none */
  readonly ema_return: number | null;
  /** mean return of the last update's episodes; null if none ended */
  readonly current_return: number | null;
  /** updates */
  readonly training_step: number;
  /** steps of all environments together */
  readonly global_step: number;
  readonly exp_id: string;
  /** the model's name in the run */
  readonly vla_path: string;
}

/**
 * Writes the folder, completely or not at all. Errors: `cannot-create` for a non-empty one; `config` for a run of GRPO; `usage` without an
 * adapter, or for a checkpoint's name; `data` for a damaged checkpoint; `missing` for the model; `io`.
 */
export function exportPublished({ run, out: given, model }: PublishedExport): PublishedRun {
  const out = given.replace(/[/\\]+$/, '') || given;
  requireRun(run);
  const began = begunBy(run);
  if (began === 'grpo')
    throw new EmacError(
      'config',
      `${run}: is a run of emac train --method grpo, which has no published layout; export it without --layout`,
    );
  requireEmpty(out);
  return began === 'train' ? exportRounds(run, out) : exportSteps(run, { out, model });
}

function exportSteps(run: string, { out, model }: Pick<PublishedExport, 'out' | 'model'>): PublishedRun {
  const { config } = readStoredConfig(run, 'ppo', ['phase']);
  const listed = listCheckpoints(run);
  const bare = listed.find(({ folder }) => !isAdapterFolder(folder));
  if (bare) throw noAdapter(bare.folder, config.policy);
  const base = modelPath(model ?? pathFrom(config.policy, readRecord(run).workingDirectory));
  const companions = isFolder(base) ? companionsIn(base) : [];
  createFolder(dirname(out));
  requireSpace(dirname(out), spaceNeeded(listed, companions));
  const writing: Writing = { run, config, base, companions, exp: experimentId(config), told: toldIn(run) };
  const written: WrittenStep[] = [];
  writeWhole(out, (temporary) => {
    for (const each of listed) written.push(...writeCheckpoint(each, temporary, writing));
    const statistics = companions.find(({ name }) => name === statisticsFile);
    if (statistics) copyFile(join(base, statisticsFile), join(temporary, statisticsFile), false);
  });
  return {
    folder: out,
    steps: written.filter(({ isBest }) => !isBest).map(({ name }) => name),
    best: written.find(({ isBest }) => isBest)?.step ?? null,
    own: [...new Set(written.flatMap(({ own }) => own))].sort(),
  };
}

interface Writing {
  readonly run: string;
  readonly config: PpoConfig;
  /** the model's folder */
  readonly base: string;
  readonly companions: readonly Content[];
  readonly exp: string;
  readonly told: Told;
}

interface WrittenStep {
  readonly name: string;
  /** `step_<updates>`, for the best one too */
  readonly step: string;
  readonly isBest: boolean;
  readonly own: readonly string[];
}

/** One folder; two for the best checkpoint. */
function writeCheckpoint(
  { folder, name, isBest }: ListedCheckpoint,
  out: string,
  writing: Writing,
): WrittenStep[] {
  const checkpoint = loadCheckpoint(folder);
  const moment = ppoMomentOf(checkpoint, folder);
  const { baseModel, games } = checkpoint.manifest;
  const names = Object.keys(checkpoint.manifest.files).filter((each) => !notCopied.includes(each));
  const files = new Map([
    ...names.map((each) => [each, bytesOf(join(folder, each))] as const),
    [adapterLayout.config, namingBase(join(folder, adapterLayout.config), writing.config.policy)] as const,
    [checkpointFiles.state, text(canonicalJson(moment.opened, 2))] as const,
  ]);
  const metadata = text(JSON.stringify(metadataOf(Number(name), moment, writing), null, 2));
  const step = `step_${moment.update}`;
  return [step, ...(isBest ? ['best_return'] : [])].map((called) => {
    const made = join(out, called);
    writeFolderAtomic(made, files, { baseModel, games });
    writeFileAtomic(join(made, 'metadata.json'), metadata);
    for (const each of writing.companions) {
      createFolder(dirname(join(made, each.name)));
      copyFile(join(writing.base, each.name), join(made, each.name), false);
    }
    const own = readdirSync(made).filter((each) => !isPublished(each, writing));
    return { name: called, step, isBest: called === 'best_return', own };
  });
}

/** Rewritten, or needed by training only. */
const notCopied: readonly string[] = [adapterLayout.config, checkpointFiles.optimizer, checkpointFiles.state];

function isPublished(name: string, { companions }: Writing): boolean {
  const known: readonly string[] = [adapterLayout.config, adapterLayout.weights, 'metadata.json'];
  return known.includes(name) || companions.some((each) => each.name.split(/[/\\]/)[0] === name);
}

function metadataOf(step: number, { update, environmentSteps, best }: PpoMoment, writing: Writing): Metadata {
  const { told, exp, config } = writing;
  return {
    timestamp: told.times.get(step) ?? null,
    ema_return: best?.ema ?? null,
    // updates are counted from 0
    current_return: told.returns.get(update - 1) ?? null,
    training_step: update,
    global_step: environmentSteps,
    exp_id: exp,
    vla_path: config.policy,
  };
}

interface Told {
  /** creation time by a checkpoint's step; the latest if it was made again */
  readonly times: ReadonlyMap<number, string>;
  /** mean return by update */
  readonly returns: ReadonlyMap<number, number | null>;
}

function toldIn(run: string): Told {
  const lines = (name: string) =>
    (isThere(join(run, name)) ? readJournal(join(run, name)) : []) as Readonly<Record<string, unknown>>[];
  const made = lines(layout.events).filter(({ kind }) => kind === 'checkpoint');
  const updates = lines(layout.metrics).filter(({ kind }) => kind === 'update');
  return {
    times: new Map(made.map(({ step, time }) => [step as number, time as string])),
    returns: new Map(updates.map((line) => [line['update'] as number, line['mean_return'] as number | null])),
  };
}

/** PEFT's configuration with the name of the base model, for a published folder. */
function namingBase(path: string, base: string): Uint8Array {
  const settings = JSON.parse(new TextDecoder().decode(bytesOf(path))) as object;
  return text(JSON.stringify({ ...settings, base_model_name_or_path: base }, null, 2));
}

const text = (content: string): Uint8Array => new TextEncoder().encode(`${content}\n`);

function bytesOf(path: string): Uint8Array {
  return new Uint8Array(whileReading(path, () => readFileSync(path)));
}

/** An upper bound: the optimizer is not copied, the best checkpoint exists twice. */
function spaceNeeded(listed: readonly ListedCheckpoint[], companions: readonly Content[]): number {
  const beside = companions.reduce((sum, { size }) => sum + size, 0);
  return listed.reduce((sum, { bytes, isBest }) => sum + (isBest ? 2 : 1) * (bytes + beside), 0);
}

function requireRun(run: string): void {
  if (isThere(join(run, layout.run))) return;
  if (!isThere(run.replace(/@(best|latest|\d+)$/, '')))
    throw new EmacError('missing', `${run}: does not exist; give the folder of a run`);
  throw new EmacError(
    'usage',
    `${run}: is not a run, but --layout published exports all checkpoints of a run; give the run's folder`,
  );
}

function requireEmpty(out: string): void {
  if (!isThere(out) || (isFolder(out) && whileReading(out, () => readdirSync(out)).length === 0)) return;
  throw new EmacError(
    'cannot-create',
    `--out ${out}: already exists and is not empty; give another name, or empty it`,
  );
}

function noAdapter(place: string, policy: string): EmacError {
  return new EmacError(
    'usage',
    `${place}: --layout published is for adapters, and this policy (${policy}) has none; export it without --layout`,
  );
}
