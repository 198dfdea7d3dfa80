/**
 * An agent of one's own as a kind of environments: `agent:./mine.mjs`, or `agent:` and a command line. The agent meets its own world
 * and asks the policy in training for every answer, through OpenAI's API. It is code, so it is loaded only by an explicit call, with
 * a name that a person has typed.
 */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Gateway } from '@emac/bridge';
import {
  EmacError,
  invariant,
  readAsked,
  type EnvironmentKind,
  type KindSettings,
  type OpenedKind,
  type Speech,
} from '@emac/core';
import { isFile, sha256, whileReading } from '@emac/files';
import { agentIn, agentName } from '@emac/settings';
import { failedToLoad } from '../code-file.ts';
import {
  secondsOf,
  withoutKeys,
  type GivenEnvironment,
  type ModuleOptions,
} from '../environments/environment-module.ts';
import { moduleCode } from '../environments/module-code.ts';
import { beginAttempt, type RequestReading } from './agent-episode.ts';
import { agentTasks } from './agent-tasks.ts';
import { commandAgent, functionAgent, type LoadedAgent } from './running-agent.ts';

export interface AgentOptions extends ModuleOptions {
  /** a reward of one's own judges attempts, so the agent need not return one; default false */
  readonly isJudged?: boolean;
}

/** requests of an attempt */
const usualSteps = 50;

/** Loads the agent of a name such as `agent:./mine.mjs`; begins nothing yet. Errors: `missing`; `data` for a file without a function. */
export async function loadAgent(
  name: string,
  { said = () => {}, env = process.env, isJudged = false }: AgentOptions = {},
): Promise<GivenEnvironment> {
  const typed = agentIn(name);
  const started = { env: withoutKeys(env), said };
  const { id, hash, loaded } = isModule(typed)
    ? await ofModule(typed, started)
    : {
        id: commandId(typed),
        hash: commandHash(typed),
        loaded: { agent: commandAgent(typed, started), tasks: undefined },
      };
  const opening = { name: `--agent ${typed}`, loaded, seconds: secondsOf(env), isJudged };
  return {
    name,
    sha256: hash,
    kind: {
      name: id,
      about: 'an agent of one’s own',
      ids: [id],
      idOf: () => id,
      open: async (_id, settings) => opened({ ...opening, id }, settings),
    } satisfies EnvironmentKind,
  };
}

/** A path of JavaScript or TypeScript, in place of a command line. */
function isModule(typed: string): boolean {
  return /^\S+\.[cm]?[jt]s$/.test(typed) || (isFile(typed) && /\.[cm]?[jt]s$/.test(typed));
}

async function ofModule(
  typed: string,
  started: Pick<Required<ModuleOptions>, 'said'> & { readonly env: Record<string, string> },
) {
  const { entry, exported, sha256: hash } = moduleCode(typed, '--agent');
  const url = `${pathToFileURL(resolve(entry)).href}?${hash}`;
  try {
    const loaded = await functionAgent(typed, { url, exported, ...started });
    return { id: agentName(basename(entry)), hash, loaded };
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `--agent ${typed}: ${failedToLoad(typed, thrown)}`, { cause: thrown });
  }
}

/** Without a folder of this machine, and without variables, which may be keys. */
function commandId(command: string): string {
  return agentName(
    command
      .trim()
      .split(/\s+/)
      .filter((word) => !/^\w+=/.test(word))
      .map((word) => basename(word))
      .join(' '),
  );
}

/** Of the command line and of the files that it names. */
function commandHash(command: string): string {
  const files = command.split(/\s+/).filter(isFile);
  const contents = files.map((file) => sha256(whileReading(file, () => readFileSync(file))));
  return sha256(Buffer.from([command, ...contents].join('\n')));
}

interface Opening {
  readonly name: string;
  readonly id: string;
  readonly loaded: LoadedAgent;
  readonly seconds: number;
  readonly isJudged: boolean;
}

function opened(
  { name, id, loaded, seconds, isJudged }: Opening,
  { maxSteps, source = null, heldOut = null, palette = null }: KindSettings,
): OpenedKind {
  if (palette !== null)
    throw new EmacError('usage', `${name}: has no pictures, got ${palette}; leave it out`);
  const given = agentTasks({ place: name, type: id, exported: loaded.tasks }, { source, heldOut });
  const most = maxSteps ?? usualSteps;
  let gateway: Promise<Gateway> | null = null;
  let reading: RequestReading | null = null;
  return {
    id,
    maxSteps: most,
    tasks: given.tasks,
    hasGoal: true,
    dialogue: 'messages',
    begin: async (task, seed) => {
      gateway ??= import('@emac/bridge').then(({ openGateway }) => openGateway({ model: 'policy' }));
      const { baseURL, attempt } = await gateway;
      const requests = attempt();
      const { apiKey } = requests;
      const running = loaded.agent.begin({
        baseURL,
        apiKey,
        model: 'policy',
        task: given.valueOf(task),
        seed,
      });
      return beginAttempt({ name, task, maxSteps: most, seconds, isJudged, requests, running, reading });
    },
    speech: (policy, { maxTokens, dialogue, observe }) => {
      if (dialogue !== 'messages')
        throw new EmacError(
          'usage',
          `${name}: asks a chat model that is opened here; give one with --policy`,
        );
      reading = {
        maxTokens,
        sees: observe !== 'text',
        countTokens: (text) => policy.countPromptTokens(text),
        tokenTexts: (tokens) => {
          // an agent that got no texts would answer nothing, and be rewarded for it
          invariant(policy.tokenTexts, `${name}: the policy has no texts of tokens`);
          return policy.tokenTexts(tokens);
        },
      };
      return askedSpeech;
    },
    // what was said before belongs to the world of the agent: equal last messages are equal states
    anchor: ({ observation: { text, frames } }) =>
      [JSON.stringify(readAsked(text).messages.at(-1)), ...frames.map(({ data }) => sha256(data))].join(' '),
    ...(given.sha256 !== null && {
      versions: { tasks: given.sha256 },
      taskFiles: { source, heldOut },
    }),
    close: async () => {
      await loaded.agent.close();
      await (await gateway)?.close();
    },
  };
}

/** A request is the prompt, and the whole answer the action. */
const askedSpeech: Speech = {
  prompt: ({ observation }) => observation.text,
  target: (answer) => answer,
  read: ({ text }) => ({ action: text, actionStart: 0 }),
  endOf: ({ text }) => {
    const { maxTokens, stop, form } = readAsked(text);
    return { ...(form && { form }), ...(maxTokens !== undefined && { maxTokens }), ...(stop && { stop }) };
  },
};
