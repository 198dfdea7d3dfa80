/**
 * An opened plan on a worker, for episodes and gradients: model and networks are opened once, and parameters of any
 * version are loaded into them.
 */
import { invariant, Random, type OpenedKind, type ParameterSet, type Task } from '@emac/core';
import { canonicalJson } from '@emac/files';
import { isOfAdapter, policyParameters, shapeOf, type FixedPolicy, type Student } from '@emac/model';
import {
  computingOf,
  gamesEnvironment,
  kindEnvironment,
  kindOf,
  openModel,
  openStudent,
  openTeacher,
  openTrained,
  silent,
  speechIn,
  type Host,
  type Learning,
  type OpenModel,
} from '@emac/opening';
import type { SharedFolder } from '@emac/queue';
import {
  recordedEpisode,
  rollout,
  type RecordedEpisode,
  type Rollout,
  type RolloutEvent,
} from '@emac/rollout';
import { expertSchema, usualEnvironment } from '@emac/settings';
import type { Game } from '@emac/world';
import type { SentAttempt } from '../asking/elsewhere.ts';
import type { Learnt } from '../asking/gradients-elsewhere.ts';
import { asConfig, requireEqual } from '../plan/as-config.ts';
import type { Bench } from '../plan/bench.ts';
import { storedText } from '../plan/carried.ts';
import { namedCode } from '../plan/named-code.ts';
import { readVersion, type PolicyVersion } from '../plan/policy-version.ts';
import { readVisionNorm, type PlayRules, type RolloutPlan } from '../plan/rollout-plan.ts';
import { sharedGame } from '../plan/shared-game.ts';

export interface OpenPlay {
  /**
   * Plays attempts at tasks of one environment, or one attempt at a game, with a version of the policy. Errors:
   * `missing`, `data`, `interrupted`; those of the policy.
   */
  play(version: string, attempts: readonly SentAttempt[], how: Playing): Promise<RecordedEpisode[]>;
  /**
   * The run's student with a version's parameters, for gradients. Errors: `missing`, `data`; `config` if this machine
   * cannot train these parameters.
   */
  learner(version: string, learnt: Learnt): Promise<Pick<Student, 'gradient'>>;
  dispose(): Promise<void>;
}

export interface Playing {
  readonly rules: PlayRules;
  /** concurrent episodes */
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly report: (event: RolloutEvent) => void;
}

export interface Opening {
  readonly folder: SharedFolder;
  readonly host: Pick<Host, 'env' | 'now' | 'environment'>;
  /** path of the model on this machine; null: the run's path */
  readonly model: string | null;
}

/**
 * Opens a plan by its hash, for episodes and gradients; it stays open. Errors: `config` if this machine cannot run the
 * plan.
 */
export function playOf(bench: Bench, plan: string): Promise<OpenPlay> {
  return bench.opened(`rollout ${plan}`, () => openPlay(plan, bench));
}

/** The only student of an open plan, since its networks are large. */
interface OpenStudent {
  /** its trainable parameters; null if it only plays */
  readonly learns: string | null;
  readonly student: Student;
  /** version of its current parameters; null while they change */
  version: string | null;
}

async function openPlay(hash: string, opening: Opening): Promise<OpenPlay> {
  const { folder, host } = opening;
  const { plan, model } = await asConfig(() => opened(hash, opening));
  const { env = usualEnvironment, maxSteps } = plan.form;
  const kind = await asConfig(() =>
    openTrained({ env, maxSteps, seed: plan.seed }, namedCode({ ...plan, env }, host)),
  );
  let household: OpenedKind | null = null;
  // ALFWorld's tasks, for an attempt without a game
  const kindHere = async () => kind ?? (household ??= await kindOf(env).open(env, { maxSteps }));
  let open: OpenStudent | null = null;
  let current: { readonly name: string; readonly policy: FixedPolicy } | null = null;
  const close = async (): Promise<void> => {
    const [policy, before] = [current?.policy, open];
    current = open = null;
    policy?.dispose();
    await before?.student.dispose();
  };
  const openedAs = async (name: string, learnt: Learnt | null): Promise<OpenStudent> => {
    await close();
    const version = await readVersion(folder, name);
    const learning = learnt ? { train: learnt.train, dropoutSeed: learnt.dropoutSeed } : {};
    const student = await asConfig(() => studentOf(version, { plan, model, folder }, learning));
    return (open = { learns: learnt && canonicalJson(learnt), student, version: name });
  };
  const policyOf = async (name: string): Promise<FixedPolicy> => {
    if (current?.name === name) return current.policy;
    // any open student will do: playing under given parameters does not depend on its trainable set
    const { student } = open ?? (await openedAs(name, null));
    const version = await readVersion(folder, name);
    current?.policy.dispose();
    current = null;
    current = { name, policy: student.under(version.parameters, version.adapter ?? undefined) };
    return current.policy;
  };
  return {
    async play(name, attempts, { rules, parallel, signal, report }) {
      const policy = await policyOf(name);
      const shared = new Map(attempts.flatMap(({ game }) => (game ? [[game.id, game] as const] : [])));
      const games: Game[] = [];
      for (const game of shared.values()) games.push(await sharedGame(folder, game));
      const tasks = new Map(attempts.map(({ task }) => [task.id, task]));
      const { environment, ...taught } = playedBy(plan, [...tasks.values()], {
        games,
        kind: games.length > 0 ? null : await kindHere(),
      });
      const teacher = await teacherOf(plan, { ...taught, host });
      const { isLabelled, ...data } = rules;
      const setup: Rollout = {
        ...data,
        environment,
        policy: data.asksPolicy ? policy : silent,
        texts: speechIn(kind, policy, plan.form.text),
        expert: isLabelled ? teacher!.expert : null,
        parallel,
        report,
        signal,
      };
      const asked = attempts.map(({ game: _shared, random, ...attempt }) => ({
        ...attempt,
        random: Random.fromSeed(random),
      }));
      return (await rollout(setup, asked)).map(recordedEpisode);
    },
    async learner(name, learnt) {
      const learns = canonicalJson(learnt);
      const learning = open?.learns === learns ? open : await openedAs(name, learnt);
      if (learning.version !== name) await moveTo(learning, name, folder);
      return learning.student;
    },
    async dispose() {
      await close();
      await (kind ?? household)?.close?.();
    },
  };
}

/** Loads another version of the same run; frozen parameters are equal in all versions. */
async function moveTo(open: OpenStudent, version: string, folder: SharedFolder): Promise<void> {
  const { parameters } = await readVersion(folder, version);
  open.version = null;
  for (const [name, { data }] of policyParameters(open.student)) {
    const other = parameters.get(name);
    invariant(other && other.data.length === data.length, `gradient: version ${version} has another ${name}`);
    data.set(other.data);
  }
  open.student.commit();
  open.version = version;
}

interface OpenedPlan {
  readonly plan: RolloutPlan;
  readonly model: OpenModel;
}

/** Opens a plan and its model. Errors: `config`, and those of opening a model. */
async function opened(hash: string, { folder, host, model: path }: Opening): Promise<OpenedPlan> {
  const plan = JSON.parse(await storedText(folder, hash)) as RolloutPlan;
  const model = await openModel({ ...plan.model, path: path ?? plan.model.path }, host);
  requireEqual('model', plan.identity.slice(0, 12), model.identity.slice(0, 12));
  const computing = computingOf(model);
  for (const name of ['provider', 'tensorflow'] as const)
    requireEqual(name, plan.computing[name], computing[name]);
  return { plan, model };
}

/** A student whose networks fit every version of the run, opened with one of them. */
async function studentOf(
  { parameters, adapter }: PolicyVersion,
  { plan, model, folder }: OpenedPlan & Pick<Opening, 'folder'>,
  learning: Pick<Learning, 'train' | 'dropoutSeed'>,
): Promise<Student> {
  const [projection, adapted] = [false, true].map(
    (ofAdapter) => new Map([...parameters].filter(([name]) => isOfAdapter(name) === ofAdapter)),
  ) as [Map<string, never>, Map<string, never>];
  const start = {
    projection: projection.size === 0 ? null : startOf(projection),
    adapter: adapter && { parameters: adapted, settings: adapter },
    visionNorm: await readVisionNorm(folder, plan),
    games: [],
    form: null,
    note: null,
  };
  return openStudent(model, start, { ...plan.form, ...learning, alsoAdapted: plan.targets });
}

function startOf(parameters: ParameterSet) {
  const { kind, hiddenWidth = null } = shapeOf(parameters);
  return { kind, hidden: hiddenWidth, parameters };
}

/** The environment of attempts: shared games, or the environment of the plan. */
function playedBy(
  { form }: RolloutPlan,
  tasks: readonly Task[],
  { games, kind }: { readonly games: readonly Game[]; readonly kind: OpenedKind | null },
) {
  if (games.length > 0) return { environment: gamesEnvironment(games, form), games, kind: null };
  invariant(kind, `rollout: ${tasks[0]?.id} came without its game`);
  return { environment: kindEnvironment(kind, tasks, form.text), games, kind };
}

async function teacherOf({ expert }: RolloutPlan, { games, kind, host }: TeacherParts) {
  if (expert === null) return null;
  const { config, random } = expert;
  return openTeacher(expertSchema.parse(config), host, { random: Random.fromSeed(random), games, kind });
}

interface TeacherParts extends Pick<Opening, 'host'> {
  readonly games: readonly Game[];
  readonly kind: OpenedKind | null;
}
