/** The games of a collection, played here or by workers; results are written in game order. */
import { EmacError, type Task, type Trajectory } from '@emac/core';
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
  if (elsewhere) return stoppedInWords(playing, playElsewhere(config, { ...playing, elsewhere }));
  if (plan.environment.arrivals) return playArriving(config, playing, total);
  while (file.episodes.length < total) {
    const { length: done } = file.episodes;
    const count = Math.min(plan.rollout.parallel, total - done);
    await playGroup(
      config,
      playing,
      Array.from({ length: count }, (_, place) => done + place),
    );
  }
}

/** Plays games as they arrive. */
async function playArriving(config: CollectConfig, playing: Playing, total: number): Promise<void> {
  const { tasks, arrivals } = playing.plan.environment;
  const over = new Set(playing.file.episodes);
  const left = { count: total - over.size, next: arrivals!.next.bind(arrivals) };
  for await (const place of arriving(left, (id) => over.has(id))) {
    over.add(tasks[place]!.id);
    await playGroup(config, playing, [place]);
  }
}

/** A group plays concurrently, and is written when it is finished. */
async function playGroup(config: CollectConfig, playing: Playing, places: readonly number[]): Promise<void> {
  const { plan, host } = playing;
  const { tasks } = plan.environment;
  const attempts = places.map((number) => attemptAt(config, { plan, task: tasks[number]!, number }));
  const played = rollout({ ...plan.rollout, report: tellSteps(host.listener) }, attempts);
  for (const trajectory of await stoppedInWords(playing, played))
    await keepEpisode(config, playing, trajectory);
}

/** Queues all remaining games at once; episodes finished out of turn wait for earlier ones. */
async function playElsewhere(
  config: CollectConfig,
  playing: Playing & { readonly elsewhere: CollectionWorkers },
): Promise<void> {
  const { plan, file, host } = playing;
  const { environment } = plan;
  const done = file.episodes.length;
  const attempts = environment.tasks
    .slice(done)
    .map((task, place) => attemptAt(config, { plan, task, number: done + place }));
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

function attemptAt(
  config: CollectConfig,
  { plan, task, number }: { readonly plan: CollectionPlan; readonly task: Task; readonly number: number },
): Attempt {
  const expertShare = expertShareOf(config);
  return { task, number, random: plan.random.stream(task.id), memories: [], expertShare, made: [] };
}

/** Errors: those of playing; `interrupted` on request, saying how to resume. */
async function stoppedInWords<T>({ plan, file, host }: Playing, played: Promise<T>): Promise<T> {
  try {
    return await played;
  } catch (thrown) {
    // a spent budget interrupts too, with its own message
    const isStopped = thrown instanceof EmacError && thrown.code === 'interrupted';
    if (!isStopped || !host.signal?.aborted) throw thrown;
    const total = plan.play.arriving ?? plan.environment.tasks.length;
    throw new EmacError(
      'interrupted',
      `collect: stopped on request after ${file.episodes.length} of ${total} games; run the same command again to resume`,
    );
  }
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
