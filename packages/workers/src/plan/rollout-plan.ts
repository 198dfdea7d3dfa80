/** The plan of runs that play whole episodes with a language model: its networks, texts, expert, and what it trains. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Adapter, AdapterTarget, VisionNorm } from '@emac/backbone';
import { EmacError, type OpenedKind } from '@emac/core';
import { whileReading } from '@emac/files';
import {
  computingOf,
  type Host,
  type Learning,
  type OpenedAs,
  type OpenModel,
  type PolicyForm,
} from '@emac/opening';
import type { SharedFolder } from '@emac/queue';
import type { ExpertShare, Rollout } from '@emac/rollout';
import {
  shippedModelFolder,
  shippedModels,
  usualEnvironment,
  type ExpertConfig,
  type TrainConfig,
} from '@emac/settings';
import { storePlan } from './plan.ts';
import type { PlannedConfig } from './player.ts';

export interface RolloutPlan extends PlannedConfig {
  readonly model: OpenedAs;
  readonly form: Pick<PolicyForm, 'generation' | 'text' | 'maxSteps'>;
  /** projections of the language model that any version adapts */
  readonly targets: readonly AdapterTarget[];
  readonly visionNorm: VisionNorm | null;
  /** null without an expert, and if the trainer asks for labels */
  readonly expert: Labelling | null;
  /** what gradients are of; null if workers compute none */
  readonly learning: Pick<Learning, 'train' | 'dropoutSeed'> | null;
  /** seed of the run, for environments that draw training tasks */
  readonly seed?: number;
  /** files of tasks, by their hashes in the shared folder; absent: the environment's own tasks */
  readonly taskFiles?: { readonly source: string | null; readonly heldOut: string | null };
}

export interface Labelling {
  readonly config: Pick<ExpertConfig, 'kind' | 'noise' | 'thoughts'>;
  /** seed and names of the teacher's generator */
  readonly random: string;
}

export interface RolloutParts extends Pick<RolloutPlan, 'expert' | 'seed' | 'visionNorm'> {
  readonly model: OpenModel;
  /** how it was opened */
  readonly config: Omit<OpenedAs, 'path'>;
  readonly form: RolloutPlan['form'] & Pick<PolicyForm, 'env'>;
  readonly adapters: readonly (Adapter | null)[];
  readonly learning?: RolloutPlan['learning'];
  readonly host: Pick<Host, 'environment'>;
  /** of the environment */
  readonly taskFiles?: OpenedKind['taskFiles'];
}

/** Stores the plan of a run; returns its hash. Errors: those of the folder; `missing` for a file of tasks. */
export function storeRolloutPlan(folder: SharedFolder, parts: RolloutParts): string {
  const { model, form, adapters, visionNorm, expert, learning = null, seed, host } = parts;
  const { taskFiles } = parts;
  const shared = (path: string | null | undefined): string | null =>
    path == null ? null : folder.put(whileReading(path, () => readFileSync(path)));
  const { env, generation, text, maxSteps } = form;
  const config: RolloutPlan = {
    env: env ?? usualEnvironment,
    model: { ...parts.config, path: nameOf(model) },
    form: { generation, text, maxSteps },
    targets: [...new Set(adapters.flatMap((adapter) => adapter?.settings.targets ?? []))].sort(),
    visionNorm,
    expert,
    learning,
    // in ALFWorld jobs bring games
    ...(env !== undefined && seed !== undefined && { seed }),
    ...(taskFiles && {
      taskFiles: { source: shared(taskFiles.source), heldOut: shared(taskFiles.heldOut) },
    }),
  };
  const policy = { identity: model.identity, computing: computingOf(model) };
  return storePlan(folder, { plays: 'attempts', config, policy, host });
}

/** The name of a shipped model, present in every installation; else the model's path. */
function nameOf({ folder }: Pick<OpenModel, 'folder'>): string {
  return shippedModels.find((name) => shippedModelFolder(name) === folder) ?? resolve(folder);
}

const ruleNames = [
  'sampling',
  'asksPolicy',
  'maxSteps',
  'stopRepeating',
  'admissibleOnly',
  'policyMemory',
  'randomActions',
] as const;

/** The part of a rollout that is plain data. */
export interface PlayRules extends Pick<Rollout, (typeof ruleNames)[number]> {
  readonly isLabelled: boolean;
}

/** The rules of a rollout. */
export function rulesOf(setup: Rollout, labels: boolean): PlayRules {
  const rules = ruleNames.flatMap((name) => (setup[name] === undefined ? [] : [[name, setup[name]]]));
  return { ...Object.fromEntries(rules), isLabelled: labels && setup.expert !== null } as PlayRules;
}

/** True if every worker can label. Otherwise the trainer asks: keys, paid replies and custom code stay with it. */
export function workersLabel({ kind }: Pick<ExpertConfig, 'kind'>): boolean {
  return kind === 'handcoded' || kind === 'planner';
}

interface ForWorkers extends Pick<TrainConfig, 'world'> {
  readonly expert?: ExpertConfig;
  readonly dataset?: TrainConfig['dataset'];
  readonly play?: { readonly expertShare: Pick<ExpertShare, 'start'> };
}

/** Errors: `usage` for settings that workers do not support. */
export function requireForWorkers({ world, expert, dataset, play }: ForWorkers): void {
  if (world.kind !== 'own')
    throw new EmacError(
      'usage',
      `--queue: workers play built-in games or games of files, but with --world ${world.kind} clients bring the games; give one of the two`,
    );
  const expertActs = play !== undefined && play.expertShare.start > 0;
  if (expert && !dataset && expertActs && !workersLabel(expert))
    throw new EmacError(
      'usage',
      `--queue: labels of ${named(expert)} are computed after workers have played, so the expert cannot act; give --act-with student, or leave --queue out`,
    );
}

function named({ kind, module }: ExpertConfig): string {
  return `--expert ${kind === 'module' ? (module ?? 'FILE') : kind}`;
}
