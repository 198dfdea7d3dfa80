/** The one evaluation: what it counts, and what it allows a policy in words. */
import type { Policy } from '@emac/core';
import { builtinGameAt, gamesKind, kindPlay, plainHost, policyTexts, type PolicyForm } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { evaluateTasks, type TasksEvaluation } from './evaluate-tasks.ts';
import { evaluateRun } from './play-in-words.ts';

/** Always looks around; records its allowed answers. */
function looking() {
  const allowed: (readonly string[] | null)[] = [];
  const policy: Policy = {
    encode: () => Promise.resolve({ data: new Float32Array(1), key: 'blank' }),
    decide: (questions) => {
      allowed.push(...questions.map((question) => question.allowed));
      return Promise.resolve(questions.map(() => ({ text: 'look', tokens: [1], logProbabilities: [-1] })));
    },
    countPromptTokens: () => 1,
  };
  return { policy, allowed };
}

async function allowedAt(admissibleOnly: boolean) {
  const { policy, allowed } = looking();
  const form: Pick<PolicyForm, 'text' | 'maxSteps' | 'generation' | 'admissibleOnly'> = {
    text: { maxTokens: 1024, thoughts: false, observe: 'both' },
    maxSteps: 3,
    generation: { beams: 1, minLength: 1, maxLength: 8 },
    admissibleOnly,
  };
  const games = [builtinGameAt('builtin:valid_unseen', 0), builtinGameAt('builtin:valid_unseen', 1)];
  const kind = gamesKind(games, form.maxSteps);
  const play = kindPlay(kind, [0, 1].map(kind.tasks.heldOut.at));
  const subject = { env: 'alfworld', policy: 'looking', seed: 0 };
  const asked = {
    policy,
    texts: policyTexts(policy, form.text),
    form,
    play,
    parallel: 2,
    trainedOn: [],
    subject,
  };
  const journal = () => ({ lines: [], add: () => {}, close: () => {}, remove: () => {} });
  await evaluateRun(asked, { when: 'after', checkpoint: 'looking', journal }, plainHost());
  return allowed;
}

describe('an evaluation in words', () => {
  it('restricts a policy to admissible commands exactly if its form says so', async () => {
    const kept = await allowedAt(true);
    expect(kept).toHaveLength(2 * 3);
    for (const allowed of kept) expect(allowed).toEqual(expect.arrayContaining([' look', ' inventory']));
    expect(await allowedAt(false)).toEqual(kept.map(() => null));
  });
});

const tasks = ['a', 'b'].map((id) => ({ id, type: null }));
const over = { won: true, steps: 3, seen_in_training: false, return: 1, fallbacks: 0 };

/** Of two attempts at each of two tasks. */
async function evaluated(play: TasksEvaluation['play'], lines: readonly object[] = []) {
  const added: object[] = [];
  const journal = { lines, add: (entry: object) => void added.push(entry) } as TasksEvaluation['journal'];
  const subject = {
    checkpoint: 'c',
    env: 'e',
    policy: 'p',
    sampling: { kind: 'search', beams: 1 },
    seed: 0,
  } as const;
  const { result } = await evaluateTasks({
    ...subject,
    tasks,
    attempts: 2,
    play,
    journal,
    host: plainHost(),
  });
  return { result, added };
}

describe('evaluateTasks', () => {
  it('counts attempts in the order of their tasks, and plays none of its journal, by earlier versions neither', async () => {
    // numbers of earlier versions: all first attempts before the second ones
    const scored = { return: 1, steps: 3, truncated: false, fallbacks: 0 };
    const earlier = { episode: 2, scored };
    const known = { game: { ...over, id: 'b', type: 'e', attempt: 1 } };
    const played: string[] = [];
    const { result, added } = await evaluated(
      async ({ isOver, over: count }) => {
        for (const name of ['b attempt 2', 'a attempt 2', 'b', 'a']) if (!isOver(name)) played.push(name);
        for (const [id, attempt] of [
          ['b', 2],
          ['a', 1],
        ] as const)
          count({ ...over, id, type: 'e', attempt });
      },
      [earlier, known],
    );
    expect(played).toEqual(['b attempt 2', 'a']);
    expect(added).toHaveLength(2);
    expect(result.games).toEqual(
      ['a', 'a', 'b', 'b'].map((id, place) => ({ ...over, id, type: 'e', attempt: (place % 2) + 1 })),
    );
  });

  it('leaves a lost attempt out of all counts, and ends without any other', async () => {
    const { result } = await evaluated(async ({ over: count, lost }) => {
      lost('a', 'gone');
      count({ ...over, id: 'b', type: null, attempt: 1 });
    });
    expect(result).toMatchObject({ games: [{ id: 'b' }], success: 1, lost: [{ id: 'a', fault: 'gone' }] });
    const none = evaluated(async ({ lost }) => lost('a', 'gone'));
    await expect(none).rejects.toMatchObject({ code: 'unavailable' });
  });
});
