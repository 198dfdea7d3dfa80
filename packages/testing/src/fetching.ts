/** Three tasks: fetch a thing by `go <thing>`, then `take <thing>`. With an expert for them. */
import type { Environment, Episode, Expert, LabelRequest, Speech, Step, Task } from '@emac/core';

export const commands = ['go a', 'go b', 'go c', 'take a', 'take b', 'take c', 'look around twice'] as const;

export const taskIds = ['fetch/a', 'fetch/b', 'fetch/c'] as const;

export interface Fetching extends Environment {
  /** every command given, attempt after attempt, by task */
  readonly played: { readonly taskId: string; readonly commands: string[] }[];
}

/** The environment; an attempt is listed with its first command. */
export function fetching(ids: readonly string[] = taskIds): Fetching {
  const played: Fetching['played'] = [];
  return {
    played,
    tasks: ids.map((id) => ({ id, type: null })),
    begin: (task) => Promise.resolve(attempt(task, played)),
  };
}

function attempt(task: Task, played: Fetching['played']): Episode {
  const wanted = task.id.at(-1)!;
  const record = { taskId: task.id, commands: [] as string[] };
  let place = '';
  const step = (command: string): Promise<Step> => {
    if (record.commands.length === 0) played.push(record);
    record.commands.push(command);
    const [verb, thing] = command.split(' ');
    if (verb === 'go') place = thing!;
    const won = verb === 'take' && thing === wanted && place === wanted;
    const text = verb === 'go' ? `at-${place}` : won ? 'done' : 'nothing';
    return Promise.resolve({
      observation: { text, frames: [], admissible: commands },
      reward: won ? 1 : 0,
      terminated: won,
      truncated: false,
      info: { won },
    });
  };
  const first = { text: `want-${wanted}`, frames: [], admissible: commands };
  return { task, first, step, close: () => Promise.resolve() };
}

/** Knows the way; records its requests. */
export function fetchExpert(): Expert & { readonly requests: LabelRequest[] } {
  const requests: LabelRequest[] = [];
  return {
    requests,
    label: (request) => {
      requests.push(request);
      const wanted = request.task.id.at(-1)!;
      const place = request.history.turns
        .filter(({ command }) => command.startsWith('go'))
        .at(-1)
        ?.command.at(-1);
      return Promise.resolve({ kind: 'action', command: `${place === wanted ? 'take' : 'go'} ${wanted}` });
    },
  };
}

/** Prompts of lessons, task and observations in one line; a command is answered after a blank. */
export const fetchTexts: Speech = {
  prompt: ({ history, memories }) =>
    [...memories, history.initial, ...history.turns.map(({ observation }) => observation)].join(' '),
  target: (command) => ` ${command}`,
  read: ({ text }) => ({ action: text.trim(), actionStart: 0 }),
};
