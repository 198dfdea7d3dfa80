/** Attempts at a task as group methods compare them: change a reward, and every advantage moves. */
import { anchorAdvantages, groupAdvantages } from '@emac/rollout';
import { useEffect, useState } from 'preact/hooks';
import type { GameAttempt } from '../data/played.ts';
import type { Ordered } from './game-state.ts';

/** attempts of one click */
const drawn = 4;

export interface GroupCredits {
  /** of each attempt, GRPO's: the reward less the group's mean, over its deviation */
  readonly attempts: readonly number[];
  /** of each step, GiGPO's step part: its return less the mean of all from the same state */
  readonly steps: readonly (readonly number[])[];
}

/** Advantages if the attempts had these rewards; the difference to what was played is the last step's. Groups of one have none. */
export function creditsOf(
  attempts: readonly GameAttempt[],
  rewards: readonly number[],
  discount: number,
): GroupCredits {
  if (attempts.length < 2)
    return { attempts: attempts.map(() => 0), steps: attempts.map(({ steps }) => steps.map(() => 0)) };
  const { advantages } = groupAdvantages(rewards, { groupSize: attempts.length, scale: 'group' });
  const anchored = attempts.map((attempt, which) => {
    const changed = rewards[which]! - rewardOf(attempt);
    return attempt.steps.map(({ anchor, reward }, step) => {
      return { anchor, reward: step === attempt.steps.length - 1 ? reward + changed : reward };
    });
  });
  return { attempts: [...advantages], steps: anchorAdvantages(anchored, { discount, scale: 'none' }) };
}

export function rewardOf({ steps }: GameAttempt): number {
  return steps.reduce((sum, { reward }) => sum + reward, 0);
}

/** GiGPO's, as published */
const discount = 0.95;

export function Group({ view, carry }: Ordered) {
  const { attempts, policy, number, set } = view;
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({});
  useEffect(() => setTyped({}), [number, set]);
  const canDraw = policy !== null && view.now.commands.every((each) => each.now !== null);
  if (attempts.length === 0 && !canDraw) return null;
  const rewards = attempts.map((attempt, which) => {
    const given = Number(typed[which] ?? rewardOf(attempt));
    return Number.isFinite(given) ? given : rewardOf(attempt);
  });
  const credits = creditsOf(attempts, rewards, discount);
  return (
    <details class="game-ask game-group">
      <summary>Attempts at this task, compared as in a group ({attempts.length})</summary>
      <p class="soft">
        An attempt’s advantage is its reward less the group’s mean, over the deviation. A step’s compares its
        discounted return with those of all steps from the same state. Change a reward to see what follows.
      </p>
      {canDraw && (
        <p class="game-buttons">
          <button onClick={() => carry({ kind: 'draw', attempts: drawn })}>Draw {drawn} attempts</button>
        </p>
      )}
      {attempts.map((attempt, which) => (
        <details key={which}>
          <summary>
            <span class="attempt">
              {which + 1}. {attempt.by === 'person' ? 'you' : attempt.by}, {attempt.won ? 'won' : 'not won'},{' '}
              {attempt.steps.length} steps{' '}
              <label>
                reward{' '}
                <input
                  type="number"
                  step="any"
                  value={typed[which] ?? String(rewardOf(attempt))}
                  onInput={({ currentTarget: { value } }) => setTyped({ ...typed, [which]: value })}
                />
              </label>{' '}
              advantage <output>{signed(credits.attempts[which]!)}</output>
            </span>
          </summary>
          <ol>
            {attempt.steps.map(({ command }, step) => (
              <li key={step}>
                {command} <span class="number">{signed(credits.steps[which]![step]!)}</span>
              </li>
            ))}
          </ol>
        </details>
      ))}
    </details>
  );
}

function signed(value: number): string {
  const rounded = value.toFixed(2);
  return value > 0 ? `+${rounded}` : rounded.replace('-', '−');
}
