/** The games of a collection, played here or by workers; results are written in game order. */
import type { Trajectory } from '@emac/core';
import { encodePng } from '@emac/images';
import { silent, tellSteps, type Host } from '@emac/opening';
import { arriving, rolloutEach, samplesOf, type Attempt, type CollectedSample } from '@emac/rollout';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import { resumable } from './collected-steps.ts';
import type { CollectionWorkers } from './collection-elsewhere.ts';
import type { CollectConfig } from './collection-config.ts';
import type { CollectionPlan } from './plan-collection.ts';
import type { CollectionFile } from './collection-file.ts';
import { expertShareOf } from './collection-settings.ts';

export interface Playing {
  readonly plan: CollectionPlan;
  readonly file: CollectionFile;
  readonly host: Host;
  /** workers that play instead of this process */
  readonly elsewhere: CollectionWorkers | null;
}

/** Plays and writes the missing games. Errors: `interrupted`, saying how to resume; those of playing, the expert and the file. */
export async function playGames(config: CollectConfig, playing: Playing): Promise<void> {
  const { plan, file, host } = playing;
  const { tasks, arrivals } = plan.environment;
  const total = plan.play.arriving ?? tasks.length;
  const done = file.episodes.length;
  host.listener?.begin?.('collecting', total, { done });
  try {
    if (!arrivals) await play(config, playing, [...tasks.keys()].slice(done));
    else {
      const left = { count: total - done, next: arrivals.next.bind(arrivals) };
      for await (const place of arriving(left, (id) => file.episodes.includes(id)))
        await play(config, playing, [place]);
    }
  } catch (thrown) {
    const made = `${file.episodes.length} of ${total} games`;
    throw resumable(thrown, host, { made, expert: config.expert });
  }
}

/** Games that end out of turn wait for earlier ones. */
async function play(config: CollectConfig, playing: Playing, places: readonly number[]): Promise<void> {
  const { plan, host, elsewhere } = playing;
  const early = new Map<number, Trajectory>();
  let [next, keeping] = [0, Promise.resolve()];
  const keep = async (): Promise<void> => {
    for (; early.has(next); next++) {
      await keepEpisode(config, playing, early.get(next)!);
      early.delete(next);
    }
  };
  const setup = {
    ...plan.rollout,
    report: tellSteps(host.listener),
    // workers have encoded the pictures, and samples contain only the texts of prompts
    ...(elsewhere && { policy: silent, elsewhere: elsewhere.episodes }),
  };
  const attempts = places.map((place) => attemptAt(config, playing, place));
  await rolloutEach(setup, attempts, (place, trajectory) => {
    early.set(place, trajectory);
    return (keeping = keeping.then(keep));
  });
}

function attemptAt(config: CollectConfig, { plan }: Playing, number: number): Attempt {
  const task = plan.environment.tasks[number]!;
  const expertShare = expertShareOf(config);
  return { task, number, random: plan.random.stream(task.id), memories: [], expertShare, made: [] };
}

const sampleKinds = { bc: 'imitation', dpo: 'preference' } as const;

async function keepEpisode(
  config: CollectConfig,
  { plan, file, host }: Playing,
  trajectory: Trajectory,
): Promise<void> {
  const { task, steps, won, fault } = trajectory;
  const written: PublishedRecord[] = [];
  // a game lost by its world is skipped; it has had its turn
  const samples = fault === undefined ? samplesOf(trajectory, sampleKinds[config.phase]) : [];
  for (const sample of samples) written.push(recordOf(sample, file.image(await encodePng(sample.frame))));
  // replies for concurrent games are marked as used when those games are stored
  plan.teacher.made(task.id);
  file.episode(task.id, written, plan.teacher.position(true));
  if (fault !== undefined) host.listener?.note?.(`episode failed in its world and is discarded: ${fault}`);
  host.listener?.game?.({ id: task.id, type: task.type, won, steps: steps.length, seen_in_training: false });
}

function recordOf(
  { text, output, worse, taskType, taskId }: CollectedSample,
  image: string,
): PublishedRecord {
  return {
    image,
    text_input: text,
    text_output: output,
    ...(worse === null ? {} : { text_output_neg: worse }),
    ...(taskType === null ? {} : { task_type: taskType }),
    game_id: taskId,
  };
}
