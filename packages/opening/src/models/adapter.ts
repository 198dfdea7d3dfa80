/** The trainable parts of a policy, its adapter, and the adapter's files. */
import {
  adapterTargets,
  encodeAdapter,
  type Adapter,
  type AdapterTarget,
  type Family,
  type ModelFiles,
} from '@emac/backbone';
import { EmacError, type Random } from '@emac/core';
import { drawnAdapter, type TrainedPart } from '@emac/model';
import type { TrainedFiles } from '@emac/runs';
import { defaultAdapter, type FreshAdapter, type TrainConfig } from '@emac/settings';
import type { OpenModel } from './model.ts';
import type { ProjectionStart } from './projection-start.ts';

/** What learns: as asked, else the projection, or an adapter where there is none. Errors: `usage` for a projection of a model that reads text alone. */
export function partsInUse(
  { trained: { parts } }: Pick<TrainConfig, 'trained'>,
  { folder, family }: Pick<ModelFiles, 'folder' | 'family'>,
): NonNullable<TrainConfig['trained']['parts']> {
  if (family.vision || parts === null || parts === 'lora')
    return parts ?? (family.vision ? 'projection' : 'lora');
  throw new EmacError(
    'usage',
    `--train ${parts}: ${folder} is ${family.title} model, which reads text alone and has no projection; give --train lora, or leave it out`,
  );
}

/** The parts that learn. Errors: those of `partsInUse`. */
export function trainedParts(
  config: Pick<TrainConfig, 'trained'>,
  { files }: Pick<OpenModel, 'files'>,
): TrainedPart[] {
  return partsInUse(config, files)
    .split(',')
    .map((part) => (part === 'lora' ? 'adapter' : 'projection'));
}

/**
 * The adapter of a policy: its start's, frozen unless trained; else a new one if one is to be trained; else none.
 * Errors: `usage` for settings that contradict the start's, or name no projection.
 */
export function adapterStart(
  { trained }: Pick<TrainConfig, 'trained'>,
  {
    start,
    model,
    random,
    fresh = defaultAdapter,
  }: {
    readonly start: ProjectionStart;
    readonly model: OpenModel;
    readonly random: Random;
    /** remaining settings of a new adapter */
    readonly fresh?: FreshAdapter;
  },
): Adapter | null {
  if (!partsInUse({ trained }, model.files).includes('lora')) return start.adapter;
  const targets = trained.targets === null ? null : targetsOf(trained.targets);
  if (!start.adapter) {
    const { rank, alpha, dropout } = fresh;
    const settings = {
      rank: trained.rank ?? rank,
      alpha: trained.alpha ?? alpha,
      dropout: trained.dropout ?? dropout,
      targets: targets ?? targetsOf(fresh.targets),
      rankStabilized: false,
    };
    return drawnAdapter(model.files.config, settings, random.stream('adapter'));
  }
  const { settings } = start.adapter;
  const given = { rank: trained.rank, alpha: trained.alpha, targets: targets?.join() ?? null };
  const own = { rank: settings.rank, alpha: settings.alpha, targets: settings.targets.join() };
  for (const name of ['rank', 'alpha', 'targets'] as const)
    if (given[name] !== null && given[name] !== own[name])
      throw new EmacError(
        'usage',
        `--lora-${name}: training starts from an adapter whose ${name === 'targets' ? 'targets are' : `${name} is`} ${own[name]}, got ${given[name]}; leave it out, or start with --init model`,
      );
  return { ...start.adapter, settings: { ...settings, dropout: trained.dropout ?? settings.dropout } };
}

/** Errors: `usage` for a name that no projection has. */
function targetsOf(text: string): AdapterTarget[] {
  if (text === 'all-linear') return [...adapterTargets];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !adapterTargets.some((target) => target === name));
  if (unknown !== undefined)
    throw new EmacError(
      'usage',
      `--lora-targets: ${JSON.stringify(unknown)} matches no projection of the language model; give all-linear, or some of ${adapterTargets.join(', ')}`,
    );
  return adapterTargets.filter((target) => names.includes(target));
}

/** An adapter's files in PEFT's form; they name no base model, since checkpoints hold no paths. */
export function adapterFiles(adapter: Adapter, family: Pick<Family, 'moduleOf'>): TrainedFiles {
  return { tensors: adapter.parameters, files: encodeAdapter(adapter, { base: null, family }) };
}
