/** A policy in episodes of words, such as games, or on a dataset: without expert, key or network. */
import { basename, join } from 'node:path';
import { adapterScale } from '@emac/backbone';
import { Random, type OpenedKind, type Task } from '@emac/core';
import { datasetFile, openDataset } from '@emac/datasets';
import { canonicalJson, encodeFloats, isFolder, sha256 } from '@emac/files';
import { policyParameters } from '@emac/model';
import {
  heard,
  checkpointForm,
  inUse,
  kindPlay,
  openPlayedOnce,
  openPolicy,
  requirePlayable,
  parallelOf,
  refuseArriving,
  remoteTasks,
  timesOf,
  warn,
  type Closings,
  type Host,
  type EvaluatedPolicy,
  type PlayedOnce,
  type RunPlay,
  type Times,
  type Workers,
} from '@emac/opening';
import type { DatasetResult, EvaluationResult } from '@emac/rollout';
import { layout } from '@emac/runs';
import {
  heldOutSuite,
  requireFittingEvaluation,
  usualEnvironment,
  type EvaluationConfig,
} from '@emac/settings';
import {
  attemptsElsewhere,
  gamesOf,
  requireForWorkers,
  storeRolloutPlan,
  versionOf,
  workedRun,
  type WorkedRun,
} from '@emac/workers';
import { writeEvaluationLogs } from '../logs/eval-logs.ts';
import { evaluationTraces } from '../logs/evaluation-traces.ts';
import { evaluationLog } from '../logs/evaluation-log.ts';
import { fewerTasks, heldOutPlay, usualHeldOut } from './evaluated-play.ts';
import { dialectWarning } from './dialect-warning.ts';
import { evaluateData } from './evaluate-data.ts';
import { evaluateTasks, samplingOf } from './evaluate-tasks.ts';
import { openKeptEvaluation, requirePlaceOfTraces, type KeptEvaluation } from './kept-evaluation.ts';
import { playInWords } from './play-in-words.ts';
import { expectedInWords } from './trial.ts';

export interface WordsOptions {
  /** the games are to be filmed: refused for a policy without pictures */
  readonly films?: boolean | undefined;
  /** writes further files into the evaluation's folder before play */
  readonly prepare?: ((folder: string) => void) | undefined;
  /** held-out tasks to play, each with its environment's seed, instead of the first ones; not for ALFWorld */
  readonly tasks?: readonly (Task & { readonly seed: string })[] | undefined;
}

interface Evaluated {
  /** of the result's files; null if nothing or only a file is kept */
  readonly folder: string | null;
  /** milliseconds that each part took */
  readonly spent: Times['spent'];
}

export type WordsEvaluation = Evaluated &
  (
    | { readonly kind: 'games'; readonly result: EvaluationResult }
    | { readonly kind: 'data'; readonly result: DatasetResult }
  );

/** Errors: those of opening; `cannot-create` before play; `interrupted`. */
export async function evaluateInWords(
  config: EvaluationConfig,
  { host, open, films, prepare, tasks }: WordsOptions & { readonly host: Host; readonly open: Closings },
): Promise<WordsEvaluation> {
  const times = timesOf(host.now);
  const { spent } = times;
  const { data, images, out } = config;
  const dataset = data === null ? null : openDataset(datasetFile(data, true), { flag: '--data', images });
  open.add(() => dataset?.close());
  requireFittingEvaluation(checkpointForm(config.ckpt)?.env ?? usualEnvironment, config);
  const played = dataset ? null : await openEvaluated(config, host);
  open.add(() => played?.kind.close?.());
  const listed = played && tasks ? { play: kindPlay(played.kind, tasks), notes: [] } : null;
  const drawn = listed ?? (played && (await gamesToPlay(config, host, played)));
  const opened = await times.part('opening', () =>
    openPolicy({ ...config, dialogue: played?.kind.dialogue }, host, { films }),
  );
  open.add(() => opened.student.dispose());
  if (opened.form.text.observe !== 'text') dataset?.requirePictures(opened.student.needsPicture);
  const parts = {
    opened: { ...opened, student: heard(opened.student, host.trial) },
    dataset,
    play: drawn?.play ?? null,
  };
  const together = config.parallelEpisodes ?? parallelOf(opened.student);
  host.trial?.opened(expectedInWords(parts, { together, attempts: config.attempts }));
  open.add(() => host.listener?.end?.());
  const note = (line: string | null) => line !== null && host.listener?.note?.(line);
  for (const line of [inUse(opened.model), ...(drawn?.notes ?? []), ...opened.notes]) note(line);
  const evaluated = await times.part('evaluation', async () => {
    if (dataset)
      return {
        kind: 'data',
        result: await evaluateData(config, { ...parts, dataset, host, prepare }),
      } as const;
    const [play, { kind }] = [parts.play!, played!];
    const result = await onGames(config, { ...parts, kind, play, host, open, prepare, tasks });
    return { kind: 'games', result } as const;
  });
  return { ...evaluated, folder: out !== null && isFolder(out) ? out : null, spent };
}

/** The environment of a policy's training, with its step limit and other games. Errors: those of opening. */
function openEvaluated(
  { ckpt, games, maxSteps: asked, world }: EvaluationConfig,
  host: Host,
): Promise<PlayedOnce> {
  const { env, spoken = null } = checkpointForm(ckpt) ?? {};
  const trainedIn = env ?? usualEnvironment;
  requirePlayable({ env: trainedIn, world });
  return openPlayedOnce(
    {
      env: trainedIn,
      // clients have their own limit
      maxSteps: asked ?? (world.kind === 'own' ? (spoken?.maxSteps ?? null) : null),
      heldOut: games === heldOutSuite ? null : games,
    },
    host.environment ?? null,
    { world, host },
  );
}

/** Errors: `usage`, `missing`, `data`, `interrupted`. */
async function gamesToPlay(config: EvaluationConfig, host: Host, { kind, clients }: PlayedOnce) {
  if (host.workers) requireForWorkers(config);
  if (!clients) return heldOutTasks(kind, config);
  const remote = await remoteTasks(config.world, { flag: '--num-games', count: config.numGames, host });
  if (config.attempts > 1)
    refuseArriving(remote.play, `--attempts ${config.attempts}`, 'decides its games; leave it out');
  return remote;
}

function heldOutTasks(kind: OpenedKind, { numGames }: EvaluationConfig) {
  const play = heldOutPlay(kind, numGames ?? usualHeldOut(kind));
  const { list } = kind.tasks.heldOut;
  return { play, notes: [list?.leftOut ?? null, fewerTasks(kind.id, play.tasks().length, numGames ?? 0)] };
}

interface OnGames extends Pick<WordsOptions, 'prepare' | 'tasks'> {
  readonly opened: EvaluatedPolicy;
  readonly kind: OpenedKind;
  readonly play: RunPlay;
  readonly host: Host;
  readonly open: Closings;
}

async function onGames(
  config: EvaluationConfig,
  { opened, kind, play, host, open, prepare, tasks }: OnGames,
): Promise<EvaluationResult> {
  const { student: policy, form, trainedOn } = opened;
  const since = host.now();
  const subject = subjectOf(config, { opened, play, kind, host });
  const kept = openKeptEvaluation({ out: config.out, subject });
  open.add(kept.close);
  requirePlaceOfTraces(config, kept);
  const { environment } = await play.open(form, { games: tasksOver(kept) });
  host.listener?.begin?.('evaluation', play.arriving ?? environment.tasks.length * config.attempts);
  const { filling } = kept;
  if (filling !== null) prepare?.(filling);
  const elsewhere =
    host.workers && elsewhereOf(config, { opened, subject, workers: host.workers, host, kind });
  await elsewhere?.agreed();
  const { attempts } = config;
  const of = { attempts, sampling: samplingOf(config, form.generation.beams), host };
  const traces = config.traces ? evaluationTraces(filling!, layout.traces) : undefined;
  open.add(() => traces?.close());
  const { result, played } = await evaluateTasks({
    ...of,
    traces,
    env: kind.id,
    policy: basename(opened.model.folder),
    seed: config.seed,
    checkpoint: config.ckpt,
    tasks: environment.tasks,
    journal: kept,
    play: playInWords({
      ...of,
      pictures: traces?.pictures,
      policy,
      texts: kind.speech(policy, form.text),
      form,
      environment,
      trainedOn,
      parallel: play.seats(config.parallelEpisodes ?? parallelOf(policy)),
      random: Random.fromSeed(config.seed),
      ...(tasks && { seedOf: ({ id }) => tasks.find((task) => task.id === id)?.seed }),
      ...(elsewhere && {
        elsewhere: attemptsElsewhere(elsewhere, {
          part: 'games',
          gameOf: gamesOf(kind),
          version: () => versionOf(policy),
        }),
      }),
      ...(filling !== null && { report: evaluationLog(filling) }),
    }),
  });
  await elsewhere?.agreed();
  kept.finish(`${canonicalJson(result, 2)}\n`, (folder) => {
    if (!kind.isReAct) return;
    writeEvaluationLogs(join(folder, layout.results), {
      policy,
      games: environment.tasks.flatMap((task) => Array(attempts).fill(task) as Task[]),
      played,
      seconds: (host.now() - since) / 1000,
    });
  });
  await elsewhere?.forget();
  const otherForm = kind.isReAct ? dialectWarning(played) : null;
  if (otherForm !== null) warn(host.listener, otherForm);
  return result;
}

function tasksOver({ lines }: Pick<KeptEvaluation, 'lines'>): Task[] {
  return lines.flatMap((line) => ('game' in line ? { id: line.game.id, type: line.game.type } : []));
}

interface Apart {
  readonly opened: EvaluatedPolicy;
  readonly subject: string;
  readonly workers: Workers;
  readonly host: Host;
  readonly kind: Pick<OpenedKind, 'taskFiles'>;
}

/** The evaluation's workers. Evaluations with equal subjects share results. */
function elsewhereOf(
  { model: config }: EvaluationConfig,
  { opened, subject, workers, host, kind: { taskFiles } }: Apart,
): WorkedRun {
  const { model, form, student, visionNorm } = opened;
  const adapters = [student.adapter];
  const parts = { model, config, form, visionNorm, adapters, expert: null, host };
  const plan = storeRolloutPlan(workers.folder, { ...parts, ...(taskFiles && { taskFiles }) });
  const run = `eval-${subject.slice(0, 16)}`;
  return workedRun({ workers, run, plan, start: null, task: 'evaluation', host });
}

/** Everything a result depends on: policy, networks and their backend, form, games, code of the environment. */
function subjectOf(
  { model: { path: _path, ...computing }, ...config }: EvaluationConfig,
  {
    opened: { student, form },
    play: { fingerprint: games },
    kind,
    host,
  }: Pick<OnGames, 'opened' | 'play' | 'kind' | 'host'>,
): string {
  const parameters = sha256(encodeFloats(policyParameters(student)));
  const { modelIdentity: model, adapter } = student;
  const scale = adapter && adapterScale(adapter.settings);
  const { temperature, attempts, seed, traces } = config;
  const sampled = temperature !== 0 && { sampled: { temperature, topP: 1, attempts } };
  const draws = { ...sampled, ...(seed !== 0 && { seed }) };
  const code = host.environment && { code: host.environment.sha256 };
  const versions = kind.versions && { versions: kind.versions };
  const known = {
    parameters,
    model,
    computing,
    form,
    games,
    ...code,
    ...versions,
    ...draws,
    ...(traces && { traces }),
  };
  return sha256(canonicalJson(scale === null ? known : { ...known, scale }));
}
