/** Plays episodes for a dataset, without a policy, and puts their steps and pictures into the shared folder. */
import { setImmediate } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import type { SentEpisodes } from '../asking/records.ts';
import type { Opening, Player, Players } from '../plan/player.ts';

export async function recordsPlayer(players: Players, { config }: Opening): Promise<Player> {
  const form = players.episodes(config);
  return {
    identity: null,
    computing: null,
    async play(asked, { signal, report }) {
      const { first, count } = asked as SentEpisodes;
      const episodes: unknown[][] = [];
      for (let episode = first; episode < first + count; episode++) {
        report({ step: episode - first + 1, of: count });
        const steps: unknown[] = [];
        for await (const step of form.play(episode)) {
          if (signal.aborted) throw new EmacError('interrupted', 'episodes: another worker plays them now');
          steps.push(await form.pack(step));
          await setImmediate();
        }
        episodes.push(steps);
      }
      return episodes;
    },
    gradient: async () => {
      throw new EmacError('internal', 'records: have no policy, so no gradient');
    },
    dispose: async () => {},
  };
}
