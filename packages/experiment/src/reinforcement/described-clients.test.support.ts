/** Clients that describe an environment, for runs that wait for some: the environment is one of ours, or written by hand. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Described } from '@emac/bridge';
import { commandedEpisodes, type Environment, type Step, type StepEnvironment } from '@emac/core';
import { plainHost, type Host } from '@emac/opening';
import { onTestFinished } from 'vitest';

const { playElsewhere } = await import('@emac/bridge');

/** One task, whose episodes are seeds. */
export function seeded(id: string, make: () => StepEnvironment): Environment {
  return {
    tasks: [{ id, type: null }],
    begin(task, seed) {
      const words = make().actions.map((word) => word.toLowerCase());
      const { begin } = commandedEpisodes({
        start: () => ({ made: make(), seed: BigInt(seed) }),
        commands: [...make().actions].sort(),
        actionOf: (command) => [...words.keys()].find((action) => words[action] === command) ?? null,
        label: () => ({ kind: 'unusable', reason: 'clients label nothing' }),
      });
      return begin(task, seed);
    },
  };
}

/** Which of two doors the coin of the seed lies behind is seen from the start; it is there for as many steps as are asked. */
export function doors(steps: number): Environment {
  return {
    tasks: [{ id: 'Doors-v0', type: null }],
    async begin(task, seed) {
      const behind = Number((BigInt(seed) / 2n) % 2n);
      let count = 0;
      const seen = {
        text: `coin behind ${behind}`,
        frames: [],
        arrays: { door: { shape: [], data: Int32Array.of(behind) } },
        admissible: null,
      };
      return {
        task,
        first: seen,
        step(command): Promise<Step> {
          const reward = command === ['left', 'right'][behind] ? 1 : 0;
          const isOver = ++count === steps;
          return Promise.resolve({
            observation: seen,
            reward,
            terminated: false,
            truncated: isOver,
            info: { won: reward > 0 },
          });
        },
        close: () => Promise.resolve(),
      };
    },
  };
}

export const describedDoors: Described = {
  actions: ['left', 'right'],
  arrays: { door: { shape: [], type: 'int32', categories: [2] } },
  picture: null,
  steps: 4,
  rewards: [0, 1],
};

/** A host whose run finds clients of this environment whenever it waits for some. */
export function withClients(
  environment: Environment,
  described: Described | undefined,
  atOnce: number,
): Host {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  return {
    ...plainHost(),
    listener: {
      note(line) {
        const [, url] = /waiting for a client: npx emac world --connect (\S+),/.exec(line) ?? [];
        if (url === undefined) return;
        const wait = (milliseconds: number) => sleep(milliseconds);
        const client = { url, name: 'a test', environment, atOnce, pictures: false };
        const playing = { ...client, ...(described && { described }), retryMs: 0, wait };
        playElsewhere({ ...playing, signal: stopping.signal }).catch(() => {});
      },
    },
  };
}
