import { Random, type StepOutcome } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { curriculumChoice } from './curriculum-choice.ts';

const tasks = ['never', 'sometimes', 'always'];
/** a seed names its task */
const chosen = { tasks, seedOf: (task: string) => tasks.indexOf(task) };
const ended = (won: boolean): StepOutcome => ({
  reward: won ? 1 : 0,
  terminated: won,
  truncated: !won,
  info: { won },
});
const choice = () => curriculumChoice(chosen, { formula: 'half', decay: 0.5 }, Random.fromSeed(3));

/** Ends each task as its name says; counts the tasks begun. */
function play(made: ReturnType<typeof choice>, from: number, to: number): number[] {
  const begun: number[] = [];
  for (let episode = from; episode < to; episode++) {
    const task = Number(made.seedOf(0, episode));
    begun.push(task);
    made.ended(0, ended(task === 2 || (task === 1 && episode % 2 === 0)));
  }
  return begun;
}

describe('a curriculum that PPO asks', () => {
  it('reports an episode to the task drawn for its place, not to the newest one', () => {
    const made = choice();
    const first = Number(made.seedOf(0, 0));
    // other places begin meanwhile
    for (let place = 1; place < 9; place++) made.seedOf(place, 0);
    made.ended(0, ended(true));
    // ½ · ½ + ½ · 1
    const rates = tasks.map((_, task) => made.measures!()[`curriculum/task_${task}_avg_success_rate`]);
    expect(rates).toEqual(tasks.map((_, task) => (task === first ? 0.75 : 0.5)));
  });

  it("mostly plays tasks with success one half, and the others at the floor's rate", () => {
    const made = choice();
    play(made, 0, 200);
    const begun = play(made, 200, 3200);
    const shares = tasks.map((_, task) => begun.filter((each) => each === task).length / begun.length);
    // ε / n = 1/30 each for those at 0 and 1; 3000 draws, deviation 0.0033
    expect(shares[0]).toBeGreaterThan(1 / 30 - 0.017);
    expect(shares[0]! + shares[2]!).toBeLessThan(0.25);
    expect(shares[1]).toBeGreaterThan(0.7);
  });

  it('draws the same after it was stored as JSON and restored, with episodes under way', () => {
    const whole = choice();
    const half = choice();
    play(whole, 0, 40);
    play(half, 0, 40);
    half.seedOf(1, 40);
    whole.seedOf(1, 40);
    const again = choice();
    again.restore(JSON.parse(JSON.stringify(half.state())));
    for (const each of [whole, again]) each.ended(1, ended(false));
    expect(play(again, 41, 120)).toEqual(play(whole, 41, 120));
    expect(again.state()).toEqual(whole.state());
  });

  it('refuses the state of a run without one, and of other tasks', () => {
    expect(() => choice().restore(undefined)).toThrow(/has no curriculum/);
    const other = curriculumChoice({ ...chosen, tasks: ['a'] }, {}, Random.fromSeed(0));
    expect(() => choice().restore(other.state())).toThrow(/the state must be of the tasks .*, got \[a\]/);
  });
});
