/** Play that becomes a dataset, as a program calls it: `train.json` and its pictures in a folder. */
import { EmacError, Random, type Environment, type Policy, type Task, type Trajectory } from '@emac/core';
import { encodePng } from '@emac/images';
import type { Student } from '@emac/model';
import { rollout, samplesOf, type Attempt, type CollectedSample, type Rollout } from '@emac/rollout';
import type { Game } from '@emac/world';
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
import { gamesEnvironment } from '../tasks/environment.ts';
import { drawGames, listGames, loadGames, shortage } from '../tasks/games.ts';
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
  const times = timesOf(host.now);
  return closingAfter(async (open) => {
    const plan = await times.part('opening', () => planCollection(config, { host, open }));
    open.add(() => host.listener?.end?.());
    const { games, notes, model, teacher } = plan;
    const { out } = config;
    const file = openCollection(out, settingsThatCount(config, teacher));
    open.add(() => file.close());
    for (const note of [inUse(model), ...notes]) if (note !== null) host.listener?.note?.(note);
    teacher.listen((event) => host.listener?.expert?.(event));
    teacher.keepReplies(`${out}/llm.jsonl`, file.replies);
    await times.part('playing', () => playAll(config, { plan, file, host }));
    return { dataset: file.finish(), records: file.records, games: games.length, spent: times.spent };
  });
}

/** What the records depend on: not how fast they are made, nor what may be spent on them. */
function settingsThatCount(
  { out: _out, parallelEpisodes: _parallel, expert, ...config }: CollectConfig,
  teacher: Teacher,
): object {
  const changeable = new Set<string>(changeableOfLanguageModel);
  // where its code lies does not matter, what it says does
  const { module: _place, ...labelling } = expert;
  const counting = Object.entries(expert.languageModel).filter(([name]) => !changeable.has(name));
  const code = teacher.code === undefined ? {} : { code: teacher.code };
  return {
    ...config,
    expert: { ...labelling, ...code, languageModel: Object.fromEntries(counting) },
  };
}

export interface CollectionPlan {
  readonly student: Student;
  readonly speech: Speech;
  readonly games: readonly Game[];
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
  const list = listGames(config.games);
  const games = loadGames(drawGames(list, config.numGames ?? list.games.length, random.stream('games')));
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
  const { maxSteps, stopRepeating, numGames, parallelEpisodes } = config;
  const environment = gamesEnvironment(games, { text: { ...speech.text, thoughts }, maxSteps });
  return {
    student,
    speech: { ...speech, text: { ...speech.text, thoughts } },
    games,
    teacher,
    model,
    environment,
    random: random.stream('playing'),
    notes: [list.leftOut, start.note, ...teacher.notes, shortage('--num-games', games.length, numGames ?? 0)],
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
      parallel: parallelEpisodes ?? parallelOf(student),
      ...(host.signal && { signal: host.signal }),
    },
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
  const { tasks } = plan.environment;
  const { parallel } = plan.rollout;
  host.listener?.begin?.('collecting', tasks.length, { done: file.episodes });
  while (file.episodes < tasks.length) {
    const group = tasks.slice(file.episodes, file.episodes + parallel);
    const attempts = group.map((task, place) =>
      attemptAt(config, { plan, task, number: file.episodes + place }),
    );
    const trajectories = await playedGroup({ plan, file, host }, attempts);
    for (const trajectory of trajectories) await keepEpisode(config, { plan, file, host }, trajectory);
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
    const { length } = plan.environment.tasks;
    throw new EmacError(
      'interrupted',
      `collect: stopped on request after ${file.episodes} of ${length} games; the same command goes on from there`,
    );
  }
}

async function keepEpisode(
  config: CollectConfig,
  { plan, file, host }: Playing,
  trajectory: Trajectory,
): Promise<void> {
  const { task, steps, won } = trajectory;
  const written: object[] = [];
  for (const sample of samplesOf(trajectory, config.phase === 'dpo' ? 'preference' : 'imitation'))
    written.push(recordOf(sample, file.image(await encodePng(sample.frame))));
  // replies for games that were played beside this one are used when those are in the file
  plan.teacher.made(task.id);
  file.episode(written, plan.teacher.position(true));
  const count = won ? steps.length : plan.rollout.maxSteps;
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
