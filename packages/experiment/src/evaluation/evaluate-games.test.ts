/** The answers allowed to a policy in an evaluation. */
import { Random, type Policy } from '@emac/core';
import { builtinGameAt, gamesKind, kindPlay, plainHost, policyTexts, type PolicyForm } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { evaluateGames } from './evaluate-games.ts';

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
  await evaluateGames({
    policy,
    texts: policyTexts(policy, form.text),
    form,
    environment: (await play.open(form)).environment,
    trainedOn: [],
    checkpoint: 'looking',
    subject: { env: 'alfworld', policy: 'looking', seed: 0 },
    parallel: 2,
    random: Random.fromSeed(0),
    host: plainHost(),
    journal: null,
  });
  return allowed;
}

describe('evaluated games', () => {
  it('restrict a policy to admissible commands exactly if its form says so', async () => {
    const kept = await allowedAt(true);
    expect(kept).toHaveLength(2 * 3);
    for (const allowed of kept) expect(allowed).toEqual(expect.arrayContaining([' look', ' inventory']));
    expect(await allowedAt(false)).toEqual(kept.map(() => null));
  });
});
