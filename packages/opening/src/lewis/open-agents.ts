/**
 * Opens a speaker or listener by name: the untrained model, a run that trained one, a service at an address, or a
 * perfect player of drawn pictures.
 */
import { resolve } from 'node:path';
import { adapterScale } from '@emac/backbone';
import type { AnswerJournal } from '@emac/bridge';
import { EmacError } from '@emac/core';
import { encodeFloats, isThere, sha256 } from '@emac/files';
import { thingOf, trueDescription, type Listener, type Speaker } from '@emac/lewis';
import { policyParameters, type Student } from '@emac/model';
import { readRecord } from '@emac/runs';
import {
  lewisGame,
  pathFrom,
  shippedModelFolder,
  shippedModels,
  untrained,
  type GrpoConfig,
  type LewisRole,
} from '@emac/settings';
import type { Host } from '../host.ts';
import { requireSight } from '../models/policy-form.ts';
import { openPolicy } from '../models/open-policy.ts';
import { checkpointForm } from '../models/checkpoint-form.ts';
import { isModel } from '../models/projection-start.ts';
import { parallelOf } from '../models/student.ts';
import {
  modelListener,
  modelSpeaker,
  type Drawing,
  type ListenerReading,
  type ModelAgent,
} from './model-agents.ts';
import type { Pictures } from './pictures.ts';
import { isAddress, remoteListener, remoteSpeaker, type RemoteAgent } from './remote-agents.ts';

export interface AgentPlace {
  /** `model`, `true` for a speaker, an address, a run or a checkpoint, or a model with or without an adapter as `emac eval --ckpt` takes it */
  readonly name: string;
  /** meaning of `model`, and compute settings; a run, or a model in another folder, has its own pixel limit */
  readonly model: GrpoConfig['model'] & { readonly path: string };
  readonly pictures: Pictures;
  /** the game played; an agent trained on other concepts is refused */
  readonly game?: GrpoConfig['game'];
  /** of pictures that are sent to an address; null sends their names */
  readonly folder: string | null;
  /** default data */
  readonly send?: GrpoConfig['send'];
  /** stores an address's answers; default none */
  readonly journal?: AnswerJournal;
  /** of a listener, unless its run says */
  readonly reading?: ListenerReading;
}

export interface Opened<Agent> {
  readonly agent: Agent;
  dispose(): Promise<void>;
}

export interface OpenedSpeaker extends Opened<Speaker> {
  /** The same with sampled words; a player that is no local model ignores it. */
  drawn(drawing: Drawing): Speaker;
}

/** Errors: `data` for a run that trained another role; those of opening a policy. */
export async function openSpeaker(
  place: AgentPlace,
  host: Pick<Host, 'env' | 'signal'>,
): Promise<OpenedSpeaker> {
  if (place.name === 'true') return unchanged(trueSpeaker);
  if (isAddress(place.name)) return unchanged(await remoteSpeaker(remote(place), host));
  const { agent, dispose } = await openAgent('speaker', place, host);
  return { agent: modelSpeaker(agent), drawn: (drawing) => modelSpeaker(agent, drawing), dispose };
}

function unchanged(agent: Speaker): OpenedSpeaker {
  return { ...opened(agent), drawn: () => agent };
}

/** Errors: as `openSpeaker`. A trained listener is read as it was trained. */
export async function openListener(
  place: AgentPlace,
  host: Pick<Host, 'env' | 'signal'>,
): Promise<Opened<Listener>> {
  if (isAddress(place.name)) return opened(await remoteListener(remote(place), host));
  const { agent, isTrained, dispose } = await openAgent('listener', place, host);
  return { agent: modelListener(agent, place.reading ?? (isTrained ? 'reasons' : 'first')), dispose };
}

function opened<Agent>(agent: Agent): Opened<Agent> {
  return { agent, dispose: async () => {} };
}

function remote({ name, folder, journal, send = 'data', model: { maxPixels } }: AgentPlace): RemoteAgent {
  return { address: name, folder, send, maxPixels, journal: journal ?? { append: () => undefined } };
}

/** Sees right, in the built-in world. Errors: `data` for another picture. */
const trueSpeaker: Speaker = {
  identity: async () => 'true',
  ask: async (questions) => ({
    answers: questions.map(({ picture }) => trueDescription(thingOf(picture))),
    identity: 'true',
  }),
};

async function openAgent(
  role: LewisRole,
  place: AgentPlace,
  host: Pick<Host, 'env'>,
): Promise<Opened<ModelAgent> & { readonly isTrained: boolean }> {
  const { name, model, pictures } = place;
  const trained = name === untrained ? null : trainedAs(role, place);
  const maxPixels = trained ? trained.maxPixels : isOtherModel(name, model) ? null : model.maxPixels;
  const { student, model: opened } = await openPolicy(
    {
      ckpt: name === untrained ? model.path : name,
      env: lewisGame,
      model: { ...model, maxPixels, path: trained?.path ?? (isModel(name) ? name : model.path) },
      // answers of a run are as long as in its training, others as long as published, 128 tokens
      speech: { beams: 1, minLength: null, maxLength: null, maxPromptTokens: null, observe: null },
      maxSteps: null,
      admissibleOnly: null,
    },
    host,
  );
  requireSight('lewis', opened.files);
  return {
    agent: {
      policy: named(student, `--${role} ${name}`),
      pictures,
      identity: policyIdentity(student, maxPixels),
      atOnce: atOnceOf(student),
    },
    isTrained: trained !== null,
    dispose: () => student.dispose(),
  };
}

/** The policy, with its name added to its errors, such as a prompt that is too long for its model. */
function named(student: ModelAgent['policy'], name: string): ModelAgent['policy'] {
  const placed = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      if (!(thrown instanceof EmacError) || thrown.code !== 'data') throw thrown;
      throw new EmacError('data', `${name}: ${thrown.message}`, { cause: thrown });
    }
  };
  return {
    ...student,
    decide: (questions, sampling) => placed(student.decide(questions, sampling)),
    score: (rows) => placed(student.score(rows)),
  };
}

/** True for a named model other than the settings' own. */
function isOtherModel(name: string, { path }: Pick<AgentPlace['model'], 'path'>): boolean {
  const [own, named] = [path, name].map((each) => resolve(shippedModelFolder(each) ?? each));
  return isModel(name) && named !== own;
}

/**
 * The model of a run of this game, and its view of pictures; null for a policy of another kind. Errors: `data` if it
 * trained the other role, or on held-out concepts.
 */
function trainedAs(
  role: LewisRole,
  { name, game, model }: AgentPlace,
): Pick<AgentPlace['model'], 'path' | 'maxPixels'> | null {
  const { lewis: form, run = null } = checkpointForm(name) ?? {};
  if (!form) return null;
  if (form.role !== role)
    throw new EmacError(
      'data',
      `--${role} ${name}: trained a ${form.role}; give a run that trained a ${role}`,
    );
  if (game) requireSplit(`--${role} ${name}`, form.game, game);
  // runs that were made before there was a limit have none
  const { path, maxPixels = null } = form.model;
  return { path: modelOf(run, path) ?? model.path, maxPixels };
}

/** Errors: `data` if held-out concepts were trained on. */
export function requireSplit(place: string, trained: GrpoConfig['game'], played: GrpoConfig['game']): void {
  const isOfOthers = trained.pictures !== played.pictures;
  const { splitSeed, trainingShare } = trained;
  if (isOfOthers || (splitSeed === played.splitSeed && trainingShare === played.trainingShare)) return;
  throw new EmacError(
    'data',
    `${place}: was trained on concepts that are held out here; give its own --split-seed ${splitSeed} and --training-share ${trainingShare}`,
  );
}

/** Path of a run's model; null if it is gone. */
function modelOf(run: string | null, path: string): string | null {
  const from = run === null ? path : pathFrom(path, readRecord(run).workingDirectory);
  return shippedModels.includes(from) || isThere(from) ? from : null;
}

/** Of the networks, everything that was trained and the limit on pixels: equal names, equal answers. */
export function policyIdentity(
  student: Pick<Student, 'modelIdentity' | 'projection' | 'adapter'>,
  maxPixels: number | null,
): string {
  const scale = student.adapter ? JSON.stringify(adapterScale(student.adapter.settings)) : 'none';
  const seen = maxPixels === null ? {} : { maxPixels: String(maxPixels) };
  return sha256(encodeFloats(policyParameters(student), { identity: student.modelIdentity, scale, ...seen }));
}

/** Prompts that are answered side by side. */
export function atOnceOf(student: Pick<Student, 'layers'>): number {
  return 4 * parallelOf(student);
}
