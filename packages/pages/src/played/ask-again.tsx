/** The text that the policy reads, to be changed: what would it do? */
import { useEffect, useState } from 'preact/hooks';
import { Bar, percent } from './commands.tsx';
import type { Ordered } from './game-state.ts';

/** commands of the answer to show */
const shown = 5;

export function AskAgain({ view, carry }: Ordered) {
  const { now, asked, end } = view;
  const [text, setText] = useState(now.prompt ?? '');
  useEffect(() => setText(now.prompt ?? ''), [now.prompt]);
  if (now.prompt === null || end !== null) return null;
  const likeliest = asked?.commands.toSorted((one, other) => other.now! - one.now!).slice(0, shown);
  return (
    <details class="game-ask">
      <summary>The policy’s prompt: change it and ask again</summary>
      <div>
        <textarea
          aria-label="the policy's prompt"
          rows={Math.min(16, text.split('\n').length + 1)}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p class="game-buttons">
          <button onClick={() => carry({ kind: 'ask', prompt: text })}>Ask</button>
          <button disabled={text === now.prompt} onClick={() => setText(now.prompt!)}>
            Undo changes
          </button>
        </p>
        {asked && (
          <div role="status">
            <p>
              The policy would say <q>{asked.answer}</q>
              {now.choice !== asked.choice && (
                <>
                  , not <q>{now.choice}</q>
                </>
              )}
              .
            </p>
            <ul class="game-list">
              {likeliest!.map(({ command, now: share }) => (
                <li key={command} class="game-command">
                  <span class="name">{command}</span>
                  {share !== null && <span class="number">{percent(share)}</span>}
                  {share !== null && <Bar share={share} kind="now" />}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </details>
  );
}
