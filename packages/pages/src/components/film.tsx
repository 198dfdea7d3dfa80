/** Episodes as a film: one, or several at the same task side by side, step by step, from the first step where policy and expert differ. */
import { useEffect, useState } from 'preact/hooks';
import type { EpisodeView } from '../data/run-view.ts';
import { counted } from '../data/words.ts';
import { Outcome } from './marks.tsx';
import { Pictures, StepWords, type FrameAddress } from './strip.tsx';

export interface Filmed {
  /** who plays; shown where there are several */
  readonly name: string;
  readonly view: EpisodeView;
  readonly frame: FrameAddress;
}

/** milliseconds that a step is shown */
const pace = 900;

export function Film({ films }: { readonly films: readonly Filmed[] }) {
  const [at, setAt] = useState(() => firstDiffering(films));
  const [isPlaying, setPlaying] = useState(false);
  const last = films.reduce((most, { view }) => Math.max(most, view.shown.length), 0);
  const isRunning = isPlaying && at < last;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(() => setAt(at + 1), pace);
    return () => clearTimeout(timer);
  }, [isRunning, at]);
  const play = () => {
    if (at >= last) setAt(0);
    setPlaying(!isRunning);
  };
  const show = (step: number) => {
    setPlaying(false);
    setAt(Math.min(last, Math.max(0, step)));
  };
  return (
    <div class="film">
      <div class="controls" role="group" aria-label="film">
        <button type="button" onClick={play}>
          {isRunning ? 'pause' : 'play'}
        </button>
        <button type="button" onClick={() => show(at - 1)} disabled={at === 0} aria-label="step back">
          ‹
        </button>
        <button type="button" onClick={() => show(at + 1)} disabled={at === last} aria-label="step forward">
          ›
        </button>
        <input
          type="range"
          aria-label="step shown"
          min="0"
          max={last}
          value={at}
          onInput={(event) => show(Number(event.currentTarget.value))}
        />
        <span class="soft">{`step ${at} of ${last}`}</span>
      </div>
      <div class="screens">
        {films.map((film) => (
          <Screen film={film} at={at} isNamed={films.length > 1} />
        ))}
      </div>
    </div>
  );
}

function Screen({
  film,
  at,
  isNamed,
}: {
  readonly film: Filmed;
  readonly at: number;
  readonly isNamed: boolean;
}) {
  const { name, view, frame } = film;
  const { task, shown, frames, observation, won, expertWon, parts } = view;
  const number = Math.min(at, shown.length);
  const step = number === 0 ? null : shown[number - 1]!;
  const isOver = number === shown.length && number > 0;
  return (
    <div class={`screen ${parts !== null && number - 1 === parts ? 'parts' : ''}`}>
      {isNamed && <h4>{name}</h4>}
      <Pictures files={lastPictures(film, number) ?? frames} when={`at step ${number}`} frame={frame} />
      <div>
        {step === null ? (
          <>
            {task !== '' && (
              <p>
                <strong>Task:</strong> {task}
              </p>
            )}
            <p class="words">{observation}</p>
          </>
        ) : (
          <>
            <p>
              <strong>{step.command}</strong>
            </p>
            {isOver && (
              <p>
                <Outcome won={won} expertWon={expertWon} />{' '}
                {`in ${counted(number, 'step')}${task === '' ? '' : `: ${task}`}`}
              </p>
            )}
            <StepWords step={step} number={number} />
          </>
        )}
      </div>
    </div>
  );
}

/** Number of the first step where policy and expert differ; 0, before the first step, if they never do. */
function firstDiffering(films: readonly Filmed[]): number {
  const found = films.flatMap(({ view: { parts } }) => (parts === null ? [] : [parts + 1]));
  return found.reduce((first, each) => Math.min(first, each), found[0] ?? 0);
}

/** A step without a picture shows the one before. */
function lastPictures({ view }: Filmed, number: number): readonly string[] | null {
  return view.shown.slice(0, number).findLast(({ frames }) => frames.length > 0)?.frames ?? null;
}
