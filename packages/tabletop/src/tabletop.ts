/**
 * The environment: a robot's hand over a table, stepped by seven numbers. It has LIBERO's shape (Liu et al. 2023, arXiv
 * 2306.03310): four suites of ten tasks with fifty initial states each, the same actions, state and limits. It is not
 * LIBERO: things, sentences and pictures are its own, and there is no weight, so it runs anywhere and gives the same
 * bytes.
 */
import {
  EmacError,
  invariant,
  type Frame,
  type Info,
  type NumberArray,
  type Random,
  type Seed,
  type StepEnvironment,
} from '@emac/core';
import { clamped } from './angle.ts';
import { chosen, type Chance, type Starts } from './chance.ts';
import { expertAction, type Controller } from './expert/expert.ts';
import { paint, type Eye } from './frame/painter.ts';
import { holds } from './goals.ts';
import { acted, scales, type Action, type Scale } from './motion.ts';
import type { Scene } from './scene.ts';
import {
  sceneOf,
  startsOf,
  suites,
  tasksOf,
  type Split,
  type Start,
  type Suite,
  type TabletopTask,
} from './starts.ts';

export interface TabletopOptions {
  /** `fast` (default): 8 cm an action, limits a tenth of LIBERO's; `fine`: 6 mm and LIBERO's limits */
  readonly scale?: keyof typeof scales;
  /** initial states to use; default `all` */
  readonly split?: Split;
  /**
   * meaning of a seed: `drawn` (default), by numpy's generator; `counted`, the start's number among all, from 0 and
   * wrapping; see `seedOfStart`
   */
  readonly starts?: Starts;
  /** step limit of an episode; default that of suite and scale */
  readonly maxSteps?: number;
  /** pixels of a frame's side; 256 by default */
  readonly size?: number;
}

/** The whole state, as plain data. */
export interface TabletopState {
  readonly id: string;
  readonly start: Start;
  readonly scene: Scene;
  readonly taken: number;
  readonly chance: Chance | null;
}

export interface ExpertOptions {
  /**
   * rounds each number to so many steps per unit, for players with few words; a remainder below one step then counts as
   * reached. Default: exact
   */
  readonly steps?: number | null;
  /** how much the action is disturbed: each number of the motion by up to this share of itself and of 0.1; 0 by default */
  readonly noise?: number;
  /** draws the noise; required with noise */
  readonly random?: Random;
}

/**
 * An action is `[dx, dy, dz, three of a rotation vector, gripper]`, each clipped to −1 … 1: x to the viewer's right, y
 * away from the viewer, z up. Only the gripper's sign counts: above 0 closes, below opens. `text()` is the instruction.
 * After its end an episode continues by the same rules.
 */
export interface Tabletop extends StepEnvironment<TabletopState, Action> {
  /** Begins an episode with a given start, from any split. Errors: `usage` for an unknown start. */
  begin(start: Start): Info;
  /** the episode's start */
  readonly start: Start;
  readonly task: TabletopTask;
  scene(): Scene;
  /** `state`: float32 [8]: the hand's place in metres, its rotation vector from pointing straight down, and both fingers' places, +w/2 and −w/2 */
  observe(): { readonly state: NumberArray } & Readonly<Record<string, NumberArray>>;
  /** the picture from the camera in the hand */
  wristFrame(): Frame;
  /** the scripted controller's current action */
  expert(options?: ExpertOptions): Action;
}

/** LIBERO's, by suite; the fast scale has a tenth. */
export const stepLimits: Readonly<Record<Suite, number>> = {
  spatial: 220,
  object: 280,
  goal: 300,
  long: 520,
};

/** Default step limit of an episode. */
export function stepLimitOf(suite: Suite, scale: keyof typeof scales = 'fast'): number {
  return scale === 'fast' ? stepLimits[suite] / 10 : stepLimits[suite];
}

/** An action that changes nothing, but opens the fingers. */
export const noAction: Action = [0, 0, 0, 0, 0, 0, -1];

const family = 'tabletop';

/** All suites' ids. `/3` behind one is its fourth task alone, `/3/17` that task's eighteenth initial state alone. */
export const tabletopIds: readonly string[] = suites.map((suite) => `${family}/${suite}`);

/** The environment of an id. Errors: `usage` for an unknown id or an option out of range. */
export function tabletop(id: string, options: TabletopOptions = {}): Tabletop {
  const { scale = 'fast', split = 'all', starts = 'drawn', size = 256 } = options;
  const { suite, choices } = choicesOf(id, split);
  const maxSteps = options.maxSteps ?? stepLimitOf(suite, scale);
  requirePositive('maxSteps', maxSteps);
  requirePositive('size', size);
  return new Table({ id, suite, choices, scale, starts, maxSteps, size });
}

/** The seed of a start, if starts are numbered. Errors: `usage` for a start outside the split. */
export function seedOfStart({ task, state }: Start, split: Split = 'all'): number {
  const seed = startsOf(split).findIndex((start) => start.task === task && start.state === state);
  if (seed >= 0) return seed;
  throw new EmacError('usage', `tabletop: task ${task}, state ${state} is not an initial state of ${split}`);
}

/** Suite and starts of an id. */
export function choicesOf(id: string, split: Split): { suite: Suite; choices: readonly Start[] } {
  const [, suite, task, state] = /^tabletop\/([a-z]+)(?:\/(\d)(?:\/(\d\d?))?)?$/.exec(id) ?? [];
  const known = suites.find((each) => each === suite);
  const isChosen = (start: Start) =>
    (task === undefined || start.task === Number(task)) &&
    (state === undefined || start.state === Number(state));
  const choices = startsOf(state === undefined ? split : 'all').filter(isChosen);
  if (known && choices.length > 0) return { suite: known, choices };
  throw new EmacError(
    'usage',
    `tabletop: there is no ${id}; there are ${tabletopIds.join(', ')}, with /0 to /9 for a task and /0 to /49 behind that for an initial state`,
  );
}

interface Settings extends Required<Pick<TabletopOptions, 'scale' | 'starts' | 'maxSteps' | 'size'>> {
  readonly id: string;
  readonly suite: Suite;
  readonly choices: readonly Start[];
}

interface Situation {
  readonly start: Start;
  readonly scene: Scene;
  readonly taken: number;
}

class Table implements Tabletop {
  readonly id: string;
  readonly actions: readonly string[] = [];
  readonly #settings: Settings;
  readonly #tasks: readonly TabletopTask[];
  #now: Situation | null = null;
  /** null before the first seed */
  #chance: Chance | null = null;

  constructor(settings: Settings) {
    this.id = settings.id;
    this.#settings = settings;
    this.#tasks = tasksOf(settings.suite);
  }

  reset(seed: Seed | null): Info {
    const { choices, starts, id } = this.#settings;
    const from = seed ?? this.#chance;
    invariant(from !== null, `${id}: the first episode needs a seed`);
    const { start, chance } = chosen(choices, starts, from);
    this.#chance = chance;
    return this.begin(start);
  }

  begin(start: Start): Info {
    const scene = sceneOf(this.#settings.suite, start);
    this.#now = { start: { task: start.task, state: start.state }, scene, taken: 0 };
    return this.#info();
  }

  step(action: Action): ReturnType<Tabletop['step']> {
    const now = this.#begun;
    const { id, scale, maxSteps } = this.#settings;
    if (action.length !== 7 || !action.every(Number.isFinite))
      throw new EmacError('usage', `${id}: an action is seven finite numbers, got [${action.join(', ')}]`);
    const scene = acted(now.scene, action, scales[scale]);
    this.#now = { ...now, scene, taken: now.taken + 1 };
    const info = this.#info();
    const truncated = !info.won && this.#now.taken >= maxSteps;
    return { reward: info.won ? 1 : 0, terminated: info.won, truncated, info };
  }

  get start(): Start {
    return this.#begun.start;
  }

  get task(): TabletopTask {
    return this.#tasks[this.#begun.start.task]!;
  }

  text(): string {
    return this.task.text;
  }

  scene(): Scene {
    return this.#begun.scene;
  }

  observe(): ReturnType<Tabletop['observe']> {
    const { x, y, z, turn, opening } = this.#begun.scene.hand;
    const data = Float32Array.of(x, y, z, ...turn, opening / 2, -opening / 2);
    return { state: { shape: [8], data } };
  }

  frame(): Frame {
    return this.#picture('agent');
  }

  wristFrame(): Frame {
    return this.#picture('wrist');
  }

  expert({ steps = null, noise = 0, random }: ExpertOptions = {}): Action {
    const exact = expertAction(
      this.scene(),
      this.task.goals,
      controllerOf(scales[this.#settings.scale], steps),
    );
    // never −0
    const action = steps === null ? exact : exact.map((value) => Math.round(value * steps) / steps + 0);
    if (noise === 0) return action;
    invariant(random, `${this.id}: a noisy expert needs a Random`);
    const disturbed = (value: number, place: number) => {
      if (place === 6) return value;
      const reach = noise * (Math.abs(value) + 0.1);
      return clamped(value + reach * (2 * random.uniform() - 1), -1, 1);
    };
    return action.map(disturbed);
  }

  state(): TabletopState {
    return { id: this.id, ...this.#begun, chance: this.#chance };
  }

  restore({ id, start, scene, taken, chance }: TabletopState): void {
    if (id !== this.id)
      throw new EmacError('data', `${this.id}: the state is of ${id}; give one of this environment`);
    this.#now = { start, scene, taken };
    this.#chance = chance;
  }

  /** `private` lists the goals that hold. */
  #info(): Info {
    const { start, scene } = this.#begun;
    const goals = this.task.goals.map((goal) => holds(scene, goal));
    return { won: goals.every(Boolean), task: start.task, state: start.state, private: { goals } };
  }

  #picture(eye: Eye): Frame {
    return paint(this.scene(), this.#settings.size, eye);
  }

  get #begun(): Situation {
    invariant(this.#now, `${this.id}: must be reset first`);
    return this.#now;
  }
}

function controllerOf(scale: Scale, steps: number | null): Controller {
  const { parts, reach, turn } = scale;
  const step = steps === null ? 0 : parts / steps;
  return { scale, near: Math.max(0.004, step * reach), straight: Math.max(0.06, step * turn) };
}

function requirePositive(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0) return;
  throw new EmacError('usage', `tabletop: ${name} must be a positive whole number, got ${value}`);
}
