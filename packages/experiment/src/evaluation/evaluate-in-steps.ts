/** A trained policy, or an untouched one, on held-out episodes of an environment, step by step. */
import { EmacError, Random, type OpenedKind, type Task } from '@emac/core';
import { canonicalJson, encodeFloats, sha256 } from '@emac/files';
import {
  heard,
  isDescribedElsewhere,
  isPlayedElsewhere,
  isModel,
  modelName,
  openClientRobot,
  openPpoPolicy,
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
import { evaluationConfig, requireDraws, type EvaluationConfig, type PpoConfig } from '@emac/settings';
import { layout } from '@emac/runs';
import { scoresElsewhere, shareStart, storePlan, workedRun } from '@emac/workers';
import { dialectWatch } from './dialect-warning.ts';
import { fewerTasks, usualTasks } from './evaluated-play.ts';
import { openKeptEvaluation, requirePlaceOfTraces } from './kept-evaluation.ts';
import { bothWatch } from './traced-play.ts';
import { expectedInSteps } from './trial.ts';
import { evaluationTraces } from '../logs/evaluation-traces.ts';
import { ppoConfig } from '../reinforcement/given-config.ts';
import {
  evaluatedTasks,
  evaluatePpo,
  withPublishedNames,
  type PpoEvaluation,
} from '../reinforcement/ppo-evaluation.ts';
import type { PlayedRun } from '../reinforcement/ppo-workers.ts';
import { plannedPpo } from '../reinforcement/worker-policy.ts';

/** The settings of `emac eval`, and the environment; `untouched`: a policy that learned nothing, whose `model` is named. */
export type StepsConfig = EvaluationConfig & { readonly env: string };

export interface EvaluatedSteps {
  readonly result: PpoEvaluation;
  readonly config: PpoConfig;
  /** its folder; null if not kept */
  readonly folder: string | null;
  /** milliseconds that each part took */
  readonly spent: ReadonlyMap<string, number>;
}

/** What is written beside a result. */
export interface Beside {
  /** the folder's name from everything that decides the result, so an interrupted evaluation is found again; absent: as it is given */
  readonly out?: (subject: string) => string;
  /** further contents of the folder, such as the choice of films */
  readonly with?: string;
  /** writes first files, and may return a watcher; `isFresh`: no earlier files are reused */
  readonly begin?: (folder: string, isFresh: boolean) => EpisodeWatcher<StepAction> | null;
  /** writes files after the result */
  readonly end?: (folder: string, result: PpoEvaluation) => void;
}

export interface StepsOptions {
  readonly host: Host;
  readonly open: Closings;
  readonly prepare?: ((folder: string) => void) | undefined;
  readonly beside?: Beside | undefined;
}

/**
 * Evaluates; with a run's seed it plays that run's episodes. A kept evaluation resumes after an interruption, to the
 * same result. Errors: `missing`; `data` for a policy of another environment or method; `usage`; `cannot-create`;
 * `interrupted`.
 */
export async function evaluateInSteps(
  given: StepsConfig,
  { host, open, prepare, beside = {} }: StepsOptions,
): Promise<EvaluatedSteps> {
  const times = timesOf(host.now);
  const asked = { ...given, ...startOf(given) };
  const { ckpt, policy: named, seed, env, world } = asked;
  const stored = ckpt === 'untouched' ? null : steppedForm(ckpt, named);
  const isClients = isClientRobot(env);
  const whole = configOf(isClients ? { ...asked, world: ownWorld } : asked, stored, host.environment);
  if (isClients && world.kind !== 'http')
    throw new EmacError('usage', `--env ${env}: is played by a client; give --world http`);
  if (!isClients) requirePlayable(whole);
  requireDraws(whole.evaluation);
  const start = { random: Random.fromSeed(seed).stream('start'), from: stored && ckpt };
  const policy = await times.part('opening', () => openPpoPolicy(whole, start, host));
  open.add(() => policy.dispose());
  const kind = isClients
    ? { ...(await times.part('waiting', () => openClientRobot(env, world, host))), numbered: null }
    : policy.kind;
  const played = { ...policy, kind, ...shownTo(asked, policy, kind) };
  const config = isClients && asked.numGames === null ? ofAllTasks(whole, kind!) : whole;
  const tasks = evaluatedTasks(config, played);
  const fewer = fewerTasks(config.env, tasks.length, asked.numGames ?? 0);
  if (fewer !== null) host.listener?.note?.(fewer);
  const subject = subjectOf(asked, { config, policy, beside, tasks, code: host.environment?.sha256 });
  const out = given.out && `${(beside.out?.(subject) ?? given.out).replace(/[/\\]+$/, '')}/`;
  const kept = openKeptEvaluation({ out, subject });
  open.add(kept.close);
  const { filling } = kept;
  if (filling !== null) prepare?.(filling);
  const watch = filling === null ? null : beside.begin?.(filling, kept.lines.length === 0);
  const workers = scoresOf(asked, { config, policy, start, host });
  if (workers && (watch || given.traces))
    throw new EmacError(
      'usage',
      '--queue: workers show no steps; leave it out, or leave out the flags that show or keep steps (--gif, --layout published, --traces)',
    );
  const count = tasks.length * asked.attempts;
  host.trial?.opened(expectedInSteps({ config, policy: played }, count));
  host.listener?.begin?.('evaluation', count, { noun: 'episode' });
  const random = Random.fromSeed(seed).stream('evaluation');
  requirePlaceOfTraces(given, kept);
  const traces = given.traces ? evaluationTraces(filling!, layout.traces) : undefined;
  open.add(() => traces?.close());
  const forms = dialectWatch(host);
  const scoring = {
    config,
    policy: {
      ...played,
      // the pictures that are kept are blank, too
      ...(traces &&
        isBlank(asked.speech) && { texts: withBlankFrames(traces.pictures.ofTexts(policy.texts)) }),
      actorCritic: heard(policy.actorCritic, host.trial),
    },
    random,
    checkpoint: stored?.name ?? ckpt,
    host,
    journal: kept,
    ...(!workers && { watch: bothWatch(watch ?? undefined, forms.watch)! }),
    elsewhere: workers?.scores(random),
    traces,
  };
  const result = (await times.part('evaluation', () => evaluatePpo(scoring)))!;
  await workers?.agreed();
  await workers?.forget();
  host.listener?.end?.();
  kept.finish(textOf(result), (folder) => beside.end?.(folder, result));
  forms.tell();
  return { result, config, folder: kept.folder, spent: times.spent };
}

/** The content of the result's file. */
export function textOf(result: PpoEvaluation): string {
  return `${JSON.stringify(withPublishedNames(result), null, 2)}\n`;
}

/** Its prompts, and how many environments at once. Errors: `usage` for blank pictures where words have pictures. */
function shownTo(
  { speech }: StepsConfig,
  policy: PpoPolicy,
  played: PpoPolicy['kind'],
): Pick<PpoPolicy, 'texts' | 'evaluatedAtOnce'> {
  const blankFrames = isBlank(speech);
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
function scoresOf({ speech }: StepsConfig, played: PlayedRun) {
  const blankFrames = isBlank(speech);
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
  readonly beside: Beside;
  readonly tasks: readonly Task[];
  /** of a module, its code */
  readonly code?: string | undefined;
}

/** Everything a result depends on: the policy, its settings, and the kept files. */
function subjectOf(
  { speech: { observe }, traces }: StepsConfig,
  { config, policy, beside, tasks, code }: Evaluated,
): string {
  const { env, seed, evaluation, play, speech, model: computing } = config;
  const { projection, beside: files = [] } = policy.content();
  const parameters = [
    ...(projection ? [sha256(encodeFloats(projection))] : []),
    ...files.flatMap((each) => [...each.files.values()].map(sha256)),
  ];
  const asked = {
    env,
    seed,
    evaluation,
    play,
    speech,
    computing,
    blankFrames: isBlank({ observe }),
    with: beside.with ?? null,
    ...(traces && { traces }),
  };
  const besides = { tasks: tasks.map(({ id }) => id), ...(code !== undefined && { code }) };
  return sha256(canonicalJson({ parameters, identity: policy.identity, ...asked, ...besides }));
}

/** Blank pictures test whether a policy uses them. */
function isBlank({ observe }: Pick<StepsConfig['speech'], 'observe'>): boolean {
  return observe === 'text';
}

/** A model that no run trained is an untouched policy. */
function startOf({ ckpt, model: { path } }: StepsConfig): Pick<AskedSteps, 'ckpt' | 'policy'> {
  const isModelAlone = ckpt !== 'untouched' && path === null && isModel(ckpt);
  return isModelAlone ? { ckpt: 'untouched', policy: modelName(ckpt) } : { ckpt, policy: path };
}

const ownWorld = evaluationConfig({ ckpt: 'untouched' }).world;

export interface AskedSteps extends Pick<
  StepsConfig,
  'env' | 'ckpt' | 'numGames' | 'attempts' | 'temperature' | 'seed' | 'world' | 'maxSteps'
> {
  /** an untrained policy, or the model of a copied checkpoint of other training; a run names its own */
  readonly policy: string | null;
}

/** The configuration of an evaluation: the checkpoint's, in this environment; `code`: of a module. Errors: `data`, `usage`. */
export function configOf(
  { env, ckpt, policy, numGames, attempts, temperature, seed, world, maxSteps }: AskedSteps,
  stored: SteppedForm | null,
  code?: GivenEnvironment,
): PpoConfig {
  const evaluation = {
    episodes: numGames ?? usualTasks(env),
    temperature,
    ...(attempts > 1 && { attempts }),
  };
  const limit = maxSteps !== null && { play: { ...stored?.form.play, maxSteps } };
  const played = { env, seed, evaluation, ...(world.kind !== 'own' && { world }), ...limit };
  if (!stored) return ppoConfig({ ...played, ...(policy !== null && { policy }) });
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
