/** Films of evaluated episodes: for each step both frames side by side; below them the action and its result. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Frame, StepEnvironment } from '@emac/core';
import { createFolder, writeFileAtomic } from '@emac/files';
import { encodeFilm, type Scene } from '@emac/images';
import type { StepAction } from '@emac/opening';
import type { EpisodeWatcher, WatchedStep } from '@emac/rollout';
import type { Filmed } from './films.ts';

/** Kept of an episode in progress; making its film replays it. */
interface Reel {
  readonly environment: StepEnvironment<unknown, StepAction>;
  /** at the start */
  readonly state: unknown;
  readonly shots: { readonly action: StepAction; caption: string }[];
  sum: number;
}

export interface FilmPlaces {
  /** a film's path below the folder, without its ending; default `gifs/NUMBER` */
  readonly placeOf?: (episode: number, isWon: boolean) => string;
  /** keeps earlier films, because their episodes are not replayed; default: deletes them */
  readonly goesOn?: boolean;
}

/** Writes a film into the folder at the end of each wanted episode. */
export function filmingWatcher(
  folder: string,
  which: Filmed,
  { placeOf = numbered, goesOn = false }: FilmPlaces = {},
): EpisodeWatcher<StepAction> {
  const reels = new Map<number, Reel>();
  if (!goesOn) rmSync(join(folder, gifs), { recursive: true, force: true });
  return {
    begun(episode, environment) {
      if (typeof which === 'number' && episode >= which) return;
      // only environments stepped here, without delay, can be filmed
      const here = environment as StepEnvironment<unknown, StepAction>;
      reels.set(episode, { environment: here, state: environment.state(), shots: [], sum: 0 });
    },
    stepped(episode, step) {
      const reel = reels.get(episode);
      if (!reel) return;
      reel.sum += step.outcome.reward;
      reel.shots.push({ action: step.action, caption: captionOf(reel, step) });
    },
    ended(episode, { return: sum }) {
      const reel = reels.get(episode);
      reels.delete(episode);
      if (!reel || !isWanted(which, sum > 0)) return;
      const last = reel.shots.at(-1);
      if (last) last.caption = `${sum > 0 ? 'Won' : 'Not won'}. ${last.caption}`;
      const path = join(folder, `${placeOf(episode, sum > 0)}.gif`);
      createFolder(dirname(path));
      writeFileAtomic(path, encodeFilm(scenesOf(reel), { scale: 1 }));
    },
  };
}

const gifs = 'gifs';

function numbered(episode: number): string {
  return join(gifs, String(episode).padStart(6, '0'));
}

/** Replays a finished episode. */
function* scenesOf({ environment, state, shots }: Reel): Generator<Scene> {
  environment.restore(state);
  let before = environment.frame();
  for (const { action, caption } of shots) {
    environment.step(action);
    const after = environment.frame();
    yield { frame: besideEachOther(before, after), caption };
    before = after;
  }
}

function isWanted(which: Filmed, isWon: boolean): boolean {
  if (which === 'won') return isWon;
  return which === 'failures' ? !isWon : true;
}

/** The action and its result, then the thoughts before it. */
function captionOf(
  { shots, sum }: Reel,
  { environment, answer, action, isFallback, outcome }: WatchedStep<StepAction>,
): string {
  const drawn = isFallback ? ' (at random)' : '';
  const number = (value: number) => String(Number(value.toFixed(4)));
  const named = (part: number | string) => (typeof part === 'number' ? number(part) : part);
  const brought = `reward ${number(outcome.reward)}, return ${number(sum)}`;
  const thoughts = thoughtsOf(answer);
  const said = thoughts === null ? '' : `. ${thoughts}`;
  const name =
    typeof action === 'number' ? environment.actions[action] : [action].flat().map(named).join(' ');
  return `${shots.length + 1}. ${name}${drawn}: ${brought}${said}`;
}

/** Null if no answer has a thought. */
function thoughtsOf(answer: string): string | null {
  return (
    /"thoughts"\s*:\s*"((?:[^"\\]|\\.)*)/
      .exec(answer)?.[1]
      ?.replace(/\\n|\s+/g, ' ')
      .trim() || null
  );
}

/** Both are of one size. */
function besideEachOther(left: Frame, right: Frame): Frame {
  const row = left.width * 3;
  const data = new Uint8Array(2 * left.data.length);
  for (let y = 0; y < left.height; y++) {
    data.set(left.data.subarray(y * row, (y + 1) * row), 2 * y * row);
    data.set(right.data.subarray(y * row, (y + 1) * row), (2 * y + 1) * row);
  }
  return { width: 2 * left.width, height: left.height, data };
}
