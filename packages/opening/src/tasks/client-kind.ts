/**
 * An environment that clients play and describe: actions, arrays, pictures, limits. Its episodes are seeds. An id of
 * this program's own keeps what is known of it, such as prompts and the scripted player, and clients make its steps.
 */
import {
  EmacError,
  invariant,
  seededTasks,
  type ArrayInput,
  type Environment,
  type Episode,
  type LocalWorld,
  type NumberedWorld,
  type Observation,
  type OpenedKind,
  type Step,
  type Task,
} from '@emac/core';
import type { Described, HttpWorld } from '@emac/bridge';
import { sha256 } from '@emac/files';
import { steppedOf } from '@emac/rollout';
import { remotePrefix, type WorldConfig } from '@emac/settings';
import { kindOf } from '../environments/kind-of.ts';
import { moduleSpeech } from '../environments/module-speech.ts';
import type { Host } from '../host.ts';
import { connectedTo, worldsOf } from './remote-world.ts';

export interface ClientKind extends OpenedKind {
  /** absent if actions are texts */
  readonly numbered?: NumberedWorld;
}

export interface ClientSettings {
  readonly env: string;
  /** null: the environment's own limit */
  readonly maxSteps: number | null;
  readonly palette?: string | null;
}

/**
 * Opens a port and waits for clients. Errors: `usage` for clients of other games, or that describe another environment
 * than the id's; `cannot-create`, `interrupted`.
 */
export async function openClientKind(
  { env, maxSteps, palette = null }: ClientSettings,
  config: WorldConfig,
  host: Host,
): Promise<ClientKind> {
  const kind = kindOf(env);
  const id = kind.idOf(env)!;
  const local = kind.local?.(id) ?? null;
  // refused before waiting for anybody
  if (local && maxSteps !== null)
    throw refusal(`--max-steps ${maxSteps}: clients have the step limit of ${id}; leave it out`);
  const own = local?.open({ maxSteps: null, palette }) ?? null;
  const world = await worldsOf(host).open(config, host);
  const connected = await connectedTo(world, host);
  const game = id.startsWith(remotePrefix) ? id.slice(remotePrefix.length) : id;
  if (connected.wire === 'published' || connected.environment === null)
    throw refusal(`--env ${id}: needs clients that describe their environment; these list games to play`);
  const task = connected.games.find((each) => each.id === game);
  if (!task)
    throw refusal(
      `--env ${id}: needs clients with ${game}, these have ${connected.games.map((each) => each.id).join(', ')}; give another --env, or other clients`,
    );
  const described = connected.environment;
  if (local) requireSame(local, described);
  const remote: Remote = { id, game: task, described, local, world, signal: host.signal };
  const { actions } = described;
  return {
    ...(own ?? ofClients(remote)),
    id,
    maxSteps: maxSteps ?? described.steps,
    begin: async (task) => {
      // a task's seed ends its name
      const seed = task.id.slice(task.id.lastIndexOf('/') + 1);
      return worded(remote, task, await bySeed(remote, described.picture !== null).begin(remote.game, seed));
    },
    ...(actions && { numbered: numberedWorld(remote, { actions, maxSteps }) }),
    seats: () => world.seats(),
    versions: { games: sha256(JSON.stringify([game, described])) },
  };
}

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}

/** Errors: `usage` for another number of actions or another limit. */
function requireSame({ id, actions, maxSteps }: LocalWorld, described: Described): void {
  const count = described.actions?.length ?? 0;
  if (count !== actions.length)
    throw refusal(`--env ${id}: has ${actions.length} actions, the clients have ${count}; mend the clients`);
  if (described.steps !== maxSteps)
    throw refusal(
      `--env ${id}: ends after ${maxSteps} steps, with the clients after ${described.steps}; mend the clients`,
    );
}

interface Remote {
  readonly id: string;
  /** the client's name for it */
  readonly game: Task;
  readonly described: Described;
  /** what this program knows of it; null for nothing */
  readonly local: LocalWorld | null;
  readonly world: HttpWorld;
  readonly signal: AbortSignal | undefined;
}

/** What an environment has that is known by its description alone. */
function ofClients({ id, described: { rewards } }: Remote) {
  return {
    tasks: seededTasks(id),
    speech: ((policy, form) => moduleSpeech(policy, form, null)) satisfies OpenedKind['speech'],
    ...(rewards && { rewards }),
  };
}

/** Episodes by seed. */
function bySeed({ world, game, signal }: Remote, pictures: boolean): Environment {
  return world.environment({ tasks: [game], count: 0, pictures, ...(signal && { signal }) });
}

function numberedWorld(
  remote: Remote,
  { actions, maxSteps }: { readonly actions: readonly string[]; readonly maxSteps: number | null },
): NumberedWorld {
  const { id, game, described, local } = remote;
  const inputs = inputsOf(described);
  const numbers = local?.numbers ?? (inputs.length > 0 ? { inputs } : undefined);
  return {
    actions: local?.actions ?? actions,
    picture: described.picture,
    ...(numbers && { numbers }),
    make({ frames }) {
      const { moment: _words, ...stepped } = steppedOf(bySeed(remote, frames), {
        tasks: [game],
        maxSteps,
        id,
        sameArrays: true,
      });
      return {
        ...stepped,
        actions: local?.actions ?? actions,
        step(action) {
          invariant(
            actions[action] !== undefined,
            `${id}: has actions 0 to ${actions.length - 1}, got ${action}`,
          );
          return stepped.step(actions[action]);
        },
        restore: (state) => stepped.restore(state as ReturnType<typeof stepped.state>),
      };
    },
  };
}

/** One-hot where categories are given. */
function inputsOf({ arrays }: Described): ArrayInput[] {
  return Object.entries(arrays).map(([array, { shape, categories, scale }]) => {
    const size = shape.reduce((product, each) => product * each, 1);
    return categories
      ? { array, encode: 'one-hot', size, categories }
      : { array, encode: 'numbers', size, ...(scale !== undefined && { scale }) };
  });
}

/** Commands that name no numbered action change nothing and reach no client. */
function worded({ described, local }: Remote, task: Task, episode: Episode): Episode {
  const { actions } = described;
  const words = local?.actions ?? actions;
  const numbers = new Map(words?.map((word, number) => [word.toLowerCase(), number]));
  const admissible = words && [...words].sort();
  const seen = (observation: Observation): Observation =>
    observation.admissible === null && admissible ? { ...observation, admissible } : observation;
  const first = seen(episode.first);
  let last: Step = {
    observation: first,
    reward: 0,
    terminated: false,
    truncated: false,
    info: { won: false },
  };
  return {
    task,
    first,
    async step(command) {
      if (last.terminated || last.truncated) return last;
      const number = numbers.get(command.trim().toLowerCase());
      if (actions && number === undefined)
        return { ...last, reward: 0, info: { ...last.info, refused: true } };
      const step = await episode.step(actions ? actions[number!]! : command);
      return (last = { ...step, observation: seen(step.observation) });
    },
    close: () => episode.close(),
  };
}
