/**
 * Rooms in a row, with numbered doors between them: steps are asynchronous, each room has other commands, chance follows the seed, and there is no state
 * to save. The last room is the goal with reward 1.
 */
import {
  invariant,
  LostEpisode,
  Random,
  type Environment,
  type Episode,
  type Observation,
  type Speech,
  type Step,
  type Task,
} from '@emac/core';

export interface DoorsOptions {
  /** default 5 */
  readonly rooms?: number;
  /** number of tasks, each with its own seeded start; default 3 */
  readonly tasks?: number;
  /** probability that a door is stuck; default 0.2 */
  readonly stuck?: number;
  /** whether observations list the accepted commands; default true */
  readonly tells?: boolean;
  /** called before every step with the number of steps in all episodes: true loses the episode */
  readonly loses?: (steps: number) => boolean;
}

export interface Doors extends Environment {
  /** started episodes, in order */
  readonly begun: { readonly task: string; readonly seed: string; readonly commands: string[] }[];
  /** number of running episodes */
  open(): number;
}

export function doors(options: DoorsOptions = {}): Doors {
  const { tasks: count = 3 } = options;
  const begun: Doors['begun'] = [];
  const tasks = Array.from({ length: count }, (_, task) => ({ id: `doors/${task}`, type: 'doors' }));
  let [open, steps] = [0, 0];
  return {
    tasks,
    begun,
    open: () => open,
    begin: async (task, seed) => {
      await Promise.resolve();
      invariant(tasks.includes(task as (typeof tasks)[number]), `doors: ${task.id} is not among the tasks`);
      const commands: string[] = [];
      begun.push({ task: task.id, seed, commands });
      open++;
      const episode = begunAt(task, seed, options);
      return {
        ...episode,
        step: async (command) => {
          if (options.loses?.(steps++)) throw new LostEpisode('doors: the house was closed');
          commands.push(command);
          // later rooms take longer
          for (let turns = commands.length; turns > 0; turns--) await Promise.resolve();
          return episode.step(command);
        },
        close: async () => void open--,
      };
    },
  };
}

function begunAt(task: Task, seed: string, { rooms = 5, stuck = 0.2, tells = true }: DoorsOptions): Episode {
  const random = Random.fromSeed(`${task.id} ${seed}`);
  let room = random.integer(rooms - 1);
  const neighbours = () => [room - 1, room + 1].filter((each) => each >= 0 && each < rooms);
  const seen = (before = ''): Observation => ({
    text: `${before}You are in room ${room}.`,
    frames: [],
    admissible: tells ? neighbours().map((each) => `open door ${each}`) : null,
  });
  const step = (command: string): Step => {
    const door = neighbours().find((each) => command === `open door ${each}`);
    const isStuck = random.uniform() < stuck;
    if (door !== undefined && !isStuck) room = door;
    const won = room === rooms - 1;
    const observation = seen(door === undefined ? 'There is no such door. ' : isStuck ? 'It is stuck. ' : '');
    return { observation, reward: won ? 1 : 0, terminated: won, truncated: false, info: { won } };
  };
  return { task, first: seen(), step: async (command) => step(command), close: async () => {} };
}

/** A prompt is the observation and the number of steps; an answer of two words or more is a command. */
export const doorsSpeech: Speech = {
  prompt: ({ history, observation, memories }) =>
    [...memories, observation.text, `Steps: ${history.turns.length}.`].join(' '),
  target: (action) => action,
  read: ({ text }) => ({ action: text.trim().includes(' ') ? text.trim() : null, actionStart: 0 }),
};
