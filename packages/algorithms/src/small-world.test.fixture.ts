/** Three games for tests: fetch a thing by `go <thing>`, then `take <thing>`. With the expert that knows how. */
import type { Episode, Expert, LabelRequest, Step, WorldSource } from '@emac/core';
import { commands } from './bag-of-words.test.fixture.ts';
import type { PolicyTexts } from './texts.ts';

export const gameIds = ['fetch/a', 'fetch/b', 'fetch/c'] as const;

export interface SmallWorld {
  readonly pass: () => WorldSource;
  /** every command given, by game, pass after pass */
  readonly played: { readonly gameId: string; readonly commands: string[] }[];
}

export function smallWorld(ids: readonly string[] = gameIds): SmallWorld {
  const played: { gameId: string; commands: string[] }[] = [];
  const pass = (): WorldSource => {
    const left = [...ids];
    return {
      next: () => {
        const gameId = left.shift();
        return Promise.resolve(gameId === undefined ? null : fetchEpisode(gameId, played));
      },
    };
  };
  return { pass, played };
}

function fetchEpisode(gameId: string, played: { gameId: string; commands: string[] }[]): Episode {
  const wanted = gameId.at(-1)!;
  const record = { gameId, commands: [] as string[] };
  let place = '';
  const step = (command: string): Promise<Step> => {
    if (record.commands.length === 0) played.push(record);
    record.commands.push(command);
    const [verb, thing] = command.split(' ');
    if (verb === 'go') place = thing!;
    const won = verb === 'take' && thing === wanted && place === wanted;
    const observation = verb === 'go' ? `at-${place}` : won ? 'done' : 'nothing';
    return Promise.resolve({ observation, admissible: commands, score: won ? 1 : 0, done: won, won });
  };
  const observation = `want-${wanted}`;
  return { gameId, taskType: null, observation, admissible: commands, step, skip: () => Promise.resolve() };
}

/** Knows the way; keeps what it was asked. */
export function fetchExpert(): Expert & { readonly requests: LabelRequest[] } {
  const requests: LabelRequest[] = [];
  return {
    requests,
    label: (request) => {
      requests.push(request);
      const wanted = request.gameId.at(-1)!;
      const place = request.history.turns
        .filter(({ command }) => command.startsWith('go'))
        .at(-1)
        ?.command.at(-1);
      return Promise.resolve({ kind: 'action', command: `${place === wanted ? 'take' : 'go'} ${wanted}` });
    },
  };
}

export const texts: PolicyTexts = {
  prompt: (history, memories) =>
    [...memories, history.initial, ...history.turns.map(({ observation }) => observation)].join(' '),
  target: (command) => ` ${command}`,
  command: (answer) => answer.trim(),
};
