/**
 * Plays whole episodes with a version of a language model: model and networks are opened once, and parameters of any
 * version are loaded into them.
 */
import {
  invariant,
  parametersOf,
  questionEnvironment,
  Random,
  type Loss,
  type OpenedKind,
  type ParameterSet,
} from '@emac/core';
import { canonicalJson, encodeFloats, sha256 } from '@emac/files';
import { isOfAdapter, shapeOf, type FixedPolicy, type Student } from '@emac/model';
import {
  computingOf,
  gamesKind,
  kindEnvironment,
  openKind,
  openModel,
  openStudent,
  openTeacher,
  silent,
  type OpenModel,
} from '@emac/opening';
import { recordedEpisode, rollout, type Rollout } from '@emac/rollout';
import { expertSchema } from '@emac/settings';
import type { Game } from '@emac/world';
import type { SentAttempt, SentAttempts } from '../asking/attempts.ts';
import { storedText } from '../plan/carried.ts';
import { asConfig } from '../plan/plan.ts';
import type { Opening, PlayContext, Player } from '../plan/player.ts';
import { readVersion, type PolicyVersion } from '../plan/policy-version.ts';
import type { RolloutPlan } from '../plan/rollout-plan.ts';
import { sharedGame } from '../plan/shared-game.ts';

export async function attemptsPlayer(opening: Opening): Promise<Player> {
  const { host } = opening;
  const plan = opening.config as RolloutPlan;
  const { env, form, seed } = plan;
  const { maxSteps } = form;
  const model = await openModel({ ...plan.model, path: opening.model ?? plan.model.path }, host);
  const kind = await openKind(
    { env, maxSteps, seed, ...(await taskFilesIn(plan, opening)) },
    host.environment ?? null,
  );
  const policies = policiesOf(plan, model, opening);
  return {
    identity: model.identity,
    computing: computingOf(model),
    async play(asked, context) {
      const { rules, parallel, attempts } = asked as SentAttempts;
      const { isLabelled, ...data } = rules;
      const policy = await policies.playing(context.version);
      const games = await gamesIn(attempts, opening);
      const played = games.length > 0 ? gamesKind(games, maxSteps) : kind;
      const teacher = plan.expert && (await teacherOf(plan.expert, { kind: played, host }));
      const setup: Rollout = {
        ...data,
        environment: askedEnvironment(attempts) ?? kindEnvironment(played, form.text),
        policy: data.asksPolicy ? policy : silent,
        texts: kind.speech(policy, form.text),
        expert: isLabelled ? teacher!.expert : null,
        parallel,
        ...reporting(attempts.length * rules.maxSteps, context),
      };
      const made = attempts.map(({ game: _shared, first: _first, random, ...attempt }) => ({
        ...attempt,
        random: Random.fromSeed(random),
      }));
      return (await rollout(setup, made)).map(recordedEpisode);
    },
    async gradient(version, { rows, losses }) {
      return (await policies.learning(version)).gradient(rows, losses as Loss);
    },
    async dispose() {
      await policies.close();
      await kind.close?.();
    },
  };
}

/** Paths of the plan's files of tasks. Errors: `missing`, `data`. */
async function taskFilesIn({ taskFiles }: RolloutPlan, { folder }: Opening) {
  if (!taskFiles) return {};
  const pathOf = async (hash: string | null): Promise<string | null> => {
    if (hash === null) return null;
    // waits for a network folder
    await storedText(folder, hash);
    return folder.file(hash);
  };
  return { source: await pathOf(taskFiles.source), heldOut: await pathOf(taskFiles.heldOut) };
}

function reporting(of: number, { signal, report }: PlayContext): Pick<Rollout, 'signal' | 'report'> {
  let step = 0;
  return {
    signal,
    report: ({ kind }) => {
      if (kind === 'step') report({ step: ++step, of });
    },
  };
}

async function gamesIn(attempts: readonly SentAttempt[], { folder }: Opening): Promise<Game[]> {
  const shared = new Map(attempts.flatMap(({ game }) => (game ? [[game.id, game] as const] : [])));
  const games: Game[] = [];
  for (const game of shared.values()) games.push(await sharedGame(folder, game));
  return games;
}

/** Questions that the trainer asked, each answered once; null if these attempts have none. */
function askedEnvironment(attempts: readonly SentAttempt[]): Rollout['environment'] | null {
  const questions = new Map(
    attempts.flatMap(({ task, first }) => (first ? [[task.id, first] as const] : [])),
  );
  if (questions.size === 0) return null;
  return questionEnvironment(({ id }) => questions.get(id)!);
}

interface TeacherParts extends Pick<Opening, 'host'> {
  readonly kind: OpenedKind;
}

function teacherOf({ config, random }: NonNullable<RolloutPlan['expert']>, { kind, host }: TeacherParts) {
  return openTeacher(expertSchema.parse(config), host, { random: Random.fromSeed(random), kind });
}

/** The only student of an open plan, since its networks are large. */
interface OpenStudent {
  readonly student: Student;
  /** of the parts that stay in all versions it learns at; null if it only plays */
  readonly fixed: string | null;
  /** the version it holds */
  version: string;
}

/** The policy of a plan at any version, to play or to learn with. */
function policiesOf(plan: RolloutPlan, model: OpenModel, { folder }: Opening) {
  let open: OpenStudent | null = null;
  let current: { readonly name: string; readonly policy: FixedPolicy } | null = null;
  const close = async (): Promise<void> => {
    const [policy, before] = [current?.policy, open];
    current = open = null;
    policy?.dispose();
    await before?.student.dispose();
  };
  const openedAt = async (name: string, learning: RolloutPlan['learning']): Promise<OpenStudent> => {
    await close();
    const version = await readVersion(folder, name);
    const parts = { plan: { ...plan, learning }, model };
    const student = await asConfig(() => studentOf(version, parts));
    return (open = { student, fixed: learning && fixedOf(version, student), version: name });
  };
  return {
    close,
    async playing(name: string): Promise<FixedPolicy> {
      if (current?.name === name) return current.policy;
      // any open student will do: playing under given parameters does not depend on its trainable set
      const { student } = open ?? (await openedAt(name, null));
      const { parameters, adapter } = await readVersion(folder, name);
      current?.policy.dispose();
      current = null;
      current = { name, policy: student.under(parameters, adapter ?? undefined) };
      return current.policy;
    },
    async learning(name: string): Promise<Student> {
      invariant(plan.learning, 'attempts: the plan has nothing to learn');
      if (open?.fixed != null && open.version === name) return open.student;
      const version = await readVersion(folder, name);
      const isSame = open?.fixed != null && open.fixed === fixedOf(version, open.student);
      const learning = isSame ? open! : await openedAt(name, plan.learning);
      if (learning.version !== name) load(version, learning.student);
      learning.version = name;
      return learning.student;
    },
  };
}

/** A hash of all parts of a version that a student does not train. */
function fixedOf({ parameters, adapter }: PolicyVersion, student: Student): string {
  const learning = parametersOf(student);
  const fixed = new Map([...parameters].filter(([name]) => !learning.has(name)));
  return sha256(encodeFloats(fixed, { adapter: canonicalJson(adapter) }));
}

/** Loads another version that differs in trained parameters. */
function load({ parameters }: PolicyVersion, student: Student): void {
  for (const [name, { data }] of parametersOf(student)) {
    const other = parameters.get(name);
    invariant(other?.data.length === data.length, `gradient: a version has another ${name}`);
    data.set(other.data);
  }
  student.commit();
}

/** A student whose networks fit every version of the run, opened with one of them. */
function studentOf(
  { parameters, adapter }: PolicyVersion,
  { plan, model }: { readonly plan: RolloutPlan; readonly model: OpenModel },
): Promise<Student> {
  const [projection, adapted] = [false, true].map(
    (ofAdapter) => new Map([...parameters].filter(([name]) => isOfAdapter(name) === ofAdapter)),
  ) as [Map<string, never>, Map<string, never>];
  const start = {
    projection: projection.size === 0 ? null : startOf(projection),
    adapter: adapter && { parameters: adapted, settings: adapter },
    visionNorm: plan.visionNorm,
    games: [],
    form: null,
    note: null,
  };
  return openStudent(model, start, { ...plan.form, ...plan.learning, alsoAdapted: plan.targets });
}

function startOf(parameters: ParameterSet) {
  const { kind, hiddenWidth = null } = shapeOf(parameters);
  return { kind, hidden: hiddenWidth, parameters };
}
