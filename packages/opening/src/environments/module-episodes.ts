/** Wraps a custom module's tasks and begin function as an opened environment. */
import {
  EmacError,
  messageOf,
  type Episode,
  type Expert,
  type Fact,
  type Frame,
  type KindSettings,
  type Observation,
  type OpenedKind,
  type SpeechForm,
  type SpeechPolicy,
  type Speech,
  type Step,
  type Task,
  type TaskSource,
} from '@emac/core';
import { labelFrom } from './given-label.ts';
import { policyTexts } from './texts.ts';

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
  const expert = found['expert'];
  if (expert !== undefined && !isFunction(expert))
    throw refused(path, 'expert must be a function of a task and a history');
  return {
    id,
    maxSteps,
    tasks: tasksOf(place, found['tasks']),
    hasGoal: true,
    ...rewardsOf(path, found['rewards']),
    environment: (tasks) => ({
      tasks,
      begin: (task, seed) => begun({ path, task, maxSteps, actions, found }, seed),
    }),
    speech: moduleSpeech,
    ...(isFunction(expert) && { player: playerFrom(path, (...asked) => expert.call(found, ...asked)) }),
  };
}

/** The declared range of a step's reward, if there is one. */
function rewardsOf(path: string, given: unknown): Pick<OpenedKind, 'rewards'> {
  if (given === undefined || given === null) return {};
  const [least, most] = Array.isArray(given) ? (given as readonly unknown[]) : [];
  if (Number.isFinite(least) && Number.isFinite(most) && (least as number) <= (most as number))
    return { rewards: [least as number, most as number] };
  throw refused(path, `rewards must be the lowest and the highest reward, such as [0, 1]`);
}

/** ALFWorld's history form, with the action verbatim on one line. */
function moduleSpeech(policy: SpeechPolicy, form: SpeechForm): Speech {
  const texts = policyTexts(policy, form);
  return {
    ...texts,
    prompt: (moment) => {
      const { initial, turns } = moment.history;
      // the form removes ALFWorld's greeting, which ends in a blank line
      const history = { turns, initial: initial.includes('\n\n') ? `\n\n${initial}` : initial };
      return texts.prompt({ ...moment, history });
    },
    read: ({ text }) => ({
      action:
        text
          .trim()
          .split(/[\r\n]/)[0]!
          .trim() || null,
      actionStart: 0,
    }),
  };
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
  const twice = tasks.find((task, place) => tasks.findIndex((each) => each.id === task.id) < place);
  if (twice) throw refused(path, `tasks.${set} must be different, ${twice.id} is in it twice`);
  return { count: tasks.length, at: (number) => tasks[Number(number)]! };
}

interface Beginning {
  readonly path: string;
  readonly task: Task;
  readonly maxSteps: number;
  readonly actions: readonly string[] | null;
  readonly found: Readonly<Record<string, unknown>>;
}

async function begun({ path, task, maxSteps, actions, found }: Beginning, seed: string): Promise<Episode> {
  const begin = found['begin'] as (this: unknown, task: string, seed: string) => unknown;
  const where = `begin(${JSON.stringify(task.id)})`;
  const made = await guardedAsync(path, where, () => begin.call(found, task.id, seed));
  const { observation, step, close } = isRecord(made) ? made : {};
  if (!isFunction(step)) throw refused(path, `${where} must give an observation and a function step(action)`);
  const seen = (given: unknown, by: string) => observationOf({ path, by, actions }, given);
  let steps = 0;
  let sum = 0;
  let last: Step | null = null;
  return {
    task,
    first: seen(observation, where),
    async step(action) {
      if (last && (last.terminated || last.truncated)) return last;
      const by = `step of ${task.id}`;
      const told = await guardedAsync(path, by, () => step.call(made, action));
      if (!isRecord(told)) throw refused(path, `${by} must give { observation, reward, done }`);
      const { reward, done: terminated, truncated = false, won } = told;
      if (typeof reward !== 'number' || !Number.isFinite(reward))
        throw refused(path, `${by} must give a finite reward, got ${String(reward)}`);
      if (typeof terminated !== 'boolean' || typeof truncated !== 'boolean')
        throw refused(path, `${by} must give true or false as done, and as truncated`);
      if (won !== undefined && typeof won !== 'boolean')
        throw refused(path, `${by} must give true, false or nothing as won`);
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

interface Seen {
  readonly path: string;
  /** source of the answer */
  readonly by: string;
  /** accepted actions if the observation lists none */
  readonly actions: readonly string[] | null;
}

function observationOf({ path, by, actions }: Seen, given: unknown): Observation {
  const { text, frames = [], admissible } = isRecord(given) ? given : { text: given };
  if (typeof text !== 'string')
    throw refused(path, `${by} must give an observation, a text or { text, frames }, got ${typeof text}`);
  if (!Array.isArray(frames) || !frames.every(isFrame))
    throw refused(path, `${by} must give frames of width, height and RGB bytes in data`);
  return {
    text,
    frames,
    admissible: admissible === undefined ? actions : actionsOf(path, admissible),
  };
}

function isFrame(given: unknown): given is Frame {
  if (!isRecord(given)) return false;
  const { width, height, data } = given;
  return data instanceof Uint8Array && data.length > 0 && data.length === Number(width) * Number(height) * 3;
}

function actionsOf(path: string, given: unknown): readonly string[] | null {
  if (given === undefined || given === null) return null;
  if (!Array.isArray(given) || given.length === 0 || !given.every((each) => typeof each === 'string'))
    throw refused(path, 'actions must be a list of texts');
  return [...new Set(given as string[])].sort();
}

/** The player gets copies, so it cannot change anything here. */
function playerFrom(path: string, expert: (...asked: readonly unknown[]) => unknown): Expert {
  return {
    async label(request) {
      const { task, history } = structuredClone(request);
      const answer = await guardedAsync(path, `expert for ${task.id}`, () => expert(task.id, history));
      return labelFrom(answer, request);
    },
  };
}

function guarded<T>(path: string, where: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw threw(path, where, thrown);
  }
}

async function guardedAsync(path: string, where: string, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    throw threw(path, where, thrown);
  }
}

function threw(path: string, where: string, thrown: unknown): ModuleFault {
  return new ModuleFault(`--env ${path}: ${where} threw: ${messageOf(thrown)}`, { cause: thrown });
}

/** Custom code is wrong: it can be fixed, and the run resumed. */
export class ModuleFault extends EmacError {
  constructor(message: string, options?: { readonly cause: unknown }) {
    super('data', message, options);
  }
}

/** A module's fault, in a sentence. */
export function refused(path: string, rule: string): ModuleFault {
  return new ModuleFault(`--env ${path}: ${rule}`);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export function isFunction(
  value: unknown,
): value is (this: unknown, ...given: readonly unknown[]) => unknown {
  return typeof value === 'function';
}
