/**
 * The plan of a run: the model, compute settings, texts and expert a worker needs to play its episodes. It lies in the
 * shared folder under its hash; it holds no key, and no path but the model's. Parameters and games come with each job.
 */
import { resolve } from 'node:path';
import type { Adapter, AdapterTarget, VisionNorm } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { canonicalJson, encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import {
  computingOf,
  visionNormTensors,
  type Computing,
  type OpenedAs,
  type OpenModel,
  type PolicyForm,
} from '@emac/opening';
import type { SharedFolder, Versions } from '@emac/queue';
import type { ExpertShare, Rollout } from '@emac/rollout';
import {
  programVersions,
  shippedModelFolder,
  shippedModels,
  type ExpertConfig,
  type TrainConfig,
} from '@emac/settings';
import { patiently } from './carried.ts';
import type { PlannedCode } from './named-code.ts';

export interface RolloutPlan extends PlannedCode {
  readonly v: 1;
  /** of the code: results of another version do not count, even if still in the queue */
  readonly versions: Versions;
  readonly model: OpenedAs;
  /** SHA-256 of the frozen networks */
  readonly identity: string;
  readonly computing: Computing;
  readonly form: Pick<PolicyForm, 'env' | 'generation' | 'text' | 'maxSteps'>;
  /** projections of the language model that any version adapts */
  readonly targets: readonly AdapterTarget[];
  /** hash of its tensors */
  readonly visionNorm: { readonly hash: string; readonly epsilon: number } | null;
  /** null without an expert */
  readonly expert: Labelling | null;
  /** seed of the run, for environments that draw training tasks; absent in ALFWorld, where jobs bring games */
  readonly seed?: number;
}

export interface Labelling {
  readonly config: Pick<ExpertConfig, 'kind' | 'noise' | 'thoughts'>;
  /** seed and names of the teacher's generator */
  readonly random: string;
}

export interface PlanParts extends PlannedCode {
  readonly model: OpenModel;
  /** how it was opened */
  readonly config: Omit<OpenedAs, 'path'>;
  readonly form: RolloutPlan['form'];
  readonly adapters: readonly (Adapter | null)[];
  readonly visionNorm: VisionNorm | null;
  readonly expert: Labelling | null;
  readonly seed?: number;
}

/** Stores the plan of a run; returns its hash. Errors: those of the folder. */
export function storePlan(folder: SharedFolder, parts: PlanParts): string {
  const { model, config, form, adapters, visionNorm, expert, code, seed } = parts;
  const targets = adapters.flatMap((adapter) => adapter?.settings.targets ?? []);
  const { env, generation, text, maxSteps } = form;
  const plan: RolloutPlan = {
    v: 1,
    versions: programVersions(),
    model: { ...config, path: nameOf(model) },
    identity: model.identity,
    computing: computingOf(model),
    form: { ...(env !== undefined && { env }), generation, text, maxSteps },
    targets: [...new Set(targets)].sort(),
    visionNorm: visionNorm && {
      hash: folder.put(encodeFloats(visionNormTensors(visionNorm))),
      epsilon: visionNorm.epsilon,
    },
    expert,
    ...(code !== undefined && { code }),
    ...(env !== undefined && seed !== undefined && { seed }),
  };
  return folder.put(Buffer.from(canonicalJson(plan)));
}

/** The vision norm of a plan. Errors: `missing`, `data`. */
export async function readVisionNorm(
  folder: SharedFolder,
  { visionNorm }: Pick<RolloutPlan, 'visionNorm'>,
): Promise<VisionNorm | null> {
  if (visionNorm === null) return null;
  const { hash, epsilon } = visionNorm;
  const file = openSafetensors(await patiently(() => folder.file(hash)));
  const [weight, bias] = [...visionNormTensors({ weight: empty, bias: empty, epsilon }).keys()].map((name) =>
    readFloat32(file, name),
  );
  return { weight: weight!, bias: bias!, epsilon };
}

const empty = new Float32Array();

/** The name of a shipped model, present in every installation; else the model's path. */
function nameOf({ folder }: Pick<OpenModel, 'folder'>): string {
  return shippedModels.find((name) => shippedModelFolder(name) === folder) ?? resolve(folder);
}

/** The part of a rollout that is plain data. */
export interface PlayRules extends Pick<
  Rollout,
  | 'sampling'
  | 'asksPolicy'
  | 'maxSteps'
  | 'stopRepeating'
  | 'admissibleOnly'
  | 'policyMemory'
  | 'randomActions'
> {
  readonly isLabelled: boolean;
}

/** The rules of a rollout. */
export function rulesOf(setup: Rollout): PlayRules {
  const { sampling, asksPolicy, maxSteps, stopRepeating, admissibleOnly, policyMemory, randomActions } =
    setup;
  return {
    sampling,
    asksPolicy,
    maxSteps,
    stopRepeating,
    admissibleOnly,
    policyMemory,
    ...(randomActions !== undefined && { randomActions }),
    isLabelled: setup.expert !== null,
  };
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
