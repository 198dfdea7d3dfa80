/** Jobs of the kind `episodes`: a worker plays episodes that become a dataset, and puts their steps and pictures into the shared folder. */
import { setImmediate } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import { localWorld } from '@emac/opening';
import type { HandlerContext, Json } from '@emac/queue';
import { asConfig } from './as-config.ts';
import type { Bench, WorkOf } from './bench.ts';
import { carry, storedText } from './carried.ts';
import type { EpisodesInput } from './episodes-elsewhere.ts';
import { demonstratedForm, scriptedForm, type EpisodeForm, type EpisodePlan } from './played-episodes.ts';

export const episodesWork: WorkOf = (bench) => {
  // small beside a model, so it is open beside one
  let open: { readonly plan: string; readonly play: PlayEpisode } | null = null;
  return async ({ name, input }, context) => {
    const { plan, first, count } = input as unknown as EpisodesInput;
    if (open?.plan !== plan) open = { plan, play: await asConfig(() => opened(bench, plan)) };
    const episodes: Json[][] = [];
    for (let episode = first; episode < first + count; episode++) {
      context.report({ step: episode - first + 1, of: count });
      episodes.push(await open.play(episode, context));
    }
    bench.did(`played ${name.run} ${name.task}, episodes ${first} to ${first + count - 1}`);
    return carry(bench.folder, episodes);
  };
};

type PlayEpisode = (episode: number, context: Pick<HandlerContext, 'signal'>) => Promise<Json[]>;

async function opened({ folder }: Bench, hash: string): Promise<PlayEpisode> {
  const { settings } = JSON.parse(await storedText(folder, hash)) as EpisodePlan;
  const playing = <Step>({ player, pack }: EpisodeForm<Step>): PlayEpisode => {
    const play = player(settings);
    return async (episode, { signal }) => {
      const steps: Json[] = [];
      for (const step of play(episode)) {
        if (signal.aborted) throw new EmacError('interrupted', 'episodes: somebody else plays them by now');
        steps.push(await pack(folder, step));
        await setImmediate();
      }
      return steps;
    };
  };
  return localWorld(settings.env).moved ? playing(demonstratedForm) : playing(scriptedForm);
}
