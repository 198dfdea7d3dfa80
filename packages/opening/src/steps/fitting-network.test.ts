/** What small networks cannot do is refused before anything is opened. */
import { worldSchema } from '@emac/settings';
import { expect, it } from 'vitest';
import { plainHost } from '../host.ts';
import { requireEpisodesHere } from './fitting-network.ts';

const here = worldSchema.parse({});
const grid = { env: 'MiniGrid-Empty-5x5-v0', policy: 'mlp', world: here };

it.each([
  [
    { env: 'alfworld' },
    {},
    /^--policy mlp: reads arrays or numbers its actions, but actions of alfworld are/,
  ],
  [{ env: 'lewis' }, {}, /^--policy mlp: reads arrays or numbers its actions, but actions of lewis/],
  [{ world: { ...here, kind: 'http' } }, {}, /^--policy mlp: plays in this process with --method grpo/],
  [{}, { workers: {} }, /^--queue: a small network plays an episode in less time/],
] as const)('a small network in episodes with %j and the host %j', (changes, host, sentence) => {
  const asked = () =>
    requireEpisodesHere({ ...grid, ...changes }, 'grpo', { ...plainHost(), ...(host as object) });
  expect(asked).toThrow(sentence);
  expect(() =>
    requireEpisodesHere({ ...grid, ...changes, policy: 'rl-tiny' }, 'grpo', host as object),
  ).not.toThrow();
});

it('plays in environments with numbered actions, and in files of environments', () => {
  for (const env of [grid.env, './doors.mjs'])
    expect(() => requireEpisodesHere({ ...grid, env }, 'bc', plainHost())).not.toThrow();
});
