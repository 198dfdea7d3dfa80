/** A rollout over the three tasks of fetching, with parts replaced. */
import { Random, type Answer, type Policy, type Question } from '@emac/core';
import { blank, fetching, fetchTexts } from '@emac/testing';
import type { Attempt, Rollout } from './attempt.ts';
import { textOf } from './texts.ts';

/** A policy that answers by the prompt's text; records every batch of questions. */
export function answering(answer: (text: string, question: Question) => string | Promise<string>) {
  const batches: (readonly Question[])[] = [];
  const policy: Pick<Policy, 'encode' | 'decide'> = {
    encode: () => Promise.resolve(blank),
    decide: (questions) => {
      batches.push(questions);
      return Promise.all(
        questions.map(async (question): Promise<Answer> => {
          const text = await answer(textOf(question.prompt), question);
          return { text, tokens: [1, 2], logProbabilities: [-0.5, -0.25] };
        }),
      );
    },
  };
  return { policy, batches };
}

/** Goes to a, takes a, again and again. */
export const fetchesA = (text: string): string => (text.endsWith('at-a') ? 'take a' : 'go a');

export function setup(parts: Partial<Rollout> = {}): Rollout {
  return {
    environment: fetching(),
    policy: answering(fetchesA).policy,
    texts: fetchTexts,
    sampling: { kind: 'search', beams: 1 },
    expert: null,
    asksPolicy: true,
    maxSteps: 4,
    stopRepeating: false,
    admissibleOnly: false,
    policyMemory: false,
    parallel: 1,
    ...parts,
  };
}

export function attemptsAt(ids: readonly string[], parts: Partial<Attempt> = {}): Attempt[] {
  return ids.map((id, number) => ({
    task: { id, type: null },
    number,
    random: Random.fromSeed('rollout').stream(id),
    memories: [],
    expertShare: 0,
    ...parts,
    made: parts.made ?? [],
  }));
}
