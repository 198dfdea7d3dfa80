/**
 * MiniGrid 3.1.0 and 3.2.0 (Chevalier-Boisvert et al. 2023, arXiv 2306.13831): a seed gives the same level as in the published
 * Python package, and every observation, reward, end and frame is equal, to the byte. Departures: objects of
 * unsupported levels are missing, views are 7 × 7, and the mission is the observation's text.
 */
import { EmacError, invariant } from '@emac/core';
import type { Frame, Info, NumberArray, Seed, StepEnvironment, StepOutcome } from '@emac/core';
import { NumpyRandom } from '@emac/numpy-random';
import { designOf, publishedId, type Design } from './catalogue.ts';
import type { Palette } from './frame/tile.ts';
import { Painter } from './frame/painter.ts';
import { viewSize } from './grid.ts';
import { act } from './rules.ts';
import { stateOf, worldOf, type MiniGridState } from './state.ts';
import { viewCells, viewImage, viewOffsets, writeSeen, type ViewOffsets } from './view.ts';
import { World } from './world.ts';

export interface MiniGridOptions {
  /** step limit of an episode; default: the published one */
  readonly maxSteps?: number;
  /**
   * `legacy-wrapped` maps every byte v of a frame to (256 − v) mod 256. A published trainer did so by mistake; this is
   * why its prompts speak of cyan and pink. Default `true`
   */
  readonly palette?: Palette;
  /** pixels of a cell's side in a frame; 32 by default */
  readonly tileSize?: number;
  /** whether the cells that the agent sees are lit in a frame; true by default */
  readonly highlight?: boolean;
}

export interface MiniGridObservation {
  /**
   * uint8 [7, 7, 3]: [column][row][kind, colour, state], all 0 if not visible; the agent is at column 3, row 6, looking
   * up
   */
  readonly image: NumberArray;
  /** int32, one number of shape []: 0 right, 1 down, 2 left, 3 up */
  readonly direction: NumberArray;
}

/**
 * `text()` is the mission; a step's `won` means a positive reward. After an episode's end, steps continue by the same
 * rules.
 */
export interface MiniGrid extends StepEnvironment<MiniGridState> {
  observe(): MiniGridObservation & Readonly<Record<string, NumberArray>>;
}

/** The actions in words, by number. */
export const actionWords = [
  'turn left',
  'turn right',
  'move forward',
  'pick up',
  'drop',
  'toggle',
  'done',
] as const;

const open: Info = { won: false };
const won: Info = { won: true };

/** An environment of a published id (`-v0` is optional). Errors: `usage` for an unknown id or option out of range. */
export function miniGrid(id: string, options: MiniGridOptions = {}): MiniGrid {
  const { palette = 'true', tileSize = 32, highlight = true } = options;
  const design = designOf(id);
  const maxSteps = options.maxSteps ?? design.maxSteps;
  requirePositive('maxSteps', maxSteps);
  requirePositive('tileSize', tileSize);
  return new LevelEnvironment({ id: publishedId(id), design, maxSteps, palette, tileSize, highlight });
}

type Settings = Required<MiniGridOptions> & { readonly id: string; readonly design: Design };

class LevelEnvironment implements MiniGrid {
  readonly id: string;
  readonly actions: readonly string[];
  readonly #settings: Settings;
  readonly #seen = new Uint8Array(viewCells);
  #world: World | null = null;
  /** made with the first frame */
  #painter: Painter | null = null;
  readonly #offsets: ViewOffsets;

  constructor(settings: Settings) {
    const { id, design } = settings;
    this.id = id;
    this.actions = actionWords.slice(0, design.actionCount);
    this.#settings = settings;
    this.#offsets = viewOffsets(new World(design, NumpyRandom.fromSeed(0)).grid);
  }

  reset(seed: Seed | null): Info {
    const random = seed === null ? this.#started.random : NumpyRandom.fromSeed(seed);
    const { design } = this.#settings;
    const world = new World(design, random);
    design.generate(world);
    this.#world = world;
    return open;
  }

  step(action: number): StepOutcome {
    const world = this.#started;
    if (!Number.isInteger(action) || action < 0 || action >= actionWords.length)
      throw new EmacError('usage', `${this.id}: actions are 0 to ${actionWords.length - 1}, got ${action}`);
    const { maxSteps } = this.#settings;
    const { reward, terminated } = act(world, action, maxSteps);
    const info = reward > 0 ? won : open;
    return { reward, terminated, truncated: world.taken >= maxSteps, info };
  }

  text(): string {
    return this.#started.mission;
  }

  observe(): ReturnType<MiniGrid['observe']> {
    const world = this.#started;
    const data = viewImage(world, this.#offsets, this.#look(world));
    return {
      image: { shape: [viewSize, viewSize, 3], data },
      direction: { shape: [], data: Int32Array.of(world.direction) },
    };
  }

  frame(): Frame {
    const world = this.#started;
    const { design, tileSize, palette, highlight } = this.#settings;
    const { width, height } = design;
    this.#painter ??= new Painter({ width, height, tileSize, palette });
    return this.#painter.draw(world, this.#offsets, highlight ? this.#look(world) : null);
  }

  state(): MiniGridState {
    return stateOf(this.#started, this.#settings);
  }

  restore(state: MiniGridState): void {
    const { id, maxSteps } = this.#settings;
    if (state.id !== id || state.maxSteps !== maxSteps)
      throw new EmacError(
        'data',
        `${id}: the state is of ${state.id} with a limit of ${state.maxSteps} steps, here it is ${maxSteps}`,
      );
    this.#world = worldOf(state);
  }

  /** The visible cells of the view; valid until the next call. */
  #look(world: World): Uint8Array {
    if (this.#settings.design.seesThroughWalls) this.#seen.fill(1);
    else writeSeen(world, this.#offsets, this.#seen);
    return this.#seen;
  }

  get #started(): World {
    invariant(this.#world, `${this.id}: the first reset needs a seed`);
    return this.#world;
  }
}

function requirePositive(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0) return;
  throw new EmacError('usage', `minigrid: ${name} must be a positive whole number, got ${value}`);
}
