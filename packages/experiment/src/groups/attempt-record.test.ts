import type { AttemptCredit, PlayedAttempt } from '@emac/algorithms';
import { expect, it } from 'vitest';
import { attemptRecord, isRecorded } from './attempt-record.ts';

const observation = (text: string) => ({ text, frames: [], admissible: null });

/** An attempt with these answers; the first does something else, as answers that name no action do. */
function attempt(task: string, answers: readonly string[]): PlayedAttempt {
  const steps = answers.map((text, step) => ({
    prompt: [],
    answer: { text, tokens: [1], logProbabilities: [0] },
    temperature: 1,
    reward: step,
  }));
  return {
    steps,
    reward: 1,
    rewards: { return: 2 },
    return: 2,
    trajectory: {
      task: { id: task, type: null },
      first: observation('seen 0'),
      steps: answers.map((text, step) => ({
        observation: observation(`seen ${step}`),
        prompt: [],
        answer: steps[step]!.answer,
        own: text,
        label: null,
        action: step === 0 ? 'nothing' : text,
        actor: 'policy',
        result: { observation: observation(''), reward: step, terminated: false, truncated: false, info: {} },
      })),
      end: 'terminated',
      won: true,
    } as unknown as PlayedAttempt['trajectory'],
  };
}

const credit = (advantage: number, steps: readonly number[]): AttemptCredit => ({
  advantage,
  steps: steps.map((own, step) => ({ advantage: advantage + own, own, alike: step + 1 })),
});

it('is the attempt whose steps differ most, with what each was credited with', () => {
  const attempts = [attempt('a', ['go', 'take']), attempt('b', ['look', 'open']), attempt('c', ['x'])];
  const credits = [credit(2, [0.5, 0.5]), credit(-1, [0.25, -0.5]), credit(9, [3])];
  const { update, lines } = attemptRecord({ update: 4, attempts, credits });
  expect(update).toBe(4);
  // 4 updates of 3 attempts before, the second of this one; −0.75 and −1.5 are 0.75 apart
  expect(lines).toEqual([
    {
      v: 1,
      kind: 'attempt',
      update: 4,
      attempt: 13,
      task: 'b',
      won: true,
      steps: 2,
      reward: 1,
      return: 2,
      attemptAdvantage: -1,
      spread: 0.75,
    },
    {
      kind: 'step',
      step: 0,
      observed: 'seen 0',
      answer: 'look',
      command: 'nothing',
      reward: 0,
      stepAdvantage: 0.25,
      sameState: 1,
      advantage: -0.75,
    },
    {
      kind: 'step',
      step: 1,
      observed: 'seen 1',
      answer: 'open',
      command: 'open',
      reward: 1,
      stepAdvantage: -0.5,
      sameState: 2,
      advantage: -1.5,
    },
  ]);
});

it('is that with the largest advantage where no steps differ, then the first', () => {
  const attempts = ['a', 'b', 'c'].map((task) => attempt(task, ['go', 'go']));
  const taskOf = (advantages: readonly number[]) =>
    attemptRecord({ update: 0, attempts, credits: advantages.map((each) => credit(each, [0, 0])) }).lines[0];
  expect(taskOf([1, -2, 1.5])).toMatchObject({ task: 'b', attemptAdvantage: -2, spread: 0 });
  expect(taskOf([1, 1, -1])).toMatchObject({ task: 'a' });
});

it('holds at most 200 steps with 400 characters of an answer', () => {
  const answers = Array.from({ length: 201 }, () => '😀'.repeat(401));
  const credits = [credit(0, Array<number>(201).fill(0))];
  const { lines } = attemptRecord({ update: 0, attempts: [attempt('long', answers)], credits });
  expect(lines).toHaveLength(201);
  expect(lines[0]).toMatchObject({ steps: 201 });
  expect(lines[1]).toMatchObject({ answer: `${'😀'.repeat(200)}…${'😀'.repeat(199)}` });
});

it('is made after every update of a short run, and after at most 100 of a long one, the last among them', () => {
  const recorded = (updates: number) =>
    Array.from({ length: updates }, (_, update) => update).filter((update) => isRecorded(update, updates));
  expect(recorded(3)).toEqual([0, 1, 2]);
  expect(recorded(100)).toHaveLength(100);
  // every third: 249, 246, … 0
  expect(recorded(250)).toHaveLength(84);
  expect(recorded(250).slice(-2)).toEqual([246, 249]);
});
