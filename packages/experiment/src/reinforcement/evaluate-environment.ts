/** A trained policy, or an untouched one, on held-out episodes of an environment, as a program calls it. */
import { EmacError, Random, type OpenedKind, type Task } from '@emac/core';
import { canonicalJson, encodeFloats, sha256 } from '@emac/files';
import {
  closingAfter,
  isDescribedElsewhere,
  isPlayedElsewhere,
  keepingWorlds,
  openClientRobot,
  openPpoPolicy,
  plainHost,
  requirePlayable,
  steppedForm,
  timesOf,
  withBlankFrames,
  type Closings,
  type GivenEnvironment,
  type Host,
  type PpoPolicy,
  type StepAction,
  type SteppedForm,
} from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import { requireDraws, type PpoConfig, type WorldConfig } from '@emac/settings';
import { scoresElsewhere, shareStart, storePlan, workedRun } from '@emac/workers';
import { fewerTasks, usualTasks } from '../evaluation/evaluated-play.ts';
import { openKeptEvaluation } from '../evaluation/kept-evaluation.ts';
import { ppoConfig } from './given-config.ts';
import { evaluatedTasks, evaluatePpo, withPublishedNames, type PpoEvaluation } from './ppo-evaluation.ts';
import type { PlayedRun } from './ppo-workers.ts';
import { plannedPpo } from './worker-policy.ts';

export interface EnvironmentEvaluation {
  readonly env: string;
  /** a run of `emac train --method ppo`, `emac train --method sft` or `emac train`, RUN@best or a checkpoint; `untouched`: a policy that learned nothing */
  readonly ckpt: string;
  /** an untrained policy, or the model of a copied checkpoint of other training; a run names its own */
  readonly policy?: string | null;
  /** null: as many as `usualTasks`, at a client's robot every initial state */
  readonly episodes: number | null;
  /** at each episode; more than 1 need a temperature; default 1 */
  readonly attempts?: number;
  /** 0: greedy */
  readonly temperature: number;
  readonly seed: number;
  /** blank pictures, to test whether the policy uses them; default false */
  readonly blankFrames?: boolean;
  /** where it is played; default here */
  readonly world?: WorldConfig;
  /** of an episode; absent: as in training, else the environment's own */
  readonly maxSteps?: number;
}

export interface EvaluatedEnvironment {
  readonly result: PpoEvaluation;
  readonly config: PpoConfig;
  /** its folder; null if not kept */
  readonly folder: string | null;
  /** milliseconds that each part took */
  readonly spent: ReadonlyMap<string, number>;
}

/** Where an evaluation is kept, and what is written there beside its result. */
export interface Keeping {
  /** the folder's name from everything that decides the result, so an interrupted evaluation is found again */
  readonly out: (subject: string) => string;
  /** further contents of the folder, such as the choice of films */
  readonly with?: string;
  /** writes first files, and may return a watcher; `isFresh`: no earlier files are reused */
  readonly begin?: (folder: string, isFresh: boolean) => EpisodeWatcher<StepAction> | null;
  /** writes files after the result */
  readonly end?: (folder: string, result: PpoEvaluation) => void;
}

/**
 * Evaluates; with a run's seed it plays that run's episodes. A kept evaluation resumes after an interruption, to the
 * same result. Errors: `missing`; `data` for a policy of another environment or method; `usage`; `cannot-create`;
 * `interrupted`.
 */
export function evaluateEnvironment(
  asked: EnvironmentEvaluation,
  host: Host = plainHost(),
  keeping: Keeping | null = null,
): Promise<EvaluatedEnvironment> {
  return keepingWorlds(host, (kept) =>
    closingAfter((open) => evaluated(asked, { host: kept, open, keeping })),
  );
}

interface Around {
  readonly host: Host;
  readonly open: Closings;
  readonly keeping: Keeping | null;
}

async function evaluated(
  asked: EnvironmentEvaluation,
  { host, open, keeping }: Around,
): Promise<EvaluatedEnvironment> {
  const times = timesOf(host.now);
  const { ckpt, seed, env } = asked;
  const stored = ckpt === 'untouched' ? null : steppedForm(ckpt, asked.policy ?? null);
  const isClients = isClientRobot(env);
  const { world, ...robot } = asked;
  const whole = configOf(isClients ? robot : asked, stored, host.environment);
  if (isClients && world?.kind !== 'http')
    throw new EmacError('usage', `--env ${env}: is played by a client; give --world http`);
  if (!isClients) requirePlayable(whole);
  requireDraws(whole.evaluation);
  const start = { random: Random.fromSeed(seed).stream('start'), from: stored && ckpt };
  const policy = await times.part('opening', () => openPpoPolicy(whole, start, host));
  open.add(() => policy.dispose());
  const kind = isClients
    ? { ...(await times.part('waiting', () => openClientRobot(env, world!, host))), numbered: null }
    : policy.kind;
  const played = { ...policy, kind, ...shownTo(asked, policy, kind) };
  const config = isClients && asked.episodes === null ? ofAllTasks(whole, kind!) : whole;
  const tasks = evaluatedTasks(config, played);
  const fewer = fewerTasks(config.env, tasks.length, asked.episodes ?? 0);
  if (fewer !== null) host.listener?.note?.(fewer);
  const subject = subjectOf(asked, { config, policy, keeping, tasks, code: host.environment?.sha256 });
  const out = keeping && `${keeping.out(subject).replace(/[/\\]+$/, '')}/`;
  const kept = openKeptEvaluation({ out, subject });
  open.add(kept.close);
  const watch = keeping?.begin?.(kept.filling!, kept.lines.length === 0);
  const workers = scoresOf(asked, { config, policy, start, host });
  if (workers && watch)
    throw new EmacError(
      'usage',
      '--queue: workers show no steps; leave it out, or leave out the flags that show or keep steps (--gif, --layout published)',
    );
  const count = tasks.length * (asked.attempts ?? 1);
  host.listener?.begin?.('evaluation', count, { noun: 'episode' });
  const random = Random.fromSeed(seed).stream('evaluation');
  const scoring = {
    config,
    policy: played,
    random,
    checkpoint: stored?.name ?? ckpt,
    host,
    journal: kept,
    ...(watch && { watch }),
    elsewhere: workers?.scores(random),
  };
  const result = (await times.part('evaluation', () => evaluatePpo(scoring)))!;
  await workers?.agreed();
  await workers?.forget();
  host.listener?.end?.();
  kept.finish(textOf(result), (folder) => keeping?.end?.(folder, result));
  return { result, config, folder: kept.folder, spent: times.spent };
}

/** The content of the result's file. */
export function textOf(result: PpoEvaluation): string {
  return `${JSON.stringify(withPublishedNames(result), null, 2)}\n`;
}

/** Its prompts, and how many environments at once. Errors: `usage` for blank pictures where words have pictures. */
function shownTo(
  { blankFrames = false }: EnvironmentEvaluation,
  policy: PpoPolicy,
  played: PpoPolicy['kind'],
): Pick<PpoPolicy, 'texts' | 'evaluatedAtOnce'> {
  if (blankFrames && policy.kind?.numbered === null)
    throw new EmacError(
      'usage',
      `--observe text: replaces drawn pictures by blank ones, but ${policy.kind.id} has its own pictures with its words; leave it out`,
    );
  return {
    texts: blankFrames ? withBlankFrames(policy.texts) : policy.texts,
    evaluatedAtOnce: Math.min(policy.evaluatedAtOnce, played?.seats?.() ?? Infinity),
  };
}

/** Whether a client moves the robot, and lists its initial states. */
function isClientRobot(env: string): boolean {
  return isPlayedElsewhere(env) && !isDescribedElsewhere(env);
}

function ofAllTasks(config: PpoConfig, { tasks }: OpenedKind): PpoConfig {
  return { ...config, evaluation: { ...config.evaluation, episodes: tasks.heldOut.count! } };
}

/** The evaluation's workers, if any. */
function scoresOf({ blankFrames = false }: EnvironmentEvaluation, played: PlayedRun) {
  const { config, policy, start, host } = played;
  const { workers } = host;
  if (!workers) return null;
  const own = shareStart(workers.folder, start.from);
  const plan = storePlan(workers.folder, { plays: 'steps', config: plannedPpo(config), policy, host });
  const part = blankFrames ? 'blank' : 'seen';
  const run = workedRun({
    workers,
    // job names include the frozen parts, since a version covers only trainable parameters
    run: `eval-${sha256(Buffer.from(`${plan} ${own ?? 'untouched'} ${part}`)).slice(0, 16)}`,
    plan,
    start: own,
    task: config.env,
    host,
  });
  const { actorCritic } = policy;
  return {
    ...run,
    scores: ({ path: random }: Random) => scoresElsewhere(run, { part, actorCritic, random, blankFrames }),
  };
}

interface Evaluated {
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  readonly keeping: Keeping | null;
  readonly tasks: readonly Task[];
  /** of a module, its code */
  readonly code?: string | undefined;
}

/** Everything a result depends on: the policy, its settings, and the kept files. */
function subjectOf(
  { blankFrames = false }: Pick<EnvironmentEvaluation, 'blankFrames'>,
  { config, policy, keeping, tasks, code }: Evaluated,
): string {
  const { env, seed, evaluation, play, speech, model: computing } = config;
  const { projection, beside = [] } = policy.content();
  const parameters = [
    ...(projection ? [sha256(encodeFloats(projection))] : []),
    ...beside.flatMap(({ files }) => [...files.values()].map(sha256)),
  ];
  const asked = { env, seed, evaluation, play, speech, computing, blankFrames, with: keeping?.with ?? null };
  const besides = { tasks: tasks.map(({ id }) => id), ...(code !== undefined && { code }) };
  return sha256(canonicalJson({ parameters, identity: policy.identity, ...asked, ...besides }));
}

/** The configuration of an evaluation: the checkpoint's, in this environment; `code`: of a module. Errors: `data`, `usage`. */
export function configOf(
  asked: EnvironmentEvaluation,
  stored: SteppedForm | null,
  code?: GivenEnvironment,
): PpoConfig {
  const { env, ckpt, policy, attempts = 1, temperature, seed, world, maxSteps } = asked;
  const evaluation = {
    episodes: asked.episodes ?? usualTasks(env),
    temperature,
    ...(attempts > 1 && { attempts }),
  };
  const limit = maxSteps !== undefined && { play: { ...stored?.form.play, maxSteps } };
  const played = { env, seed, evaluation, ...(world && { world }), ...limit };
  if (!stored) return ppoConfig({ ...played, ...(policy != null && { policy }) });
  const config = ppoConfig({ ...stored.form, ...played });
  // checkpoints hold the name of a module, not its path
  const id = code?.kind.idOf(config.env) ?? config.env;
  if (stored.readsNumbers && !stored.trainedIn.includes(id))
    throw new EmacError(
      'data',
      `--ckpt ${ckpt}: was trained in ${stored.trainedIn.join(', ')} and cannot read ${config.env}; give ${stored.trainedIn.length > 1 ? 'one of them' : 'that'} with --env`,
    );
  return config;
}
