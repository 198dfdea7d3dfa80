import { wholeAnswers, type OpenedKind } from '@emac/core';
import { expect, it } from 'vitest';
import { environmentCollectionConfig } from './collection-config.ts';
import { firstSteps } from './collected-steps.ts';
import { playedEpisodes } from './played-episodes.ts';

it('an episode in words stops at its next step once that is asked for', async () => {
  const stop = new AbortController();
  let steps = 0;
  const seen = { text: 'A corridor.', frames: [], admissible: null };
  const source = { count: 1, at: () => ({ id: 'corridor', type: null }) };
  const corridor: OpenedKind = {
    id: 'corridor',
    maxSteps: 50,
    tasks: { training: source, heldOut: source },
    player: { label: async () => ({ kind: 'action', command: 'go on' }) },
    speech: () => wholeAnswers,
    begin: async (task) => ({
      task,
      first: seen,
      step: async () => {
        if (++steps === 3) stop.abort();
        return { observation: seen, reward: 0, terminated: false, truncated: false, info: { won: false } };
      },
      close: async () => {},
    }),
  };
  const config = environmentCollectionConfig(
    { env: 'gym_cards/NumberLine-v0', out: 'none', samples: 50 },
    null,
  );
  const collecting = firstSteps(50, playedEpisodes(config, { opened: corridor, signal: stop.signal })).next();
  await expect(collecting).rejects.toMatchObject({ code: 'interrupted' });
  expect(steps).toBe(3);
});
