/** The steps that were made; a click goes back to the state before one. */
import type { Ordered } from './game-state.ts';

export function Made({ view, carry }: Ordered) {
  const { steps, pictures } = view;
  if (steps.length === 0) return null;
  return (
    <section class="game-made" aria-label="Steps so far">
      <h2>Steps so far</h2>
      <ol>
        {steps.map(({ command, by, reward, text, picture, choice, expert }, step) => (
          <li key={step}>
            <button onClick={() => carry({ kind: 'back', step })} title="back to this state">
              {picture !== null && <img src={pictures[picture]} alt="" />}
              <span class="made">
                <span>
                  <span class="soft">{step + 1}</span> <strong>{command}</strong>{' '}
                  <span class={`mark ${by}`}>{by === 'person' ? 'you' : by}</span>
                  {reward !== 0 && <span class="mark reward">reward {Number(reward.toFixed(3))}</span>}
                </span>
                {choice !== null && choice !== command && <small>policy: {choice}</small>}
                {expert !== null && expert !== command && <small>expert: {expert}</small>}
                <small class="soft">{text.split('\n').at(-1)}</small>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
