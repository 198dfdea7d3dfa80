/** The games of a collection, played here or by workers; results are written in game order. */
import type { Trajectory } from '@emac/core';
import { encodePng } from '@emac/images';
import { silent, tellSteps, type Host } from '@emac/opening';
import {
  arriving,
  playEachElsewhere,
  rollout,
  samplesOf,
  type Attempt,
  type CollectedSample,
} from '@emac/rollout';
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
  const { plan, file, host, elsewhere } = playing;
  const total = plan.play.arriving ?? plan.environment.tasks.length;
  host.listener?.begin?.('collecting', total, { done: file.episodes.length });
  try {
    if (elsewhere) await playElsewhere(config, { ...playing, elsewhere });
    else await playHere(config, playing, total);
  } catch (thrown) {
    throw resumable(thrown, host, `${file.episodes.length} of ${total} games`);
  }
}

async function playHere(config: CollectConfig, playing: Playing, total: number): Promise<void> {
  const setup = { ...playing.plan.rollout, report: tellSteps(playing.host.listener) };
  for await (const places of groupsOf(playing, total)) {
    const attempts = places.map((place) => attemptAt(config, playing, place));
    for (const trajectory of await rollout(setup, attempts)) await keepEpisode(config, playing, trajectory);
  }
}

/** Places of games that play concurrently, and are written when all are finished; games that arrive play alone. */
async function* groupsOf({ plan, file }: Playing, total: number): AsyncGenerator<readonly number[]> {
  const { tasks, arrivals } = plan.environment;
  const over = new Set(file.episodes);
  if (arrivals) {
    const left = { count: total - over.size, next: arrivals.next.bind(arrivals) };
    for await (const place of arriving(left, (id) => over.has(id))) {
      over.add(tasks[place]!.id);
      yield [place];
    }
    return;
  }
  const { parallel } = plan.rollout;
  for (let first = over.size; first < total; first += parallel)
    yield Array.from({ length: Math.min(parallel, total - first) }, (_, place) => first + place);
}

/** Queues all remaining games at once; episodes finished out of turn wait for earlier ones. */
async function playElsewhere(
  config: CollectConfig,
  playing: Playing & { readonly elsewhere: CollectionWorkers },
): Promise<void> {
  const { plan, file, host } = playing;
  const done = file.episodes.length;
  const attempts = plan.environment.tasks
    .slice(done)
    .map((_, place) => attemptAt(config, playing, done + place));
  const elsewhere = playing.elsewhere.episodes;
  const early = new Map<number, Trajectory>();
  let [next, keeping] = [0, Promise.resolve()];
  const keep = async (): Promise<void> => {
    for (; early.has(next); next++) {
      await keepEpisode(config, playing, early.get(next)!);
      early.delete(next);
    }
  };
  // workers have encoded the pictures, and samples contain only the texts of prompts
  const setup = { ...plan.rollout, policy: silent, report: tellSteps(host.listener), elsewhere };
  await playEachElsewhere(setup, attempts, (place, trajectory) => {
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
  const written: object[] = [];
  // a game lost by its world is skipped; it has had its turn
  const samples = fault === undefined ? samplesOf(trajectory, sampleKinds[config.phase]) : [];
  for (const sample of samples) written.push(recordOf(sample, file.image(await encodePng(sample.frame))));
  // replies for concurrent games are marked as used when those games are stored
  plan.teacher.made(task.id);
  file.episode(task.id, written, plan.teacher.position(true));
  if (fault !== undefined) host.listener?.note?.(`episode failed in its world and is discarded: ${fault}`);
  host.listener?.game?.({ id: task.id, type: task.type, won, steps: steps.length, seen_in_training: false });
}

function recordOf({ text, output, worse, taskType, taskId }: CollectedSample, image: string): object {
  return {
    image,
    text_input: text,
    text_output: output,
    ...(worse === null ? {} : { text_output_neg: worse }),
    ...(taskType === null ? {} : { task_type: taskType }),
    game_id: taskId,
  };
}
