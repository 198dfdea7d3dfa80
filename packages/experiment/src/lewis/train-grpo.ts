/** GRPO in the Lewis game as a program calls it: a run from start to end, or gone on with. Evaluated before and after on held-out games. */
import { dirname } from 'node:path';
import type { GrpoCheckpoint, GrpoLine, GrpoState } from '@emac/algorithms';
import { EmacError, Random } from '@emac/core';
import { failpoint, isThere, requireSpace } from '@emac/files';
import type { ReplyJournal } from '@emac/expert';
import { createRun, holdRun, isDone, readConfig, type ResumePoint, type Run } from '@emac/runs';
import { requireBegunBy } from '../config/begun-by.ts';
import {
  grpoConfig,
  grpoSchema,
  grpoSettingsOf,
  type GivenGrpoConfig,
  type GrpoConfig,
  type LewisRole,
} from '../config/grpo-config.ts';
import { stalenessNote } from '../config/max-staleness.ts';
import { pathFrom } from '../config/stored-config.ts';
import { checked } from '../config/train-config.ts';
import { version } from '../config/version.ts';
import { closingAfter } from '../closings.ts';
import { plainHost, timesOf, warn, type Host, type Times } from '../host.ts';
import { codeHash } from '../training/code-hash.ts';
import { openedFor, runEnded } from '../training/run-end.ts';
import { requireSameVersions } from '../training/run-versions.ts';
import { inShards } from '../training/sharded-policy.ts';
import { storedEvaluation, storeEvaluation } from '../reinforcement/stored-evaluations.ts';
import { grpoCheckpointOf, grpoContent, lewisFormOf, repliesOf, type LewisForm } from './grpo-checkpoint.ts';
import type { LewisEvaluation } from './lewis-evaluation.ts';
import { serviceNamed } from './named-services.ts';
import { grpoWorkers, type GrpoWorkers } from './grpo-workers.ts';
import { openLewisPlay, type LewisPlay } from './lewis-play.ts';
import { requireFittingStaleness } from './fitting-staleness.ts';
import { spaceNeeded } from './grpo-space.ts';

export interface FinishedGrpo {
  readonly folder: string;
  readonly role: LewisRole;
  /** every setting with the value in use */
  readonly config: GrpoConfig;
  /** null where no game was to be evaluated */
  readonly before: LewisEvaluation | null;
  readonly after: LewisEvaluation | null;
  /** where training ended */
  readonly state: Pick<GrpoState, 'update' | 'answers' | 'tokens'>;
  /** milliseconds that each part took, in this process */
  readonly spent: ReadonlyMap<string, number>;
  readonly wasResumed: boolean;
}

/** A run of one role. */
export interface GrpoRunConfig extends GrpoConfig {
  readonly role: LewisRole;
}

interface GrpoWork {
  readonly config: GrpoRunConfig;
  readonly play: LewisPlay;
  readonly run: Run;
  readonly point: ResumePoint | null;
  readonly host: Host;
  readonly times: Times;
  /** of a service; null where none is asked */
  readonly replies: ReplyJournal | null;
  /** workers that answer and learn; null where this process does */
  readonly answers: GrpoWorkers | null;
}

/** Format of config.yaml. */
const format = 2;

export interface BeginGrpo {
  /** the name of the run before it, where roles learn in turns */
  readonly previous?: string;
}

/** Trains one role in a new run folder. Errors before that is made leave nothing behind; later ones are `RunError`s. */
export async function trainGrpo(
  given: GivenGrpoConfig & { readonly role: LewisRole },
  host: Host = plainHost(),
  { previous }: BeginGrpo = {},
): Promise<FinishedGrpo> {
  const times = timesOf(host.now);
  const config = ofOneRole(limitedAsInit(grpoConfig({ ...partner(given, host), ...given }), given));
  requireFittingStaleness(config);
  const start = startOf(config);
  const play = await times.part('opening', () => openLewisPlay(config, start, host));
  return closingAfter(async (open) => {
    open.add(() => play.dispose());
    const { out, seed, keep, ...settings } = config;
    const run = createRun({
      out,
      seed,
      keep,
      phase: 'grpo',
      config: { v: format, command: 'grpo', phase: 'grpo', seed, keep, ...settings },
      versions: versionsOf(play),
      now: () => new Date(host.now()),
      ...(previous !== undefined && { previous }),
      prepare: (folder) => requireSpace(dirname(folder), spaceNeeded(play, config)),
    });
    const answers = openedFor(run, () => grpoWorkers(run, { config, policy: play.policy, start, host }));
    return carriedOut({ config, play, run, point: null, host, times, answers }, false);
  });
}

export interface ResumeGrpoOptions extends Host {
  /** other code is no obstacle; default false */
  readonly allowDrift?: boolean;
}

/** Goes on with a run that was stopped or killed, to the bytes that it would have ended in; null for one that is finished. Errors: `missing`, `config`, `data`, `cannot-create`; `RunError`. */
export async function resumeGrpoRun(
  folder: string,
  host: ResumeGrpoOptions = plainHost(),
): Promise<FinishedGrpo | null> {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: is not there`);
  if (isDone(folder)) return null;
  const times = timesOf(host.now);
  const held = holdRun(folder);
  for (const damage of held.damage) warn(host.listener, `passed over: ${damage}`);
  return closingAfter(async (open) => {
    let work: Omit<GrpoWork, 'replies'>;
    try {
      const { record, point } = held;
      const config = ofOneRole(storedGrpoConfig(folder));
      const there = fromDirectory(config, record.workingDirectory);
      const start = { ...startOf(there), ...(point && { from: point.folder }) };
      const play = await times.part('opening', () => openLewisPlay(there, start, host));
      open.add(() => play.dispose());
      const versions = versionsOf(play);
      requireSameVersions(folder, { before: record.versions, now: versions }, host.allowDrift ?? false);
      requireSpace(folder, spaceNeeded(play, there));
      const run = held.goOn({ versions, now: () => new Date(host.now()), keep: config.keep });
      const answers = grpoWorkers(run, { config: there, policy: play.policy, start, host });
      work = { config, play, run, point, host, times, answers };
    } catch (thrown) {
      held.release();
      throw thrown;
    }
    return carriedOut(work, true);
  });
}

/** As it was typed. Errors: `config` where it was changed since, or is of another command. */
export function storedGrpoConfig(folder: string): GrpoConfig {
  requireBegunBy('grpo', folder);
  const stored = readConfig(folder) as Readonly<Record<string, unknown>>;
  const { v, command: _command, phase: _phase, ...settings } = stored;
  if (v !== format)
    throw new EmacError(
      'config',
      `${folder}: has a config.yaml of format ${String(v)}, this version reads ${format}; begin a new run`,
    );
  return checked(grpoSchema, settings, `${folder}: its config.yaml`);
}

/** Errors: `usage` for both roles, which are several runs. */
export function ofOneRole(config: GrpoConfig): GrpoRunConfig {
  const { role } = config;
  if (role !== 'both') return { ...config, role };
  throw new EmacError('usage', '--role both: is a chain of runs, and this is one of them');
}

/** Services that the environment names, where the configuration names nobody. Errors: `usage` where the one that is played with has no address. */
function partner(given: GivenGrpoConfig, { env }: Pick<Host, 'env'>): Partial<GrpoConfig> {
  const other = given.role === 'speaker' ? 'listener' : 'speaker';
  return given[other] === undefined ? { [other]: serviceNamed(other, env) } : {};
}

/** Pictures are shown as large as where it was trained, whatever a preset has, unless it is said; runs from before there was a limit had none. */
function limitedAsInit(config: GrpoConfig, { model: given }: Pick<GivenGrpoConfig, 'model'>): GrpoConfig {
  const { init, model } = config;
  const form = init === null || given?.maxPixels !== undefined ? null : lewisFormOf(init);
  return form === null ? config : { ...config, model: { ...model, maxPixels: form.model.maxPixels ?? null } };
}

/** Its paths as they were meant where the run began. */
export function fromDirectory(config: GrpoRunConfig, directory: string): GrpoRunConfig {
  const { init, model, game, listener, speaker } = config;
  const at = (path: string) => pathFrom(path, directory);
  return {
    ...config,
    model: { ...model, path: at(model.path) },
    init: init === null ? null : at(init),
    game: { ...game, pictures: game.pictures === 'drawn' ? 'drawn' : at(game.pictures) },
    listener: at(listener),
    speaker: speaker === 'true' ? speaker : at(speaker),
  };
}

function startOf({ init, seed }: GrpoConfig): { readonly random: Random; readonly from: string | null } {
  return { random: Random.fromSeed(seed).stream('start'), from: init };
}

function versionsOf({ policy: { model } }: LewisPlay): Readonly<Record<string, string>> {
  return { emac: version, code: codeHash(), node: process.version, model: model.identity };
}

async function carriedOut(begun: Omit<GrpoWork, 'replies'>, wasResumed: boolean): Promise<FinishedGrpo> {
  const { run, host } = begun;
  let replies: ReplyJournal | null = null;
  try {
    host.listener?.run?.(run.folder);
    replies = await journalOf(begun);
    return { ...(await finished({ ...begun, replies })), wasResumed };
  } catch (thrown) {
    throw runEnded(run, thrown);
  } finally {
    host.listener?.end?.();
    replies?.close();
  }
}

async function finished(work: GrpoWork): Promise<Omit<FinishedGrpo, 'wasResumed'>> {
  const { config, play, run, point, host, times } = work;
  const note = (line: string) => host.listener?.note?.(line);
  note(`run ${run.folder}${point ? `, from checkpoint ${point.step}` : ''}`);
  note(`${config.role} ${config.model.path}, ${await play.otherName()}`);
  if (config.optimization.maxStaleness > 0) note(stalenessNote('answers', config.optimization));
  const before = await times.part('evaluation before', () => evaluatedBefore(work));
  const state = await times.part('training', () => trained(work));
  const after = await times.part('evaluation after', () => evaluated(work, 'after'));
  await work.answers?.agreed(state.update);
  run.finish({ ...(after && { evaluation: after }), onlyLast: config.onlyLast });
  await work.answers?.forget(state.update);
  const { folder } = run;
  return { folder, role: config.role, config, before, after, state, spent: times.spent };
}

/** Opens the journal of a service's replies: those after the run's checkpoint are given out again, or before any those after its first evaluation. */
async function journalOf({ play, run, point }: Omit<GrpoWork, 'replies'>): Promise<ReplyJournal | null> {
  if (!play.journal) return null;
  const { openReplyJournal, readReplies } = await import('@emac/expert');
  const path = run.languageModelJournal;
  const lines = isThere(path) ? readReplies(path) : [];
  const isEvaluated = storedEvaluation(run.folder, 'before') !== null;
  const replies = isEvaluated ? lines.length : 0;
  const from = (point && repliesOf(point.checkpoint)) ?? { replies, tokens: 0 };
  const opened = openReplyJournal(path, { from });
  play.journal.open(opened, lines.slice(0, from.replies));
  return opened;
}

/** A run that has learned something has no policy of before any more. */
async function evaluatedBefore(work: GrpoWork): Promise<LewisEvaluation | null> {
  const { run, point } = work;
  const known = storedEvaluation<LewisEvaluation>(run.folder, 'before');
  if (known || point) return known;
  const result = await evaluated(work, 'before');
  if (result) storeEvaluation(run.folder, 'before', result);
  return result;
}

/** Both on the same games. */
async function evaluated(work: GrpoWork, when: 'before' | 'after'): Promise<LewisEvaluation | null> {
  const { games } = work.config.evaluation;
  if (games === 0) return null;
  work.host.listener?.begin?.(`evaluation ${when}`, games, { noun: 'game' });
  return work.play.evaluate(when === 'before' ? 'start' : 'latest', work.host);
}

function trained(work: GrpoWork): Promise<GrpoState> {
  const { config, play, run, point, host, answers } = work;
  const settings = grpoSettingsOf(config, play.tasks.count);
  const { updates } = settings.play;
  const resume = point && grpoCheckpointOf(point.checkpoint);
  let line: GrpoLine | null = null;
  if (resume) answers?.gradients.at(resume.state.update);
  host.listener?.begin?.('training', updates, { done: resume?.state.update ?? 0, noun: 'update' });
  return play.tasks.train({
    settings,
    policy: inShards(play.learner, {
      count: config.optimization.gradientShards,
      each: answers?.gradients.each ?? null,
    }),
    reference: play.policy.reference,
    ...(answers && { elsewhere: answers.elsewhere }),
    random: Random.fromSeed(config.seed).stream('training'),
    metrics: (told) => {
      line = told;
      run.metrics(told);
      host.listener?.reinforced?.(told);
      failpoint('updating');
    },
    sample: ({ task, answer, reward, rewards, update }) =>
      host.listener?.answered?.({ update, reward, rewards, content: answer.text, solution: task.solution }),
    checkpoint: (moment) => {
      keepMoment(work, moment, { line, last: updates });
      answers?.gradients.at(moment.state.update);
    },
    ...(host.signal && { signal: host.signal }),
    ...(resume && { resume }),
  });
}

interface Kept {
  /** what the update before told; null before the first */
  readonly line: GrpoLine | null;
  /** updates of the run */
  readonly last: number;
}

/** Every so many updates, after the last, and where the run was asked to stop. The best has the highest mean reward of its update. */
function keepMoment(work: GrpoWork, moment: GrpoCheckpoint, { line, last }: Kept): void {
  const { config, run, host, play, replies } = work;
  const { update } = moment.state;
  const isDue = update % config.checkpointEvery === 0 || update === last;
  if (!isDue && !host.signal?.aborted) return;
  const reached = line?.['reward'];
  const loss = typeof reached === 'number' ? -reached : null;
  run.checkpoint(grpoContent(moment, { ...contentOf(play, config), replies: replies?.position() ?? null }), {
    loss,
    isExtra: !isDue,
  });
}

function contentOf({ policy }: LewisPlay, config: GrpoRunConfig) {
  const { student, start, model, form } = policy;
  const { role, game, speech, model: computing } = config;
  const lewis: LewisForm = { role, game, speech, model: computing };
  const { family } = model.files;
  return { student, family, visionNorm: start.visionNorm, form, lewis, identity: model.identity };
}
