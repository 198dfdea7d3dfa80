/** The commands of a state with their probabilities: a click takes one, or says which of two is better. */
import { useEffect, useState } from 'preact/hooks';
import type { GameMoment, WeighedCommand } from '../data/played.ts';
import type { Ordered } from './game-state.ts';

/** few enough to keep their places */
const few = 9;

/** As they are shown and numbered: many commands with the likeliest first, so that nobody looks for it. */
export function inOrder(commands: readonly WeighedCommand[]): readonly WeighedCommand[] {
  if (commands.length <= few || commands.some(({ now }) => now === null)) return commands;
  return commands.toSorted((one, other) => other.now! - one.now!);
}

export function Commands({ view, carry, canPair = true }: Ordered & { readonly canPair?: boolean }) {
  const { now, end, steps, number, set, before, preferred } = view;
  const [typed, setTyped] = useState('');
  const [better, setBetter] = useState<string | null | 'none'>('none');
  // another state has other commands
  useEffect(() => {
    setBetter('none');
    setTyped('');
  }, [steps.length, number, set]);
  if (end !== null) return null;
  const isPairing = better !== 'none';
  const take = (command: string): void => {
    if (!isPairing) carry({ kind: 'act', command });
    else if (better === null) setBetter(command);
    else {
      setBetter('none');
      if (better !== command) carry({ kind: 'prefer', chosen: better, rejected: command });
    }
  };
  const listed = inOrder(now.commands);
  const found = listed.filter(({ command }) => command.includes(typed.trim()));
  return (
    <section class="game-commands" aria-label="Commands">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '') carry({ kind: 'act', command: typed.trim() });
        }}
      >
        <input
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          placeholder={now.commands.length > 0 ? 'find or type a command' : 'type a command'}
          aria-label="command"
          autocomplete="off"
        />
        <button type="submit" disabled={typed.trim() === ''}>
          Do it
        </button>
        {canPair && now.commands.length > 1 && (
          <button type="button" aria-pressed={isPairing} onClick={() => setBetter(isPairing ? 'none' : null)}>
            {isPairing ? 'Cancel' : 'Compare two commands'}
          </button>
        )}
      </form>
      {isPairing && (
        <p role="status" class="game-hint">
          {better === null ? 'Click the better command,' : `“${better}” is better than: click the worse one`}
          {better === null && ' then the worse one.'}
        </p>
      )}
      {preferred && !isPairing && (
        <p class="game-hint">
          Here you prefer <q>{preferred.chosen}</q> to <q>{preferred.rejected}</q>.
        </p>
      )}
      {before !== null && now.commands.length > 0 && (
        <p class="game-key">
          <span class="bar now" /> {view.policy} <span class="bar before" /> {before}
        </p>
      )}
      <ol class="game-list">
        {found.map((each) => (
          <li key={each.command}>
            <Command
              weighed={each}
              moment={now}
              isBetter={better === each.command}
              number={listed.indexOf(each) + 1}
              onTake={() => take(each.command)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface CommandProps {
  readonly weighed: WeighedCommand;
  readonly moment: GameMoment;
  readonly isBetter: boolean;
  readonly number: number;
  readonly onTake: () => void;
}

function Command({ weighed, moment, isBetter, number, onTake }: CommandProps) {
  const { command, now, before } = weighed;
  const marks = [
    ...(moment.choice === command ? ['policy'] : []),
    ...(moment.choiceBefore === command ? ['before'] : []),
    ...(moment.expert === command ? ['expert'] : []),
  ];
  return (
    <button class="game-command" aria-pressed={isBetter ? 'true' : undefined} onClick={onceOf(onTake)}>
      <span class="name">
        {number <= 9 && <kbd>{number}</kbd>}
        {command}
        {marks.map((mark) => (
          <span key={mark} class={`mark ${mark}`}>
            {mark}
          </span>
        ))}
      </span>
      {now !== null && <span class="number">{percent(now)}</span>}
      {now !== null && <Bar share={now} kind="now" />}
      {before !== null && <span class="number soft">{percent(before)}</span>}
      {before !== null && <Bar share={before} kind="before" />}
    </button>
  );
}

/** The second click of a double click would be about the next state. */
export function onceOf(take: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail < 2) take();
  };
}

export function Bar({ share, kind }: { readonly share: number; readonly kind: 'now' | 'before' }) {
  return (
    <span class="track" aria-hidden="true">
      <span class={`bar ${kind}`} style={{ width: `${100 * share}%` }} />
    </span>
  );
}

/** One digit after the point below 10 %. */
export function percent(share: number): string {
  const value = 100 * share;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}
