/**
 * ALFWorld as an environment: the local world behind core's asynchronous contract, with the step limit. Every call of
 * `step` counts, refused commands too. The reward is 1 for the winning command and 0 otherwise; the world is
 * deterministic, so seeds change nothing.
 */
import { invariant, EmacError, renderedOnce } from '@emac/core';
import type { Environment, Episode, Frame, Observation, Step, Task } from '@emac/core';
import type { VisibleState } from './frame/visible-state.ts';
import type { Game } from './game/game.ts';
import { World } from './world.ts';
import type { State } from './world.ts';

export interface AlfworldOptions {
  /** step limit of an episode; none by default */
  readonly maxSteps?: number;
  /** draws the agent's view when it is first read; without it observations have no frames */
  readonly frames?: (visible: VisibleState) => Frame;
}

/**
 * The games as tasks, in the order given; a task's type is ALFWorld's. Errors: `usage` for a `maxSteps` that is no positive integer,
 * `internal` for two games of one id.
 */
export function alfworld(games: readonly Game[], options: AlfworldOptions = {}): Environment {
  const { maxSteps = Infinity } = options;
  if (maxSteps !== Infinity && !(Number.isInteger(maxSteps) && maxSteps > 0))
    throw new EmacError('usage', `alfworld: maxSteps must be a positive integer, got ${maxSteps}`);
  const byId = new Map(games.map((game) => [game.id, game]));
  invariant(byId.size === games.length, 'alfworld: each game needs its own id');
  return {
    tasks: games.map(({ id, taskType }) => ({ id, type: taskType })),
    begin: async (task) => {
      const game = byId.get(task.id);
      invariant(game, `alfworld: ${task.id} is not one of its games`);
      return begun(game, task, options);
    },
  };
}

function begun(game: Game, task: Task, { maxSteps = Infinity, frames }: AlfworldOptions): Episode {
  const world = new World(game);
  const commands: string[] = [];
  // the view of an earlier moment is that of the same commands in another world
  const visible = (count: number): VisibleState => {
    if (count === commands.length) return world.visible();
    const again = new World(game);
    again.reset();
    for (const command of commands.slice(0, count)) again.perform(command);
    return again.visible();
  };
  const seen = ({ observation: text, admissible }: State): Observation => {
    if (!frames) return { text, admissible, frames: [] };
    const count = commands.length;
    const rendered = renderedOnce(() => [frames(visible(count))]);
    return {
      text,
      admissible,
      get frames() {
        return rendered();
      },
    };
  };
  const first = seen(world.reset());
  let last: Step | null = null;
  let taken = 0;
  return {
    task,
    first,
    step: async (command) => {
      if (last?.terminated || last?.truncated) return last;
      const state = world.step(command);
      commands.push(command);
      const { score, won } = state;
      const [reward, truncated] = [won ? 1 : 0, !won && ++taken >= maxSteps];
      last = { observation: seen(state), reward, terminated: won, truncated, info: { won, score } };
      return last;
    },
    close: async () => {},
  };
}
