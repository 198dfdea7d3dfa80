/** A run's plan, opened where a worker plays and learns for it: the model and its networks once, the parameters of whatever version is asked for. */
import { invariant, Random, type OpenedKind, type Task } from '@emac/core';
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
  /** Plays attempts at tasks of one environment, or one attempt at a game, with a version of the policy. Errors: `missing`, `data`, `interrupted`; those of the policy. */
  play(version: string, attempts: readonly SentAttempt[], how: Playing): Promise<RecordedEpisode[]>;
  /** What learns as the run's policy does, under a version. Errors: `missing`, `data`; `config` where this machine cannot do what is learnt. */
  learner(version: string, learnt: Learnt): Promise<Pick<Student, 'gradient'>>;
  dispose(): Promise<void>;
}

export interface Playing {
  readonly rules: PlayRules;
  /** how many are under way at once */
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly report: (event: RolloutEvent) => void;
}

export interface Opening {
  readonly folder: SharedFolder;
  readonly host: Pick<Host, 'env' | 'now' | 'environment'>;
  /** where this machine has the model; null for where the run says */
  readonly model: string | null;
}

/** A plan by its hash, which stays open: for its episodes and its gradients alike. Errors: `config` where this machine cannot do what the plan says. */
export function playOf(bench: Bench, plan: string): Promise<OpenPlay> {
  return bench.opened(`rollout ${plan}`, () => openPlay(plan, bench));
}

/** The one student of a plan that is open, since its networks are large. */
interface OpenStudent {
  /** what it learns; null for one that plays alone */
  readonly learns: string | null;
  readonly student: Student;
  /** the version that its own parameters are of; null while they change */
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
  // ALFWorld's tasks, where an attempt comes without its game
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
    // whichever is open: what it learns is no part of a policy under other parameters
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
      const [shared] = attempts.flatMap(({ game }) => game ?? []);
      const tasks = new Map(attempts.map(({ task }) => [task.id, task]));
      const { environment, ...taught } = playedBy(plan, [...tasks.values()], {
        game: shared ? await sharedGame(folder, shared) : null,
        kind: shared ? null : await kindHere(),
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

/** Parameters of another version of the same run: what does not learn is the same. */
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

/** A plan and its model. Errors: `config`, and those of opening a model. */
async function opened(hash: string, { folder, host, model: path }: Opening): Promise<OpenedPlan> {
  const plan = JSON.parse(await storedText(folder, hash)) as RolloutPlan;
  const model = await openModel({ ...plan.model, path: path ?? plan.model.path }, host);
  requireEqual('model', plan.identity.slice(0, 12), model.identity.slice(0, 12));
  const computing = computingOf(model);
  for (const name of ['provider', 'tensorflow'] as const)
    requireEqual(name, plan.computing[name], computing[name]);
  return { plan, model };
}

/** A student whose networks take every version of the run; what it is opened with is one of them. */
async function studentOf(
  { parameters, adapter }: PolicyVersion,
  { plan, model, folder }: OpenedPlan & Pick<Opening, 'folder'>,
  learning: Pick<Learning, 'train' | 'dropoutSeed'>,
): Promise<Student> {
  const [projection, adapted] = [false, true].map(
    (ofAdapter) => new Map([...parameters].filter(([name]) => isOfAdapter(name) === ofAdapter)),
  ) as [Map<string, never>, Map<string, never>];
  const { kind, hiddenWidth = null } = shapeOf(projection);
  const start = {
    kind,
    hidden: hiddenWidth,
    parameters: projection,
    adapter: adapter && { parameters: adapted, settings: adapter },
    visionNorm: await readVisionNorm(folder, plan),
    games: [],
    form: null,
    note: null,
  };
  return openStudent(model, start, { ...plan.form, ...learning, alsoAdapted: plan.targets });
}

/** Where an attempt is played: in a game that was shared, or in the environment of the plan. */
function playedBy(
  { form }: RolloutPlan,
  tasks: readonly Task[],
  { game, kind }: { readonly game: Game | null; readonly kind: OpenedKind | null },
) {
  if (game) return { environment: gamesEnvironment([game], form), games: [game], kind: null };
  invariant(kind, `rollout: ${tasks[0]?.id} came without its game`);
  return { environment: kindEnvironment(kind, tasks, form.text), games: [], kind };
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
