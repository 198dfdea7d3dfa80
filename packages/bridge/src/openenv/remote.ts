/**
 * An environment that another program serves over OpenEnv, as this program's episodes. A session that is lost is opened again and the
 * episode's actions are repeated in it; if it then shows something else, the episode is lost, which is no failure.
 */
import { createHash } from 'node:crypto';
import { EmacError, isReward, LostEpisode, type Episode, type OpenedKind, type Step } from '@emac/core';
import type { Answered, Client } from '../world/desk.ts';
import { noRecord } from '../world/record.ts';
import { beginRemote } from '../world/remote-episode.ts';
import { openEnvAddress, type OpenEnvAddress } from './address.ts';
import { connectSession, Refused, type Connection } from './connection.ts';
import { fieldsOf, type Data, type Fields, type Schema } from './fields.ts';
import { framesIn } from './picture.ts';
import { remoteTasks, type RemoteTasks } from './remote-tasks.ts';
import { routesOf } from './routes.ts';
import { openSessions, type Sessions } from './sessions.ts';

export interface RemoteOptions {
  /** sent as `Authorization: Bearer`; null for none */
  readonly token: string | null;
  /** step limit of an episode; null: the server's, else 50 */
  readonly maxSteps: number | null;
  /** milliseconds to retry while the server is away; default a minute */
  readonly retryMs?: number;
  /** milliseconds until an answer must have come; default two minutes */
  readonly answerMs?: number;
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** All of an opened kind but its texts. */
export type RemoteEnvironment = Pick<OpenedKind, 'id' | 'maxSteps' | 'tasks' | 'begin' | 'hasGoal'> &
  Required<Pick<OpenedKind, 'seats' | 'close'>>;

/** times that an episode may begin again after a lost connection */
const restarts = 3;
/** as in an environment of one's own */
const usualSteps = 50;

/** Connects to `openenv:ADDRESS`. Errors: `usage` for the name or its mapping; `unavailable`, `auth`; `data` for an answer without schemas. */
export async function openOpenEnv(name: string, options: RemoteOptions): Promise<RemoteEnvironment> {
  const { answerMs = 120_000, retryMs = 60_000, wait = pause } = options;
  const address = openEnvAddress(name);
  const { socket: url, http, sessions: wanted } = address;
  const ask = routesOf(http, { token: options.token, answerMs });
  const sessions = await openSessions({
    url,
    connect: () => connectSession({ url, token: options.token, answerMs }),
    wanted,
    retryMs,
    wait,
  });
  try {
    const fields = fieldsOf(name, schemasIn(name, await ask('/schema')), address.mapping);
    const metadata = ((await ask('/metadata')) ?? {}) as { name?: unknown };
    const tasks = await remoteTasks(shortName(metadata.name), ask);
    const maxSteps = options.maxSteps ?? (await limitOf(sessions)) ?? usualSteps;
    const remote: Remote = { address, fields, tasks, sessions, maxSteps, accepted: { count: 0 } };
    let episodes = 0;
    return {
      id: name,
      maxSteps,
      tasks: tasks.tasks,
      hasGoal: true,
      begin: async (task, seed) => {
        const playing = {
          take: async () => clientOf(remote, await sessions.take(), { task, seed }),
          newId: () => String(episodes++),
          restarts,
          pictures: true,
          record: noRecord.attempt(seed),
        };
        return limited(await beginRemote(task, seed, playing), maxSteps);
      },
      seats: () => sessions.count,
      close: async () => sessions.close(),
    };
  } catch (fault) {
    sessions.close();
    throw fault;
  }
}

interface Remote {
  readonly address: OpenEnvAddress;
  readonly fields: Fields;
  readonly tasks: RemoteTasks;
  readonly sessions: Sessions;
  readonly maxSteps: number;
  /** actions that the server has taken */
  readonly accepted: { count: number };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Ids of tasks and folders have no room for an address. */
function shortName(name: unknown): string {
  return typeof name === 'string' && /^[\w.-]{1,100}$/.test(name) ? name : 'openenv';
}

function schemasIn(name: string, answer: unknown): { readonly action: Schema; readonly observation: Schema } {
  const { action, observation } = (answer ?? {}) as { action?: unknown; observation?: unknown };
  const isSchema = (part: unknown): part is Schema => typeof part === 'object' && part !== null;
  if (isSchema(action) && isSchema(observation)) return { action, observation };
  throw new EmacError(
    'data',
    `--env ${name}: GET /schema must give the schemas of actions and observations; it is no server of OpenEnv`,
  );
}

/** The limit that a server tells in its state; null without one. */
async function limitOf(sessions: Sessions): Promise<number | null> {
  const session = await sessions.take();
  try {
    const { max_steps: most } = await session.ask({ type: 'state' });
    return Number.isSafeInteger(most) && (most as number) > 0 ? (most as number) : null;
  } finally {
    sessions.release(session);
  }
}

/** Cut off at the limit, whether or not the environment ever ends. */
function limited({ task, first, step, close }: Episode, maxSteps: number): Episode {
  let steps = 0;
  let last: Step | null = null;
  return {
    task,
    first,
    async step(action) {
      if (last?.terminated || last?.truncated) return last;
      const now = await step(action);
      steps++;
      return (last = steps < maxSteps || now.terminated ? now : { ...now, truncated: true });
    },
    close,
  };
}

/** A session as a client that plays one episode. */
function clientOf(
  remote: Remote,
  session: Connection,
  { task, seed }: { readonly task: OpenedEpisode['task']; readonly seed: string },
): Client {
  const { fields, sessions, address, tasks } = remote;
  const episode: OpenedEpisode = { task, sum: 0, last: {} };
  const place = { client: '', episode: '' };
  return {
    id: '',
    name: address.name,
    games: new Map(),
    pictures: true,
    environment: null,
    async ask(order): Promise<Answered> {
      if (order.do === 'begin') {
        const data = { ...address.reset, ...tasks.resetOf(task, numberOf(seed)) };
        const answer = await asked(remote, session, { type: 'reset', data });
        if (answer instanceof Refused) return { ...place, kind: 'failed', step: 0, reason: answer.message };
        episode.last = answer;
        return { ...place, kind: 'begun', step: 0, observation: await seen(fields, answer) };
      }
      const { step, command } = order as { readonly step: number; readonly command: string };
      const action = fields.actionOf(command);
      const answer = action ? await asked(remote, session, { type: 'step', data: action }) : null;
      if (answer instanceof Refused && answer.code !== 'VALIDATION_ERROR')
        return { ...place, kind: 'failed', step, reason: answer.message };
      // what the server takes for no action costs a step and changes nothing
      if (answer === null || answer instanceof Refused)
        return {
          ...place,
          kind: 'stepped',
          step,
          ...(await outcome(remote, episode, { ...episode.last, reward: 0, done: false })),
        };
      remote.accepted.count++;
      episode.last = answer;
      return { ...place, kind: 'stepped', step, ...(await outcome(remote, episode, answer)) };
    },
    release: () => sessions.release(session),
  };
}

interface OpenedEpisode {
  readonly task: { readonly id: string; readonly type: string | null };
  /** rewards so far */
  sum: number;
  /** data of the last answer */
  last: Data;
}

/** The answer's data, or the server's error. Errors: `Gone`; `usage` where the first action of all is not one of the server's. */
async function asked(
  { address, accepted }: Remote,
  session: Connection,
  message: { readonly type: string; readonly data: object },
): Promise<Data | Refused> {
  try {
    return await session.ask(message);
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    const isForm = fault.code === 'VALIDATION_ERROR' && (message.type === 'reset' || accepted.count === 0);
    if (!isForm) return fault;
    throw new EmacError(
      'usage',
      `--env ${address.name}: the server refuses ${message.type} ${JSON.stringify(message.data)} (${fault.message}); name the fields after #, such as #action=FIELD`,
    );
  }
}

/** Reward and end stand on the envelope; some servers have them in the observation alone. */
async function outcome({ fields }: Remote, episode: OpenedEpisode, data: Data) {
  const inside = (data['observation'] ?? {}) as Data;
  const paid = data['reward'] ?? inside['reward'] ?? 0;
  const reward = Number(paid);
  if (!isReward(reward))
    throw new LostEpisode(
      `${episode.task.id}: its reward is no number, or too large: ${JSON.stringify(paid)}`,
    );
  episode.sum += reward;
  const truncated = ((data['metadata'] ?? {}) as Data)['truncated'] === true;
  const isOver = data['done'] === true || inside['done'] === true;
  const done = isOver && !truncated;
  return {
    observation: await seen(fields, data),
    reward,
    won: fields.wonOf(data) ?? (done && episode.sum > 0),
    done,
    truncated: isOver && truncated,
  };
}

async function seen(fields: Fields, data: Data) {
  const arrays = fields.arraysOf(data);
  return {
    text: fields.textOf(data),
    ...(arrays && { arrays }),
    admissible: fields.admissibleOf(data),
    frames: await framesIn(fields.pictureOf(data)),
  };
}

/** 31 bits: seeds of numpy are below 2³². */
function numberOf(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(0) >>> 1;
}
