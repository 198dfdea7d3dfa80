/** A run's plan, opened where a worker plays: the model once, the parameters of whatever version is asked for. */
import { Random } from '@emac/core';
import { isOfAdapter, shapeOf, type FixedPolicy, type Student } from '@emac/model';
import type { SharedFolder } from '@emac/queue';
import {
  recordedEpisode,
  rollout,
  type RecordedEpisode,
  type Rollout,
  type RolloutEvent,
} from '@emac/rollout';
import { expertSchema } from '../config/expert-config.ts';
import { silent } from '../collection/silent.ts';
import { openTeacher } from '../expert/open-teacher.ts';
import type { Host } from '../host.ts';
import { computingOf } from '../opening/computing.ts';
import { openModel, type OpenModel } from '../opening/model.ts';
import { openStudent, type Learning } from '../opening/student.ts';
import { policyTexts } from '../opening/texts.ts';
import { gamesEnvironment } from '../tasks/environment.ts';
import { asConfig, requireEqual } from './as-config.ts';
import { storedText } from './carried.ts';
import type { SentAttempt } from './elsewhere.ts';
import { readVersion, type PolicyVersion } from './policy-version.ts';
import { readVisionNorm, type PlayRules, type RolloutPlan } from './rollout-plan.ts';
import { sharedGame } from './shared-game.ts';

export interface OpenPlay {
  /** Plays one attempt with a version of the policy. Errors: `missing`, `data`, `interrupted`; those of the policy. */
  play(version: string, attempt: SentAttempt, how: Playing): Promise<RecordedEpisode>;
  dispose(): Promise<void>;
}

export interface Playing {
  readonly rules: PlayRules;
  readonly signal: AbortSignal;
  readonly report: (event: RolloutEvent) => void;
}

export interface Opening {
  readonly folder: SharedFolder;
  readonly host: Pick<Host, 'env' | 'now'>;
  /** where this machine has the model; null for where the run says */
  readonly model: string | null;
}

/** Opens a plan by its hash. Errors: `config` where this machine cannot do what the plan says. */
export async function openPlay(hash: string, opening: Opening): Promise<OpenPlay> {
  const { folder, host } = opening;
  const { plan, model } = await asConfig(() => opened(hash, opening));
  let student: Student | null = null;
  let current: { readonly name: string; readonly policy: FixedPolicy } | null = null;
  const policyOf = async (name: string): Promise<FixedPolicy> => {
    if (current?.name === name) return current.policy;
    const version = await readVersion(folder, name);
    current?.policy.dispose();
    current = null;
    student ??= await asConfig(() => studentOf(version, { plan, model, folder }));
    current = { name, policy: student.under(version.parameters, version.adapter ?? undefined) };
    return current.policy;
  };
  return {
    async play(name, { game: shared, random, ...attempt }, { rules, signal, report }) {
      const policy = await policyOf(name);
      const game = await sharedGame(folder, shared);
      const teacher = await teacherOf(plan, { game, host });
      const { isLabelled, ...data } = rules;
      const setup: Rollout = {
        ...data,
        environment: gamesEnvironment([game], plan.form),
        policy: data.asksPolicy ? policy : silent,
        texts: policyTexts(policy, plan.form.text),
        expert: isLabelled ? teacher!.expert : null,
        parallel: 1,
        report,
        signal,
      };
      const [trajectory] = await rollout(setup, [{ ...attempt, random: Random.fromSeed(random) }]);
      return recordedEpisode(trajectory!);
    },
    async dispose() {
      current?.policy.dispose();
      await student?.dispose();
    },
  };
}

export interface OpenedPlan {
  readonly plan: RolloutPlan;
  readonly model: OpenModel;
}

/** A plan and its model. Errors: `config`, and those of opening a model. */
export async function opened(hash: string, { folder, host, model: path }: Opening): Promise<OpenedPlan> {
  const plan = JSON.parse(await storedText(folder, hash)) as RolloutPlan;
  const model = await openModel({ ...plan.model, path: path ?? plan.model.path }, host);
  requireEqual('model', plan.identity.slice(0, 12), model.identity.slice(0, 12));
  const computing = computingOf(model);
  for (const name of ['provider', 'tensorflow'] as const)
    requireEqual(name, plan.computing[name], computing[name]);
  return { plan, model };
}

/** A student whose networks take every version of the run; what it is opened with is one of them. */
export async function studentOf(
  { parameters, adapter }: PolicyVersion,
  { plan, model, folder }: OpenedPlan & Pick<Opening, 'folder'>,
  learning: Pick<Learning, 'train' | 'dropoutSeed'> = {},
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

async function teacherOf({ expert }: RolloutPlan, { game, host }: TeacherParts) {
  if (expert === null) return null;
  const { config, random } = expert;
  return openTeacher(expertSchema.parse(config), host, { random: Random.fromSeed(random), games: [game] });
}

interface TeacherParts extends Pick<Opening, 'host'> {
  readonly game: Parameters<typeof gamesEnvironment>[0][number];
}
