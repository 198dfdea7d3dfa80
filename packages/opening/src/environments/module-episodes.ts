/** Wraps a custom module's tasks and begin function as an opened environment. */
import {
  EmacError,
  isReward,
  largestReward,
  readCallText,
  type Episode,
  type Expert,
  type Fact,
  type KindSettings,
  type OpenedKind,
  type Step,
  type Task,
  type TaskSource,
  repeated,
} from '@emac/core';
import { labelFrom } from './given-label.ts';
import { guarded, guardedAsync, isFunction, isRecord, refused } from './module-faults.ts';
import { actionsOf, observationOf } from './module-observation.ts';
import { moduleSpeech, promptFrom } from './module-speech.ts';
import { calledBy, toolsOf, type ModuleTools } from './module-tools.ts';
import { randomCall } from './schema-calls.ts';
import { toolSpeech } from './tool-speech.ts';

interface Place {
  /** of the module, for people */
  readonly path: string;
  readonly id: string;
  readonly settings: KindSettings;
}

/** default step limit, as in ALFWorld */
const usualSteps = 50;

/** Errors: `data` for an invalid environment; `usage` for a setting without meaning in one. */
export function openedModule(place: Place, found: Readonly<Record<string, unknown>>): OpenedKind {
  const { path, id, settings } = place;
  const { source = null, heldOut = null, palette = null } = settings;
  const setting = source ?? heldOut ?? palette;
  if (setting !== null)
    throw new EmacError('usage', `${id}: brings its own tasks and pictures, got ${setting}; leave it out`);
  const own = found['maxSteps'] ?? usualSteps;
  if (!Number.isSafeInteger(own) || (own as number) < 1)
    throw refused(path, `maxSteps must be a whole number from 1, got ${String(own)}`);
  const maxSteps = settings.maxSteps ?? (own as number);
  const actions = actionsOf(path, found['actions']);
  const { expert, anchor } = found;
  if (expert != null && !isFunction(expert))
    throw refused(path, 'expert must be a function of a task and a history');
  if (anchor != null && !isFunction(anchor)) throw refused(path, 'anchor must be a function of a history');
  const prompt = promptFrom(path, found);
  const tools = toolsOf(path, found['tools'], found['answer']);
  const other = tools && (actions ? 'actions' : prompt ? 'prompt' : null);
  if (other) throw refused(path, `has tools, so ${other} would mean nothing; leave it out`);
  return {
    id,
    maxSteps,
    tasks: tasksOf(place, found['tasks']),
    hasGoal: true,
    ...rewardsOf(path, found['rewards']),
    begin: (task, seed) => begun({ path, task, maxSteps, actions, tools, found }, seed),
    speech: (policy, form) =>
      tools ? toolSpeech(policy, form, { id, tools: tools.asked }) : moduleSpeech(policy, form, prompt),
    ...(tools && {
      dialogue: 'messages',
      draw: ({ text }, random) => randomCall(tools.asked, text, random),
    }),
    ...(isFunction(anchor) && {
      anchor: ({ history }) => anchorFrom(path, () => anchor.call(found, history)),
    }),
    ...(isFunction(expert) && {
      player: playerFrom(path, (...asked) => expert.call(found, ...asked), tools),
    }),
  };
}

/** The name of a state. */
function anchorFrom(path: string, named: () => unknown): string {
  const name = guarded(path, 'anchor', named);
  if (typeof name === 'string') return name;
  throw refused(path, `anchor must give a text, got ${typeof name}`);
}

/** The declared range of a step's reward, if there is one. */
function rewardsOf(path: string, given: unknown): Pick<OpenedKind, 'rewards'> {
  if (given === undefined || given === null) return {};
  const [least, most] = Array.isArray(given) ? (given as readonly unknown[]) : [];
  if (Number.isFinite(least) && Number.isFinite(most) && (least as number) <= (most as number))
    return { rewards: [least as number, most as number] };
  throw refused(path, `rewards must be the lowest and the highest reward, such as [0, 1]`);
}

function tasksOf({ path, id }: Place, given: unknown): OpenedKind['tasks'] {
  const { training, heldOut } = isRecord(given) ? given : {};
  const tasks = {
    training: sourceOf({ path, id, set: 'training' }, training),
    heldOut: sourceOf({ path, id, set: 'heldOut' }, heldOut),
  };
  const names = ({ count, at }: TaskSource) =>
    Array.from({ length: count ?? compared }, (_, number) => at(number).id);
  const own = new Set(names(tasks.training));
  const both = names(tasks.heldOut).find((name) => own.has(name));
  if (both !== undefined)
    throw refused(
      path,
      `tasks.training and tasks.heldOut must differ, ${both} is in both; remove it from one`,
    );
  return tasks;
}

/** of tasks without end so many of both sets */
const compared = 64;

interface Set {
  readonly path: string;
  readonly id: string;
  readonly set: string;
}

function sourceOf({ path, id, set }: Set, given: unknown): TaskSource {
  const named = (name: unknown, number: number): Task => {
    if (typeof name === 'string' && name !== '') return { id: name, type: id };
    throw refused(path, `tasks.${set} must give texts, got ${typeof name} for number ${number}`);
  };
  if (isFunction(given)) {
    const at = (number: number | bigint) =>
      named(
        guarded(path, `tasks.${set}`, () => given(Number(number))),
        Number(number),
      );
    return { count: null, at };
  }
  if (!Array.isArray(given) || given.length === 0)
    throw refused(path, `tasks.${set} must be a list of tasks, or a function of a number that gives one`);
  const tasks = given.map(named);
  const twice = repeated(tasks.map((task) => task.id));
  if (twice !== undefined) throw refused(path, `tasks.${set} must be different, ${twice} is in it twice`);
  return { count: tasks.length, at: (number) => tasks[Number(number)]! };
}

interface Beginning {
  readonly path: string;
  readonly task: Task;
  readonly maxSteps: number;
  readonly actions: readonly string[] | null;
  readonly tools: ModuleTools | null;
  readonly found: Readonly<Record<string, unknown>>;
}

async function begun(
  { path, task, maxSteps, actions, tools, found }: Beginning,
  seed: string,
): Promise<Episode> {
  const begin = found['begin'] as (this: unknown, task: string, seed: string) => unknown;
  const where = `begin(${JSON.stringify(task.id)})`;
  const made = await guardedAsync(path, where, () => begin.call(found, task.id, seed));
  const { observation, step, close, actions: offered } = isRecord(made) ? made : {};
  if (tools && isFunction(step))
    throw refused(path, `has tools, so ${where} must give no step; leave it out`);
  if (!tools && !isFunction(step))
    throw refused(path, `${where} must give an observation and a function step(action)`);
  const act = (action: string): unknown =>
    tools ? tools.act(action, made) : (step as (this: unknown, action: string) => unknown).call(made, action);
  // those of the last answer that named some
  let accepted = tools ? null : (actionsOf(path, offered) ?? actions);
  const seen = (given: unknown, by: string) => observationOf({ path, by, actions: accepted }, given);
  let steps = 0;
  let sum = 0;
  let last: Step | null = null;
  return {
    task,
    first: seen(observation, where),
    async step(action) {
      if (last && (last.terminated || last.truncated)) return last;
      const by = `step of ${task.id}`;
      const told = await guardedAsync(path, by, () => act(action));
      if (!isRecord(told)) throw refused(path, `${by} must give { observation, reward, done }`);
      const { reward, done: terminated, truncated = false, won } = told;
      if (!isReward(reward))
        throw refused(
          path,
          `${by} must give a finite reward, at most ${largestReward}, got ${String(reward)}`,
        );
      if (typeof terminated !== 'boolean' || typeof truncated !== 'boolean')
        throw refused(path, `${by} must give true or false as done, and as truncated`);
      if (won !== undefined && typeof won !== 'boolean')
        throw refused(path, `${by} must give true, false or nothing as won`);
      if (!tools) accepted = actionsOf(path, told['actions']) ?? accepted;
      sum += reward;
      steps++;
      const isCut = truncated || (!terminated && steps >= maxSteps);
      const info: { won: boolean; [fact: string]: Fact } = { won: won ?? (terminated && sum > 0) };
      last = { observation: seen(told['observation'], by), reward, terminated, truncated: isCut, info };
      return last;
    },
    close: async () => {
      if (isFunction(close)) await guardedAsync(path, `close of ${task.id}`, () => close.call(made));
    },
  };
}

/** The player gets copies, so it cannot change anything here. */
function playerFrom(
  path: string,
  expert: (...asked: readonly unknown[]) => unknown,
  tools: ModuleTools | null,
): Expert {
  return {
    async label(request) {
      const { task, history } = structuredClone(request);
      const answer = await guardedAsync(path, `expert for ${task.id}`, () => expert(task.id, history));
      const label = labelFrom(tools ? calledBy(answer) : answer, request);
      const call = tools && label.kind === 'action' ? readCallText(label.command) : null;
      const wrong = call && tools!.fault(call);
      return wrong === null ? label : { kind: 'unusable', cause: 'no-command', reason: wrong };
    },
  };
}
