/** A game in a page: its picture, what everybody would do, what was done, and the buttons. */
import { useEffect, useState } from 'preact/hooks';
import { Outcome } from '../components/marks.tsx';
import type { GameOrder, GamePlace, GameView } from '../data/played.ts';
import { counted, environmentWords, short } from '../data/words.ts';
import { AskAgain } from './ask-again.tsx';
import { Commands, inOrder } from './commands.tsx';
import { useGame, type Carry, type Ordered } from './game-state.ts';
import { Group } from './group.tsx';
import { Made } from './made.tsx';
import { Scene } from './scene.tsx';
import { TaskChoice } from './task-choice.tsx';

export interface GamePageProps {
  readonly place: GamePlace;
  /** what stands beside the title, such as a button that trains on what was given */
  readonly beside?: preact.ComponentChildren;
}

/** Plays one game after another; what it shows comes from `place` alone. */
export function GamePage({ place, beside }: GamePageProps) {
  const { view, fault, isBusy, carry } = useGame(place);
  const [isPlaying, setPlaying] = useState(false);
  const isOver = view !== null && view.end !== null;
  useEffect(() => {
    if (!isPlaying || isBusy) return;
    if (isOver || fault !== null) setPlaying(false);
    else carry({ kind: 'let', by: 'policy' });
  }, [isPlaying, isBusy, isOver, fault]);
  useKeys(view, isBusy ? null : carry, () => setPlaying(!isPlaying));
  if (!view)
    return (
      <section class="game" aria-label="game">
        <p role="status">{fault ?? 'The game opens …'}</p>
      </section>
    );
  return (
    <section class="game" aria-label="game" aria-busy={isBusy}>
      <header class="game-head">
        <div>
          <p class="soft">{whoPlays(view)}</p>
          <h1>{goalOf(view)}</h1>
          <Standing view={view} />
        </div>
        <TaskChoice view={view} carry={carry} />
        {beside}
      </header>
      <p class="soft">{introduction(view)}</p>
      {fault !== null && (
        <p class="game-fault" role="alert">
          {fault}
        </p>
      )}
      <div class="game-now">
        <Scene view={view} carry={carry} />
        <div>
          <Buttons view={view} carry={carry} isPlaying={isPlaying} onPlay={() => setPlaying(!isPlaying)} />
          <Commands view={view} carry={carry} />
        </div>
      </div>
      <Made view={view} carry={carry} />
      <AskAgain view={view} carry={carry} />
      <Group view={view} carry={carry} />
    </section>
  );
}

/** How the game stands, or how it ended. */
function Standing({ view }: { readonly view: GameView }) {
  const { end, score } = view;
  return (
    <p class="game-standing" role="status">
      {end === null ? 'running' : <Outcome won={end === 'won'} />}
      {`${endWords[end ?? 'on'](view)}${score === 0 ? '' : `, reward ${short(score)}`}`}
    </p>
  );
}

/** `the policy RUN beside BEFORE in the environment E` */
function whoPlays({ environment, policy, before }: GameView): string {
  const beside = before === null ? '' : ` beside ${lastPart(before)}`;
  const who = policy === null ? 'You play alone' : `You play with the policy ${lastPart(policy)}${beside}`;
  return `${who} in ${environmentWords(environment)}`;
}

/** What one can do here. */
function introduction({ policy, now, hasExpert }: GameView): string {
  const weighs = now.commands.some((each) => each.now !== null);
  return [
    now.commands.length > 0 ? 'Click a command to act.' : 'Type a command to act.',
    ...(weighs ? ['The bar beside each is the probability that the policy gives it.'] : []),
    ...(policy === null ? [] : [`Or let the policy${hasExpert ? ' or the expert' : ''} make a step.`]),
    'Click an earlier step to return to it.',
  ].join(' ');
}

interface ButtonsProps extends Ordered {
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
}

function Buttons({ view, carry, isPlaying, onPlay }: ButtonsProps) {
  const { steps, end, policy, hasExpert, labels, pairs } = view;
  const isOver = end !== null;
  const given = labels + pairs > 0 && `you gave ${counted(labels, 'label')}, ${counted(pairs, 'pair')}`;
  const back = (step: number) => () => carry({ kind: 'back', step });
  return (
    <div class="game-buttons" role="toolbar" aria-label="Play">
      {policy !== null && (
        <>
          <button
            disabled={isOver || isPlaying}
            onClick={() => carry({ kind: 'let', by: 'policy' })}
            title="P"
          >
            Policy: one step
          </button>
          <button disabled={isOver} aria-pressed={isPlaying} onClick={onPlay} title="space bar">
            {isPlaying ? 'Stop' : 'To the end'}
          </button>
        </>
      )}
      {hasExpert && (
        <button disabled={isOver || isPlaying} onClick={() => carry({ kind: 'let', by: 'expert' })} title="E">
          Expert: one step
        </button>
      )}
      <button disabled={steps.length === 0 || isPlaying} onClick={back(steps.length - 1)} title="B">
        Back
      </button>
      <button disabled={steps.length === 0 || isPlaying} onClick={back(0)} title="R">
        Restart
      </button>
      <span class="soft" role="status">
        {given}
      </span>
    </div>
  );
}

const endWords: Readonly<Record<NonNullable<GameView['end']> | 'on', (view: GameView) => string>> = {
  on: ({ steps, maxSteps }) => `, step ${steps.length} of ${maxSteps}`,
  won: ({ steps }) => ` in ${counted(steps.length, 'step')}`,
  lost: ({ steps }) => `, lost after ${counted(steps.length, 'step')}`,
  limit: ({ maxSteps }) => ` within ${counted(maxSteps, 'step')}`,
};

/** What the task is, as the last line of the first observation says it; else the environment. */
function goalOf({ steps, now, environment }: GameView): string {
  const line = (steps[0] ?? now).text.trim().split('\n').at(-1)!;
  return line === '' || line.length > 160 ? environment : line;
}

/** Digits take the command of that number; letters and the space bar press the buttons. Nothing while a text is typed. */
function useKeys(view: GameView | null, carry: Carry | null, onPlay: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { tagName = '' } = (event.target ?? {}) as Partial<HTMLElement>;
      if (!view || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(tagName)) return;
      if (event.key === ' ' && tagName !== 'BUTTON' && view.policy !== null) {
        event.preventDefault();
        onPlay();
      }
      const order = orderOf(event.key, view);
      if (order && carry) {
        event.preventDefault();
        carry(order);
      }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
}

function orderOf(key: string, { steps, end, now, policy, hasExpert }: GameView): GameOrder | null {
  if (steps.length > 0 && key === 'b') return { kind: 'back', step: steps.length - 1 };
  if (steps.length > 0 && key === 'r') return { kind: 'back', step: 0 };
  if (end !== null) return null;
  if (key === 'p' && policy !== null) return { kind: 'let', by: 'policy' };
  if (key === 'e' && hasExpert) return { kind: 'let', by: 'expert' };
  const command = /^[1-9]$/.test(key) ? inOrder(now.commands)[Number(key) - 1]?.command : undefined;
  return command === undefined ? null : { kind: 'act', command };
}

/** The name of a run is the end of its path. */
function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
