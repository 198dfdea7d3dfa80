/** Play that becomes a dataset, as a program calls it: `train.json` and its pictures in a folder. */
import { EmacError, Random, type Environment, type Policy, type Task, type Trajectory } from '@emac/core';
import { encodePng } from '@emac/images';
import type { Student } from '@emac/model';
import {
  arriving,
  rollout,
  samplesOf,
  type Attempt,
  type CollectedSample,
  type Rollout,
} from '@emac/rollout';
import { closingAfter, type Closings } from '../closings.ts';
import { collectConfig, type CollectConfig } from '../config/collect-config.ts';
import { changeableOfLanguageModel } from '../config/expert-config.ts';
import { openTeacher } from '../expert/open-teacher.ts';
import type { Teacher } from '../expert/teacher.ts';
import { tellSteps, timesOf, type Host, type Times } from '../host.ts';
import { inUse, openModel, type OpenModel } from '../opening/model.ts';
import { requireFrameAlone, speechOf, type Speech } from '../opening/policy-form.ts';
import { ownProjection, storedProjection } from '../opening/projection-start.ts';
import { openStudent, parallelOf } from '../opening/student.ts';
import { policyTexts } from '../opening/texts.ts';
import { drawGames, listGames, loadGames, shortage } from '../tasks/games.ts';
import { remoteTasks } from '../tasks/remote-tasks.ts';
import { keepingWorlds } from '../tasks/remote-world.ts';
import { ownPlay, refusePlanner, type RunPlay } from '../tasks/run-play.ts';
import { plainHost } from '../training/train.ts';
import { openCollection, type CollectionFile } from './collection-file.ts';

export interface Collected {
  /** path of the dataset */
  readonly dataset: string;
  readonly records: number;
  readonly games: number;
  readonly spent: Times['spent'];
}

/** Plays and writes; the same call goes on with a collection that was stopped. Errors: `cannot-create`, `usage`, `interrupted`, the expert's. */
export async function collect(
  given: Parameters<typeof collectConfig>[0],
  host: Host = plainHost(),
): Promise<Collected> {
  const config = collectConfig(given);
  return keepingWorlds(host, (kept) => collected(config, kept));
}

function collected(config: CollectConfig, host: Host): Promise<Collected> {
  const times = timesOf(host.now);
  return closingAfter(async (open) => {
    const plan = await times.part('opening', () => planCollection(config, { host, open }));
    open.add(() => host.listener?.end?.());
    const { notes, model, teacher } = plan;
    const { out } = config;
    const file = openCollection(out, settingsThatCount(config, teacher));
    open.add(() => file.close());
    for (const note of [inUse(model), ...notes]) if (note !== null) host.listener?.note?.(note);
    teacher.listen((event) => host.listener?.expert?.(event));
    teacher.keepReplies(`${out}/llm.jsonl`, file.replies);
    await times.part('playing', () => playAll(config, { plan, file, host }));
    const games = file.episodes.length;
    return { dataset: file.finish(), records: file.records, games, spent: times.spent };
  });
}

/** What the records depend on: not how fast they are made, nor what may be spent on them. */
function settingsThatCount(
  { out: _out, parallelEpisodes: _parallel, expert, world, ...config }: CollectConfig,
  teacher: Teacher,
): object {
  const changeable = new Set<string>(changeableOfLanguageModel);
  // where its code lies does not matter, what it says does
  const { module: _place, ...labelling } = expert;
  const counting = Object.entries(expert.languageModel).filter(([name]) => !changeable.has(name));
  const code = teacher.code === undefined ? {} : { code: teacher.code };
  return {
    ...config,
    // where it connects does not matter, that it does decides the games
    ...(world.kind === 'http' && { world: world.kind }),
    expert: { ...labelling, ...code, languageModel: Object.fromEntries(counting) },
  };
}

export interface CollectionPlan {
  readonly student: Student;
  readonly speech: Speech;
  readonly play: RunPlay;
  readonly teacher: Teacher;
  readonly model: OpenModel;
  readonly notes: readonly (string | null)[];
  readonly environment: Environment;
  readonly rollout: Rollout;
  readonly random: Random;
}

/** Everything that a collection needs, opened and checked. Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export async function planCollection(
  config: CollectConfig,
  { host, open }: { readonly host: Host; readonly open: Closings },
): Promise<CollectionPlan> {
  const random = Random.fromSeed(config.seed).stream('collect');
  const { play, notes } = await gamesToPlay(config, host, random.stream('games'));
  const { games } = play;
  const model = await openModel(config.model, host);
  const start = config.ckpt === null ? ownProjection(model.files) : storedProjection(config.ckpt, model);
  const speech = speechOf(config.speech, start.form);
  const admissibleOnly = start.form?.admissibleOnly ?? false;
  requireFrameAlone(speech.text.observe, { admissibleOnly });
  const thoughts = config.expert.thoughts || speech.text.thoughts;
  const expert = { ...config.expert, thoughts };
  const teacher = await openTeacher(expert, host, { random: random.stream('retries'), games });
  open.add(() => teacher.dispose());
  const student = await openStudent(model, start, speech);
  open.add(() => student.dispose());
  const asksPolicy = config.phase === 'dpo' || config.actWith !== 'expert';
  const { maxSteps, stopRepeating, parallelEpisodes } = config;
  const { environment } = await play.open({ text: { ...speech.text, thoughts }, maxSteps });
  return {
    student,
    speech: { ...speech, text: { ...speech.text, thoughts } },
    play,
    teacher,
    model,
    environment,
    random: random.stream('playing'),
    notes: [...notes, start.note, ...teacher.notes],
    rollout: {
      environment,
      policy: asksPolicy ? student : silent,
      texts: policyTexts(student, speech.text),
      sampling: { kind: 'search', beams: speech.generation.beams },
      expert: teacher.expert,
      asksPolicy,
      maxSteps,
      stopRepeating,
      admissibleOnly,
      policyMemory: false,
      parallel: play.seats(parallelEpisodes ?? parallelOf(student)),
      ...(host.signal && { signal: host.signal }),
    },
  };
}

/** Errors: `usage`, `missing`, `data`, `interrupted`. */
async function gamesToPlay(
  { world, games: source, numGames, expert }: CollectConfig,
  host: Host,
  random: Random,
) {
  if (world.kind === 'http') {
    refusePlanner(expert);
    return remoteTasks(world, { flag: '--num-games', count: numGames, random, host });
  }
  const list = listGames(source);
  const games = loadGames(drawGames(list, numGames ?? list.games.length, random));
  return {
    play: ownPlay(games),
    notes: [list.leftOut, shortage('--num-games', games.length, numGames ?? 0)],
  };
}

/** A policy that is not asked: the expert acts, and what the policy would see is not kept. */
const silent: Pick<Policy, 'encode' | 'decide'> = {
  encode: () => Promise.resolve({ key: '', data: new Float32Array(0) }),
  decide: () => Promise.reject(new EmacError('internal', 'collect: this policy is not asked')),
};

const shares = { student: 0, expert: 1 } as const;

interface Playing {
  readonly plan: CollectionPlan;
  readonly file: CollectionFile;
  readonly host: Host;
}

/** Games that are in the file already are passed over; the others are written in their order, a group at a time. */
async function playAll(config: CollectConfig, { plan, file, host }: Playing): Promise<void> {
  const { environment, play } = plan;
  const { tasks } = environment;
  const total = play.arriving ?? tasks.length;
  host.listener?.begin?.('collecting', total, { done: file.episodes.length });
  const playGroup = async (places: readonly number[]): Promise<void> => {
    const attempts = places.map((number) => attemptAt(config, { plan, task: tasks[number]!, number }));
    const trajectories = await playedGroup({ plan, file, host }, attempts);
    for (const trajectory of trajectories) await keepEpisode(config, { plan, file, host }, trajectory);
  };
  const { arrivals } = environment;
  if (arrivals) {
    const over = new Set(file.episodes);
    const left = { count: total - over.size, next: arrivals.next.bind(arrivals) };
    for await (const place of arriving(left, (id) => over.has(id))) {
      over.add(tasks[place]!.id);
      await playGroup([place]);
    }
    return;
  }
  const { parallel } = plan.rollout;
  while (file.episodes.length < total) {
    const { length: done } = file.episodes;
    const count = Math.min(parallel, total - done);
    await playGroup(Array.from({ length: count }, (_, place) => done + place));
  }
}

function attemptAt(
  config: CollectConfig,
  { plan, task, number }: { readonly plan: CollectionPlan; readonly task: Task; readonly number: number },
): Attempt {
  const expertShare = config.actWith === 'mixture' ? config.expertProbability : shares[config.actWith];
  return { task, number, random: plan.random.stream(task.id), memories: [], expertShare, made: [] };
}

/** Errors: `interrupted`, saying how it goes on. */
async function playedGroup(
  { plan, file, host }: Playing,
  attempts: readonly Attempt[],
): Promise<Trajectory[]> {
  try {
    return await rollout({ ...plan.rollout, report: tellSteps(host.listener) }, attempts);
  } catch (thrown) {
    // a spent budget interrupts too, and says so itself
    const isStopped = thrown instanceof EmacError && thrown.code === 'interrupted';
    if (!isStopped || !host.signal?.aborted) throw thrown;
    const total = plan.play.arriving ?? plan.environment.tasks.length;
    throw new EmacError(
      'interrupted',
      `collect: stopped on request after ${file.episodes.length} of ${total} games; the same command goes on from there`,
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
  // of a game that its world lost nothing is kept; it has had its turn
  const samples = fault === undefined ? samplesOf(trajectory, sampleKinds[config.phase]) : [];
  for (const sample of samples) written.push(recordOf(sample, file.image(await encodePng(sample.frame))));
  // replies for games that were played beside this one are used when those are in the file
  plan.teacher.made(task.id);
  file.episode(task.id, written, plan.teacher.position(true));
  const count = won ? steps.length : plan.rollout.maxSteps;
  if (fault !== undefined) host.listener?.note?.(`lost by its world, nothing of it is kept: ${fault}`);
  host.listener?.game?.({ id: task.id, type: task.type, won, steps: count, seen_in_training: false });
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
