/** What a worker has to know to play steps of a run of PPO: its configuration, without paths that only the trainer has. It lies in the shared folder under its hash. */
import { resolve } from 'node:path';
import { modelPath, type Computing, type Host, type PpoPolicy } from '@emac/opening';
import type { StateDigest } from '@emac/rollout';
import { EmacError } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import type { SharedFolder, Versions } from '@emac/queue';
import { policyFrom, shippedModels, smallNetworkOf, type PpoConfig } from '@emac/settings';
import { plannedCode, type PlannedCode } from './named-code.ts';
import { workerVersions } from './worker-versions.ts';

export interface StepPlan extends PlannedCode {
  readonly v: 1;
  /** of the code: what another has played is not this run's, also where it lies in the queue still */
  readonly versions: Versions;
  readonly config: PpoConfig;
  /** of the frozen networks, or what the network is made of */
  readonly identity: string;
  /** null for a small network */
  readonly computing: Computing | null;
}

/** Stores the plan of a run; returns its hash. Paths of the configuration must be those of here. Errors: those of the folder. */
export function storeStepPlan(
  folder: SharedFolder,
  {
    config,
    policy,
    host,
  }: {
    readonly config: PpoConfig;
    readonly policy: Pick<PpoPolicy, 'identity' | 'computing'>;
    readonly host: Pick<Host, 'environment'>;
  },
): string {
  const { identity, computing } = policy;
  const plan: StepPlan = {
    v: 1,
    versions: workerVersions(),
    config: sent(config),
    identity,
    computing,
    ...plannedCode(host),
  };
  return folder.put(Buffer.from(canonicalJson(plan)));
}

/** What concerns the trainer alone is as it is in every run; a start is shared by itself. */
function sent(config: PpoConfig): PpoConfig {
  const shaping = { ...config.shaping, utility: null, temporalPredictor: 0 };
  const policy = smallNetworkOf(config) ? policyFrom(config, '.') : modelName(config.policy);
  return { ...config, policy, shaping, init: null, utilities: null, out: 'runs' };
}

/** The word of a shipped model, which every installation has; else where it lies. */
export function modelName(name: string): string {
  return shippedModels.includes(name) ? name : resolve(modelPath(name));
}

/** Errors: `usage` for what one process has to do. */
export function requireStepsForWorkers({ curriculum, inference, world }: PpoConfig): void {
  if (world.kind !== 'own')
    throw new EmacError(
      'usage',
      `--queue: workers play games of files or built-in ones, and --world ${world.kind} has its own clients; give one of the two`,
    );
  if (curriculum.formula !== null)
    throw new EmacError(
      'usage',
      `--queue: workers play episodes that are drawn, and --curriculum ${curriculum.formula} chooses the next by what others ended with; give one of the two`,
    );
  if (inference.url !== null)
    throw new EmacError(
      'usage',
      '--queue: workers answer themselves, and --inference has a server answer; give one of the two',
    );
}

/** Of what environments are in, as JSON. */
export const stateDigest: StateDigest = (state) => sha256(Buffer.from(canonicalJson(state)));
