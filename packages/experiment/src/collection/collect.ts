/** Play that becomes a dataset, as a program calls it: `train.json` and its pictures in a folder. */
import { Random, type Environment } from '@emac/core';
import type { Student } from '@emac/model';
import type { Rollout } from '@emac/rollout';
import { closingAfter, type Closings } from '../closings.ts';
import { collectConfig, type CollectConfig } from '../config/collect-config.ts';
import { changeableOfLanguageModel } from '../config/expert-config.ts';
import { openTeacher } from '../expert/open-teacher.ts';
import type { Teacher } from '../expert/teacher.ts';
import { timesOf, type Host, type Times } from '../host.ts';
import { inUse, openModel, type OpenModel } from '../opening/model.ts';
import { requireFrameAlone, speechOf, type Speech } from '../opening/policy-form.ts';
import { ownProjection, storedProjection, type ProjectionStart } from '../opening/projection-start.ts';
import { openStudent, parallelOf } from '../opening/student.ts';
import { policyTexts } from '../opening/texts.ts';
import { drawGames, listGames, loadGames, shortage } from '../tasks/games.ts';
import { remoteTasks } from '../tasks/remote-tasks.ts';
import { keepingWorlds } from '../tasks/remote-world.ts';
import { ownPlay, refusePlanner, type RunPlay } from '../tasks/run-play.ts';
import { plainHost } from '../training/train.ts';
import { requireForWorkers } from '../workers/rollout-plan.ts';
import { collectionElsewhere } from './collection-elsewhere.ts';
import { openCollection } from './collection-file.ts';
import { expertShareOf } from './expert-share.ts';
import { playGames } from './play-games.ts';
import { silent } from './silent.ts';

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
    const settings = settingsThatCount(config, teacher);
    const file = openCollection(out, settings);
    open.add(() => file.close());
    for (const note of [inUse(model), ...notes]) if (note !== null) host.listener?.note?.(note);
    teacher.listen((event) => host.listener?.expert?.(event));
    teacher.keepReplies(`${out}/llm.jsonl`, file.replies);
    const { workers } = host;
    const elsewhere = workers ? collectionElsewhere(config, { plan, settings, host, workers }) : null;
    await elsewhere?.agreed();
    await times.part('playing', () => playGames(config, { plan, file, host, elsewhere }));
    await elsewhere?.agreed();
    const games = file.episodes.length;
    const dataset = file.finish();
    await elsewhere?.forget();
    return { dataset, records: file.records, games, spent: times.spent };
  });
}

/** Errors: `usage` for what one process has to do. */
export function requireCollectionForWorkers(config: CollectConfig): void {
  requireForWorkers({ ...config, play: { expertShare: { start: expertShareOf(config) } } });
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

export interface CollectionPlan extends Pick<ProjectionStart, 'visionNorm'> {
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
  if (host.workers) requireCollectionForWorkers(config);
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
    visionNorm: start.visionNorm,
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
