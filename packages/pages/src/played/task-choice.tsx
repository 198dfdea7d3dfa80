/** Which task is played. */
import type { GameTaskSet } from '../data/played.ts';
import type { Ordered } from './game-state.ts';

export function TaskChoice({ view, carry }: Ordered) {
  const { set, number, count, task } = view;
  const begin = (chosen: Partial<{ set: GameTaskSet; number: number }>): void =>
    carry({ kind: 'begin', set, number, ...chosen });
  return (
    <div class="game-task">
      <label>
        tasks{' '}
        <select
          value={set}
          onChange={({ currentTarget }) => begin({ set: currentTarget.value as GameTaskSet, number: 0 })}
        >
          <option value="heldOut">held out</option>
          <option value="training">of training</option>
        </select>
      </label>
      <label>
        number{' '}
        <input
          type="number"
          min={0}
          max={count === null ? undefined : count - 1}
          value={number}
          onChange={({ currentTarget }) => begin({ number: Number(currentTarget.value) })}
        />
      </label>
      <button disabled={count !== null && number + 1 >= count} onClick={() => begin({ number: number + 1 })}>
        Next
      </button>
      <small class="soft">{task}</small>
    </div>
  );
}
