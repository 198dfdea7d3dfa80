/** A small network learns one environment from one seed, resumable, and is scored on held-out seeds. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ppo, type PpoCheckpoint, type PpoLine, type PpoState } from '@emac/algorithms';
import {
  Random,
  parametersOf,
  type ActorCritic,
  type Parameter,
  type ParameterSet,
  type Sampling,
  type StepEnvironment,
} from '@emac/core';
import { ppoConfig } from '@emac/experiment';
import { pack, unpack, writeFileAtomic } from '@emac/files';
import { kinds, localWorld } from '@emac/opening';
import type { OptimizerState } from '@emac/optim';
import { arrayTexts, scoreEpisodes, summarize } from '@emac/rollout';
import { ppoSettingsOf } from '@emac/settings';
import { createSmallNetwork, mlp, type SmallNetwork } from '@emac/small-networks';
import { exactReturn } from './exact-return.ts';

export interface Job {
  readonly id: string;
  readonly seed: number;
  /** of the evaluation */
  readonly episodes: number;
  /** a folder that is there */
  readonly folder: string;
  /** environment steps, if not the preset's */
  readonly environmentSteps: number | null;
  /** updates between two checkpoints in the folder; default 20 */
  readonly updatesPerCheckpoint?: number;
  readonly report: (line: PpoLine) => void;
}

export interface Learned {
  readonly id: string;
  readonly seed: number;
  readonly environmentSteps: number;
  readonly episodes: number;
  readonly greedy: Score;
  readonly sampled: Score;
  /** exact mean return of greedy play, if known (Blackjack); null elsewhere */
  readonly exact: number | null;
  /** of learning, while this process ran */
  readonly seconds: number;
  /** the same, of the steps that were made meanwhile */
  readonly stepsPerSecond: number;
}

export interface Score {
  readonly meanReturn: number;
  readonly standardError: number;
  readonly success: number;
  readonly meanSteps: number;
}

interface Stored {
  readonly checkpoint: PpoCheckpoint;
  readonly parameters: ParameterSet;
}

/** environments that are evaluated side by side */
const evaluated = 64;
/** Environments with settings for small networks. */
export const foundEnvironments: readonly string[] = kinds
  .flatMap(({ ids, local }) => (local ? [...ids] : []))
  .filter((id) => localWorld(id).numbers?.found?.network);

function makeEnvironment(id: string): StepEnvironment {
  return localWorld(id).make({ maxSteps: null });
}

/** Resumes after an interruption, to the same result. */
export async function learn(job: Job): Promise<Learned> {
  const { id, seed, folder } = job;
  const result = join(folder, `${nameOf(job)}.json`);
  if (existsSync(result)) return JSON.parse(readFileSync(result, 'utf8')) as Learned;
  const stored = readStored(job);
  const random = Random.fromSeed(`small-ppo/${id}/${seed}`);
  const first = makeEnvironment(id);
  const network = await createSmallNetwork({
    architecture: mlp({ inputs: localWorld(id).numbers!.inputs! }),
    actions: first.actions,
    start: stored?.parameters ?? random.stream('start'),
  });
  try {
    const trained = await train(job, { network, stored, random });
    const learned = { id, seed, ...trained, ...(await scores(job, network)) };
    writeFileAtomic(result, `${JSON.stringify(learned, null, 1)}\n`);
    return learned;
  } finally {
    await network.dispose();
  }
}

interface Training {
  readonly network: SmallNetwork;
  readonly stored: Stored | null;
  readonly random: Random;
}

async function train(job: Job, { network, stored, random }: Training) {
  const config = ppoConfig({ env: job.id, policy: 'mlp' });
  const { play, ...settings } = ppoSettingsOf(config);
  const environmentSteps = job.environmentSteps ?? play.environmentSteps;
  const before = stored?.checkpoint.state.environmentSteps ?? 0;
  const begun = performance.now();
  const state = await ppo({
    settings: { ...settings, play: { ...play, environmentSteps } },
    actorCritic: network,
    environments: Array.from({ length: config.play.environments }, () => makeEnvironment(job.id)),
    texts: arrayTexts,
    random: random.stream('ppo'),
    metrics: job.report,
    checkpoint: (checkpoint) => {
      if (checkpoint.state.update % (job.updatesPerCheckpoint ?? 20) === 0)
        writeStored(job, { checkpoint, parameters: parametersIn(network) });
    },
    ...(stored && { resume: stored.checkpoint }),
  });
  const seconds = (performance.now() - begun) / 1000;
  const made = state.environmentSteps;
  return { environmentSteps: made, seconds, stepsPerSecond: (made - before) / seconds };
}

async function scores({ id, seed, episodes }: Job, policy: SmallNetwork) {
  const environments = Array.from({ length: evaluated }, () => makeEnvironment(id));
  const random = Random.fromSeed(`small-ppo/evaluation/${seed}`);
  const numbers = Array.from({ length: episodes }, (_, number) => number);
  const common = { policy, environments, texts: arrayTexts, numbers, random };
  const score = async (sampling: Sampling): Promise<Score> => {
    const scored = await scoreEpisodes({ ...common, sampling });
    const games = scored.map(({ return: sum, steps }, number) => {
      return { id: String(number), type: null, won: sum > 0, steps, seen_in_training: false, return: sum };
    });
    const { mean_return, standard_error, success, mean_steps } = summarize(games);
    return {
      meanReturn: mean_return!,
      standardError: standard_error!,
      success: success!,
      meanSteps: mean_steps!,
    };
  };
  const greedy = await score({ kind: 'search', beams: 1 });
  const sampled = await score({ kind: 'sample', temperature: 1, topP: 1 });
  return { episodes, greedy, sampled, exact: await exactReturn(id, policy) };
}

function parametersIn({ groups }: Pick<ActorCritic, 'groups'>): ParameterSet {
  return parametersOf({ groups: [...groups.policy, ...groups.value] });
}

function nameOf({ id, seed }: Pick<Job, 'id' | 'seed'>): string {
  return `${id.replaceAll('/', '-')}-s${seed}`;
}

function checkpointFile(job: Job): string {
  return join(job.folder, `${nameOf(job)}.checkpoint`);
}

/** Maps as lists, for MessagePack. */
interface Packed {
  readonly state: PpoState;
  readonly policy: PackedMoments;
  readonly value: PackedMoments;
  readonly parameters: readonly (readonly [string, Parameter])[];
}

interface PackedMoments {
  readonly step: number;
  readonly tensors: readonly (readonly [string, Parameter])[];
}

function writeStored(job: Job, { checkpoint, parameters }: Stored): void {
  const { policy, value } = checkpoint.optimizer;
  const packed = ({ step, tensors }: OptimizerState): PackedMoments => ({ step, tensors: [...tensors] });
  const all: Packed = {
    state: checkpoint.state,
    policy: packed(policy),
    value: packed(value),
    parameters: [...parameters],
  };
  writeFileAtomic(checkpointFile(job), pack(all));
}

function readStored(job: Job): Stored | null {
  const file = checkpointFile(job);
  if (!existsSync(file)) return null;
  const { state, policy, value, parameters } = unpack(readFileSync(file)) as Packed;
  const unpacked = ({ step, tensors }: PackedMoments): OptimizerState => ({
    step,
    tensors: new Map(tensors),
  });
  const optimizer = { policy: unpacked(policy), value: unpacked(value) };
  return { checkpoint: { state, optimizer }, parameters: new Map(parameters) };
}
