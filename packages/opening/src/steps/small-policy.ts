/**
 * Small networks as every method but sft trains them: a perceptron over the arrays of an environment, convolutions over its picture, or an `.onnx` file
 * over either. In a custom environment they choose among the actions of its first observation, and read its arrays as numbers.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  EmacError,
  parametersOf,
  type NumberedWorld,
  type OpenedKind,
  type ParameterSet,
  type Policy,
  type Prompt,
  type Speech,
} from '@emac/core';
import { sha256 } from '@emac/files';
import { arrayTexts, pixelTexts, type StepTexts } from '@emac/rollout';
import { checkpointFiles, loadCheckpoint, networkActions, networkFiles, resolveCheckpoint } from '@emac/runs';
import { smallNetworkOf, type PpoConfig } from '@emac/settings';
import {
  cnn,
  createSmallNetwork,
  mlp,
  onnx,
  policyAlone,
  type Architecture,
  type SmallNetwork,
} from '@emac/small-networks';
import { openedBy } from '../closings.ts';
import { isDescribedElsewhere, isPlayedElsewhere, isWorded, localWorld } from '../environments/kind-of.ts';
import { isModel } from '../models/projection-start.ts';
import type { Host } from '../host.ts';
import type { EpisodePolicy } from '../models/episode-policy.ts';
import { numberedEnvironment, type EnvironmentsOf } from './ppo-environments.ts';
import type { PpoForm } from '../models/policy-form.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';
import { openNumbered, openWorded } from './worded-environments.ts';

/** Errors: `data` for parameters of another network, `usage` for an environment that it cannot read; those of a custom one. */
export function openSmallPolicy(config: PpoConfig, start: PolicyStart, host: Host): Promise<PpoPolicy> {
  return openedBy(async (open) => {
    refuseRobot(config.env, config.policy);
    const kind = (await openNumbered(config, host)) ?? (await openWorded(config, host));
    open.add(() => kind?.close?.());
    const isWords = kind !== null && kind.numbered === null;
    const read = isWords ? await readInWords(config, kind) : readByNumber(config, kind?.numbered);
    const { provider } = config.model;
    const { network, texts, ...policy } = await networkPolicy({ ...config, provider }, read, start);
    open.add(() => network.dispose());
    return {
      ...policy,
      actorCritic: network,
      actions: read.actions,
      texts: isWords ? inWords(texts, read.actions) : texts,
      kind,
      stored: {},
      computing: provider === 'cpu' ? null : { provider, tensorflow: 'none' },
      evaluatedAtOnce: Math.min(64, kind?.numbered ? (kind.seats?.() ?? 64) : 64),
      predictor: null,
      elsewhere: null,
      dispose: () => open.close(),
    };
  });
}

/** Errors: `usage` for a robot, which is moved by the numbers of an answer. */
function refuseRobot(env: string, policy: string): void {
  if (isPlayedElsewhere(env) && !isDescribedElsewhere(env))
    throw new EmacError(
      'usage',
      `--policy ${policy}: answers no numbers, but ${env} needs them; give a model`,
    );
}

/** What a network reads and chooses from. */
interface Read {
  /** the environment's, as checkpoints have it */
  readonly id: string;
  readonly actions: readonly string[];
  readonly architecture: Architecture;
}

/** Where a network acts, and what computes it. */
type Computed = EnvironmentsOf & Pick<PpoConfig['model'], 'provider'>;

/** What a network is, whoever asks it. */
async function networkPolicy(config: Computed, read: Read, start: PolicyStart) {
  const network = await openedNetwork(config, read, start);
  return {
    network,
    texts: readsFrame(config) ? pixelTexts : arrayTexts,
    name: config.policy,
    identity: identityOf(config, read.architecture),
    model: null,
    adapter: null,
    note: null,
    content: () => contentOf(network, read.actions),
  };
}

/** Errors: `data` for parameters of another network, or of this environment when it had other actions. */
async function openedNetwork(
  config: Computed,
  { id, actions, architecture }: Read,
  { random, from }: PolicyStart,
): Promise<SmallNetwork> {
  const sessions = { thread: 'main', threads: 1, provider: config.provider } as const;
  if (from === null) return createSmallNetwork({ architecture, actions, start: random }, sessions);
  if (isModel(from))
    throw new EmacError(
      'usage',
      `${from}: is a language model, but --policy ${config.policy} starts from a run with a small network; give such a run, or leave it out`,
    );
  const { parameters, identity, actions: learned, env } = storedNetwork(from);
  const own = identityOf(config, architecture);
  // names differ legitimately between environments, as between MiniGrid here and in Python
  if (identity === own && env === id && !isDeepStrictEqual(learned ?? actions, actions))
    throw new EmacError(
      'data',
      `${from}: its network chooses among ${named(learned!)}; ${env} now lists ${named(actions)}; give the same actions, or train a new network`,
    );
  try {
    return await createSmallNetwork({ architecture, actions, start: parameters }, sessions);
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'data') throw thrown;
    throw new EmacError(
      'data',
      `${from}: is another network (${identity}) than --policy ${config.policy} in ${config.env} (${own}): ${thrown.message}; give the --policy and --env of its run`,
      { cause: thrown },
    );
  }
}

function named(actions: readonly string[]): string {
  const shown = actions.slice(0, 12).join(', ');
  return actions.length > 12 ? `${shown} and ${actions.length - 12} more` : shown;
}

function contentOf(
  { groups: { policy, value } }: SmallNetwork,
  actions: readonly string[],
): ReturnType<PpoPolicy['content']> {
  const parameters = parametersOf({ groups: [...policy, ...value] });
  return { projection: null, beside: [networkFiles(parameters, actions)] };
}

/** The network's name, or its file, where it acts, what computes it, and the step limit. */
export interface NamedNetwork
  extends Pick<PpoConfig, 'env' | 'policy'>, Pick<PpoConfig['model'], 'provider'> {
  /** null: the environment's own */
  readonly maxSteps: number | null;
}

/** A small network that answers with the names of actions, as it is trained in whole episodes. Errors: as `openSmallPolicy`'s. */
export async function openWordedNetwork(
  { env, policy, provider, maxSteps }: NamedNetwork,
  opened: OpenedKind,
  start: PolicyStart,
): Promise<EpisodePolicy> {
  const play = { palette: 'true', maxSteps } as const;
  const config = { env, policy, provider, play, curriculum: { tasks: null, formula: null } };
  const read = isWorded(env) ? await readInWords(config, opened) : readByNumber(config);
  const { network, texts, ...own } = await networkPolicy(config, read, start);
  const promptOf: NonNullable<Policy['promptOf']> = ({ arrays, frames }) =>
    texts.prompt(texts.frames ? { frame: frames[0]! } : { ...(arrays && { arrays }) });
  return {
    ...own,
    learner: { ...policyAlone(network), encode: null, promptOf },
    // for a module its name: checkpoints hold no path
    stored: { environment: { env: opened.id, policy: start.typed ?? policy, play: { maxSteps } } },
    texts: actionNames,
    form: {
      text: { maxTokens: 1, thoughts: false, observe: texts.frames ? 'both' : 'text' },
      generation: { beams: 1, minLength: 1, maxLength: 1 },
      maxSteps: opened.maxSteps,
      admissibleOnly: false,
    },
    // it answers many in the time of one
    together: 64,
    anchor: ({ observation }) => JSON.stringify([observation.text, ...promptOf(observation).map(hashOfPart)]),
    language: null,
    dispose: () => network.dispose(),
  };
}

/** A picture's numbers would be kept for every step. */
function hashOfPart(part: Prompt[number]): string {
  if (part.kind !== 'array') return '';
  const { buffer, byteOffset, byteLength } = part.values.data;
  return sha256(new Uint8Array(buffer, byteOffset, byteLength));
}

const actionNames: Speech = {
  prompt: () => '',
  target: (action) => action,
  read: ({ text }) => ({ action: text, actionStart: 0 }),
};

function readsFrame(config: EnvironmentsOf): boolean {
  return smallNetworkOf(config)?.reads === 'frame';
}

/** The same prompts; an action is its word. */
function inWords(texts: StepTexts, actions: readonly string[]): StepTexts<string> {
  return {
    frames: texts.frames,
    prompt: (seen) => texts.prompt(seen),
    read: ({ tokens }) => ({ action: actions[tokens[0]!]!, actionStart: 0 }),
  };
}

function readByNumber(config: EnvironmentsOf, clients?: NumberedWorld | null): Read {
  const { actions } = clients ?? numberedEnvironment(config);
  return { id: config.env, actions, architecture: architectureOf(config, clients) };
}

/** Errors: `usage` for an environment that lists no actions, or lacks what the network reads. */
async function readInWords(config: EnvironmentsOf, opened: OpenedKind): Promise<Read> {
  const { id, begin, tasks, dialogue } = opened;
  if (dialogue)
    throw new EmacError(
      'usage',
      `--policy ${config.policy}: writes no words, but ${config.env} is spoken to in messages; give a chat model`,
    );
  const task = tasks.training.at(0);
  const episode = await begin(task, '0');
  const { admissible, frames, arrays = {} } = episode.first;
  await episode.close();
  const refused = (rule: string, remedy: string) =>
    new EmacError('usage', `--policy ${config.policy}: ${rule} in its first observation; ${remedy}`);
  if (!admissible?.length)
    throw refused(
      `chooses among listed actions, but ${config.env} lists none`,
      'let it list its actions, or leave --policy out',
    );
  const file = smallNetworkOf(config)?.file ?? null;
  if (readsFrame(config)) {
    const [frame] = frames;
    if (!frame)
      throw refused(
        `reads a picture, but ${config.env} shows none`,
        'let begin and step return frames beside the text, or leave --policy out',
      );
    const { height, width } = frame;
    return {
      id,
      actions: admissible,
      architecture: file === null ? cnn({ array: 'frame', height, width }) : onnx(file, {}),
    };
  }
  const inputs = Object.entries(arrays).map(([array, { data }]) => {
    return { array, encode: 'numbers', size: data.length } as const;
  });
  if (inputs.length === 0)
    throw refused(
      `reads arrays, but ${config.env} has none`,
      'let begin and step return arrays beside the text, or leave --policy out',
    );
  return { id, actions: admissible, architecture: file === null ? mlp({ inputs }) : onnx(file, { inputs }) };
}

interface StoredNetwork {
  readonly parameters: ParameterSet;
  readonly identity: string;
  /** by output; null from before they were stored */
  readonly actions: readonly string[] | null;
  /** it was trained there */
  readonly env: unknown;
}

function storedNetwork(from: string): StoredNetwork {
  const { folder } = resolveCheckpoint(from);
  const { beside, manifest, state } = loadCheckpoint(folder);
  const parameters = beside.get(checkpointFiles.network);
  const { env } = (state['environment'] ?? {}) as Partial<PpoForm>;
  if (parameters) return { parameters, identity: manifest.baseModel, actions: networkActions(folder), env };
  throw new EmacError('data', `${from}: has no ${checkpointFiles.network}; give a run with a small network`);
}

function architectureOf(config: EnvironmentsOf, clients?: NumberedWorld | null): Architecture {
  const { inputs, convolutions } = (clients ?? localWorld(config.env)).numbers ?? {};
  const { file = null, reads } = smallNetworkOf(config) ?? {};
  if (file !== null) return onnx(file, { ...(inputs && { inputs }) });
  if (reads === 'arrays') {
    if (inputs) return mlp({ inputs });
    throw new EmacError(
      'usage',
      `--policy ${config.policy}: ${config.env} does not define how its arrays are read; give cnn`,
    );
  }
  const { height, width } = clients ? pictureOf(config, clients) : frameOf(config);
  return cnn({ array: 'frame', height, width, ...(convolutions && { convolutions }) });
}

/** Errors: `usage` for clients without pictures. */
function pictureOf({ env, policy }: EnvironmentsOf, { picture }: NumberedWorld) {
  if (picture) return picture;
  throw new EmacError(
    'usage',
    `--policy ${policy}: reads pictures, but the clients of ${env} have none; give mlp, or let them send pictures`,
  );
}

function frameOf(config: EnvironmentsOf) {
  const environment = numberedEnvironment(config);
  environment.reset(0);
  return environment.frame();
}

/** Of a file its content: two of the same parameters may compute different things. */
function identityOf({ policy }: EnvironmentsOf, { identity }: Architecture): string {
  const file = smallNetworkOf({ policy })?.file ?? null;
  return file === null
    ? `${policy}: ${identity}`
    : `${basename(file)} ${sha256(readFileSync(file)).slice(0, 16)}: ${identity}`;
}
