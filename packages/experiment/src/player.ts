/** A policy of any name that `--policy` takes, opened to act step by step: for a viewer, and for a program. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EmacError,
  Random,
  type EpisodeMoment,
  type Observation,
  type Prompt,
  type StepEnvironment,
  type Task,
} from '@emac/core';
import {
  actingIn,
  frameSizeOf,
  kindOf,
  numberedEnvironment,
  openKind,
  openPlayerIn,
  openPpoPolicy,
  ownPalette,
  plainHost,
  policyNamed,
  ppoEnvironment,
  steppedForm,
  steppedIn,
  type EnvironmentPlayer,
  type Host,
  type PlayerName,
  type StepAction,
  type SteppedForm,
} from '@emac/opening';
import { evaluationConfig, languageModelSchema, usualEnvironment, type PpoConfig } from '@emac/settings';
import { openAgent } from './agent.ts';
import { configOf } from './evaluation/evaluate-in-steps.ts';
import { scoredActions, type Weighed } from './played/weighed.ts';
import { defaultPolicyOf, ppoConfig } from './reinforcement/given-config.ts';

/** A robot's action is its numbers with blanks between them. */
export interface OpenedPlayer extends EnvironmentPlayer {
  /** steps before an episode is given up, as in its training; null: the environment's own limit */
  readonly maxSteps: number | null;
  /** the environment in the settings of a policy that was trained there step by step; null: as others open it */
  readonly environment: StepEnvironment<unknown, StepAction> | null;
  /** the same in words: where it plays, and how it sees that */
  readonly place: PlayerPlace;
  /** null for a player without probabilities */
  readonly weighing: Weighing | null;
}

export interface PlayerPlace {
  readonly env: string;
  /** null: the environment's own */
  readonly palette: string | null;
  readonly frameSize: number | undefined;
}

/** A moment of an episode at a task. */
export interface PlayedMoment extends EpisodeMoment {
  readonly task: Task;
}

/** A policy whose probabilities can be asked for. */
export interface Weighing {
  /** With `prompt`, as if that text stood after the pictures in place of its own. */
  weigh(moment: PlayedMoment, prompt?: string): Promise<Weighed>;
  /** The answer that says a command, as training has it; null for a policy without texts. */
  readonly target: ((command: string, observation: Observation) => string) | null;
}

/** Null settings are those of the policy's training, else the environment's own. */
export interface PlayerSettings {
  /** null: the environment of its training, which players without training have none of */
  readonly env: string | null;
  readonly palette?: string | null;
  readonly maxSteps?: number | null;
  /** it plays in words, also where actions are numbered; default false */
  readonly inWords?: boolean;
}

/** Of an agent at an address, whose training is not known here. */
const servedSteps = 50;

/**
 * The caller disposes of it; it acts greedily. Errors: `usage` for a policy without meaning there; those of opening policy
 * and environment. A service is first called when it acts.
 */
export async function openPlayer(
  name: string,
  asked: PlayerSettings,
  host: Host = plainHost(),
): Promise<OpenedPlayer> {
  const policy = policyNamed(name);
  if (policy.kind !== 'trained') return untrained(policy, asked, host);
  if (name === 'untouched') return agentPlayer(defaultPolicyOf(asked.env ?? usualEnvironment), asked, host);
  const stepped = steppedIn(name);
  if (stepped === null) return agentPlayer(name, asked, host);
  const env = asked.env ?? stepped;
  const stored = steppedForm(name, null);
  const isNumbered = kindOf(env, host.environment ?? null).local !== undefined;
  const isSpoken = asked.inWords === true && actingIn(name, env).wordless === null;
  return (isNumbered && !isSpoken) || stored.readsNumbers
    ? steppedPlayer(name, steppedConfig({ ...asked, env, ckpt: name }, stored, host), host)
    : agentPlayer(name, asked, host);
}

async function untrained(
  policy: PlayerName,
  { env, palette = null, maxSteps = null }: PlayerSettings,
  host: Host,
): Promise<OpenedPlayer> {
  const opened = await openKind(
    { env: env ?? usualEnvironment, maxSteps, palette },
    host.environment ?? null,
  );
  const player = await openPlayerIn(
    policy,
    {
      opened,
      languageModel: languageModelSchema.parse({}),
      temperature: 0,
      random: Random.fromSeed(0),
      messages: 'prompt',
    },
    host,
  );
  // replies are on disk before they are used
  player.service?.keepReplies(join(mkdtempSync(join(tmpdir(), 'emac-replies-')), 'llm.jsonl'));
  return {
    ...player,
    maxSteps: policy.kind === 'served' ? servedSteps : null,
    environment: null,
    place: { env: opened.id, palette, frameSize: undefined },
    weighing: null,
    dispose: async () => {
      await player.dispose();
      await opened.close?.();
    },
  };
}

async function agentPlayer(name: string, { env }: PlayerSettings, host: Host): Promise<OpenedPlayer> {
  const { trained, ...acting } = actingIn(name, env);
  if (env === usualEnvironment && trained !== null && trained !== env)
    throw new EmacError(
      'usage',
      `--agent ${name}: was trained in ${trained}; give that environment in place of a game`,
    );
  const agent = await openAgent(name, { env }, host);
  return {
    ...trainedHere,
    maxSteps: agent.form.maxSteps,
    environment: null,
    place: { env: agent.env, palette: acting.palette, frameSize: undefined },
    weighing: {
      weigh: ({ history, observation }, prompt) => agent.weigh({ ...observation, history }, prompt),
      target: (command, observation) => agent.target(command, observation),
    },
    act: async ({ history, observation }) => {
      return { action: await agent.act(observation, history), isFallback: false };
    },
    dispose: () => agent.dispose(),
  };
}

/** Of a policy that answers one question at a time. */
const trainedHere = { content: '', isDrawn: false, atOnce: 1, notes: [], service: null } as const;

async function steppedPlayer(from: string, config: PpoConfig, host: Host): Promise<OpenedPlayer> {
  const random = Random.fromSeed(0);
  const { actorCritic, texts, kind, actions, dispose } = await openPpoPolicy(config, { random, from }, host);
  const words = kind ? [] : numberedEnvironment(config).actions;
  const promptOf = async ({ history, observation }: EpisodeMoment): Promise<Prompt> => {
    const { text, arrays = {} } = observation;
    const [frame = null] = texts.frames ? observation.frames : [];
    if (texts.frames && frame === null)
      throw new EmacError('usage', `act: ${config.policy} reads the picture; give frames`);
    return texts.prompt({ text, arrays, frame, moment: { history, observation } });
  };
  const decided = async (prompt: Prompt) => {
    const question = { prompt, allowed: null, random: null };
    const [answer] = await actorCritic.decide([question], { kind: 'search', beams: 1 });
    return answer!;
  };
  const weigh: Weighing['weigh'] = async (moment) => {
    const prompt = await promptOf(moment);
    const { text: action } = await decided(prompt);
    const { admissible } = moment.observation;
    const among = { asked: admissible ?? [], known: actions! };
    const logProbabilities = admissible?.length ? await scoredActions(actorCritic, prompt, among) : null;
    return { action, logProbabilities, prompt: null, answer: null };
  };
  return {
    ...trainedHere,
    maxSteps: null,
    environment: kind ? null : ppoEnvironment(config, 'evaluation'),
    place: { env: config.env, palette: ownPalette(config.play.palette), frameSize: frameSizeOf(config) },
    weighing: actions ? { weigh, target: null } : null,
    async act({ random: chance, ...moment }) {
      const { action } = texts.read(await decided(await promptOf(moment)), null);
      const taken = action ?? chance.pick(texts.offered ?? [...words.keys()]);
      return { action: inWords(taken, words), isFallback: action === null };
    },
    dispose,
  };
}

function inWords(action: StepAction, words: readonly string[]): string {
  if (typeof action === 'number') return words[action]!;
  return typeof action === 'string' ? action : action.join(' ');
}

function steppedConfig(
  { env, ckpt, palette = null, maxSteps = null }: PlayerSettings & Record<'env' | 'ckpt', string>,
  stored: SteppedForm,
  { environment }: Pick<Host, 'environment'>,
): PpoConfig {
  const asked = { ...evaluationConfig({ ckpt, numGames: 1, maxSteps }), env, policy: null };
  const run = configOf(asked, stored, environment);
  return palette === null ? run : ppoConfig({ ...run, play: { ...run.play, palette } as PpoConfig['play'] });
}
