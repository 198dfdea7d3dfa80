/** `episodes` jobs: a worker plays episodes for a dataset, and puts their steps and pictures into the shared folder. */
import { setImmediate } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import type { Json } from '@emac/queue';
import type { EpisodePlan, EpisodesInput } from '../asking/episodes-elsewhere.ts';
import { asConfig } from '../plan/as-config.ts';
import type { Bench, WorkOf } from '../plan/bench.ts';
import { carry, storedText } from '../plan/carried.ts';
import type { EpisodeForm } from '../plan/players.ts';

export const episodesWork: WorkOf = (bench) => {
  // small, so it stays open beside a model
  let open: { readonly plan: string; readonly form: EpisodeForm<unknown> } | null = null;
  return async ({ name, input }, { signal, report }) => {
    const { plan, first, count } = input as unknown as EpisodesInput;
    if (open?.plan !== plan) open = { plan, form: await asConfig(() => opened(bench, plan)) };
    const { play, pack } = open.form;
    const episodes: Json[][] = [];
    for (let episode = first; episode < first + count; episode++) {
      report({ step: episode - first + 1, of: count });
      const steps: Json[] = [];
      for (const step of play(episode)) {
        if (signal.aborted) throw new EmacError('interrupted', 'episodes: another worker plays them now');
        steps.push(await pack(bench.folder, step));
        await setImmediate();
      }
      episodes.push(steps);
    }
    bench.did(`played ${name.run} ${name.task}, episodes ${first} to ${first + count - 1}`);
    return carry(bench.folder, episodes);
  };
};

async function opened({ folder, players }: Bench, hash: string): Promise<EpisodeForm<unknown>> {
  const { settings } = JSON.parse(await storedText(folder, hash)) as EpisodePlan;
  return players.episodes(settings);
}
