import { createPreferenceBuffer } from '@emac/buffers';
import { promptOf, Random, type TrajectoryStep } from '@emac/core';
import { bagOfWords, blank, commands, fetchTexts } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { preferenceLearner, type PreferenceParts } from './preference-learner.ts';
import { ipo, numbers } from '@emac/losses';
import { pooled, preference } from './preference.ts';
import { smallSettings, type Changes } from '../small-runs.test.support.ts';

type Told = readonly [text: string, label: string | null, own: string];

const differing: readonly Told[] = [
  ['want-a', 'go a', 'take b'],
  ['want-b at-b', 'take b', 'go c'],
  ['want-c', 'go c', 'look around twice'],
];

/** A trajectory of these steps; the policy acts on its own answers. */
function trajectoryOf(told: readonly Told[]) {
  const seen = { text: '', frames: [], admissible: commands };
  const result = { observation: seen, reward: 0, terminated: false, truncated: false, info: { won: false } };
  const steps = told.map(([text, label, own]): TrajectoryStep => ({
    observation: seen,
    prompt: promptOf([blank], text),
    answer: null,
    own,
    label: label === null ? { kind: 'unusable', reason: 'none' } : { kind: 'action', command: label },
    action: own,
    actor: 'policy',
    result,
  }));
  const task = { id: 'g', type: null };
  return { task, first: seen, steps, end: 'truncated', won: false } as const;
}

/** A learner with the pairs of one trajectory. */
async function learning(
  told: readonly Told[],
  changes: Changes = {},
  parts: Partial<PreferenceParts> = {},
  random = Random.fromSeed(0),
) {
  const samples = { selection: { keep: 'all' }, ...changes.samples } as const;
  const settings = smallSettings('dpo', { ...changes, samples });
  const policy = bagOfWords(Random.fromSeed(4));
  const reference = bagOfWords(Random.fromSeed(5));
  const buffer = createPreferenceBuffer({ equalPairs: samples.agreed === 'keep' ? 'keep' : 'drop' });
  const method = preference(policy, settings.preference);
  const learner = preferenceLearner({ method, reference, buffer, texts: fetchTexts, settings, ...parts });
  const stored = await learner.store(trajectoryOf(told), { round: 1, episode: 2 }, random);
  const pairs = Array.from({ length: buffer.length }, (_, index) => buffer.at(index));
  return { learner, policy, reference, buffer, stored, pairs };
}

const wordsOf = (pairs: Awaited<ReturnType<typeof learning>>['pairs']) =>
  pairs.map(({ step, chosen, rejected }) => [step, chosen, rejected]);

describe('preferenceLearner', () => {
  it("always rejects the policy's own command", async () => {
    for (let seed = 0; seed < 5; seed++) {
      const { pairs, stored } = await learning(differing, {}, {}, Random.fromSeed(seed));
      expect(wordsOf(pairs)).toEqual([
        [0, ' go a', ' take b'],
        [1, ' take b', ' go c'],
        [2, ' go c', ' look around twice'],
      ]);
      expect(stored).toBe(3);
      expect(pairs[0]).toMatchObject({ taskId: 'g', round: 1, episode: 2 });
    }
  });

  const agreeing: readonly Told[] = [differing[0]!, ['want-b', 'go b', 'go b'], ['want-c', 'go c', '']];

  it('has no pair, an equal one, or a random one if policy and expert agree', async () => {
    const stored = async (agreed: 'drop' | 'keep' | 'random', seed = 0) =>
      wordsOf((await learning(agreeing, { samples: { agreed } }, {}, Random.fromSeed(seed))).pairs);
    const first = [0, ' go a', ' take b'];
    expect(await stored('drop')).toEqual([first]);
    expect(await stored('keep')).toEqual([first, [1, ' go b', ' go b'], [2, ' go c', ' go c']]);
    const drawn = new Set<unknown>();
    for (let seed = 0; seed < 20; seed++) {
      const [kept, second, third] = await stored('random', seed);
      expect(kept).toEqual(first);
      expect(commands.map((command) => ` ${command}`)).toContain(second![2]);
      expect([second![1], second![2] === ' go b', third![2] === ' go c']).toEqual([' go b', false, false]);
      drawn.add(second![2]);
    }
    const { pairs } = await learning(agreeing, { samples: { agreed: 'random' } });
    expect(pairs.map(({ isRandom }) => isRandom)).toEqual([undefined, true, true]);
    // all six others in twenty draws: each is missed with probability (5/6)²⁰ < 3 %, seeds are fixed
    expect(drawn.size).toBeGreaterThan(3);
  });

  it('reports the share of pairs with a random rejected command, if possible', async () => {
    const draw = { batchSize: 3, accumulate: 1, random: Random.fromSeed(1), replacement: false };
    const measured = async (agreed: 'drop' | 'random') =>
      (await (await learning(agreeing, { samples: { agreed } })).learner.gradient(draw, 1)).measures;
    expect((await measured('random'))['random_rejected']).toBeCloseTo(2 / 3, 12);
    expect(await measured('drop')).not.toHaveProperty('random_rejected');
  });

  it('has no pair for a state with an unusable label, unless equal pairs are kept', async () => {
    const unlabelled: readonly Told[] = [['want-a', null, 'take b']];
    expect((await learning(unlabelled)).pairs).toEqual([]);
    const published = { agreed: 'keep', trainOnUnusable: true } as const;
    const { pairs } = await learning(unlabelled, { samples: published });
    expect(wordsOf(pairs)).toEqual([[0, ' take b', ' take b']]);
  });

  it('stores the judging policy of a pair', async () => {
    const { pairs, reference } = await learning(differing, {}, { referenceHash: 'abc' });
    for (const { prompt, chosen, rejected, reference: judged } of pairs) {
      const [scores] = await reference.score([{ prompt, answers: [chosen, rejected] }]);
      // all of an answer's log-probability is in its first token
      const means = scores!.map((each) => Math.fround(each[0]! / each.length));
      expect(judged).toEqual({ chosen: means[0], rejected: means[1], hash: 'abc' });
    }
  });

  it('with a reference that judges in every update again has the very numbers of one that judged once', async () => {
    const found = async (judgeOnce: boolean) => {
      const { learner, reference } = await learning(differing, {}, { judgeOnce });
      const draw = { batchSize: 4, accumulate: 2, random: Random.fromSeed(1), replacement: true };
      const updates = [await learner.gradient(draw, 1), await learner.gradient(draw, 1)];
      return { updates, judged: reference.calls.reduce((sum, { rows }) => sum + rows, 0) };
    };
    const [once, again] = [await found(true), await found(false)];
    expect(again.updates).toEqual(once.updates);
    // both answers of three pairs
    expect(once.judged).toBe(6);
    // eight draws of three pairs: all of them in either update
    expect(again.judged).toBe(18);
  });

  it('has of a scaled loss, divided again, the gradient of the loss', async () => {
    const { learner } = await learning(differing);
    const at = (lossScale: number) =>
      learner.gradient(
        { batchSize: 4, accumulate: 1, random: Random.fromSeed(1), replacement: true },
        lossScale,
      );
    expect(await at(4096)).toEqual(await at(1));
  });
});

it("an answer's log-probability is the mean over its own tokens, so that IPO's margin is reached", () => {
  // two scored tokens whose log ratios are 0.5 each, and equal rejected answers: h = 0.5 = 1/(2β) at β = 1, and the loss is 0.
  // Divided by three tokens, h would be 1/3 and the loss (1/3 − 1/2)² = 0.0278
  const of = (...scores: number[]) => pooled(Float32Array.from(scores), {});
  const pair = {
    policyChosen: of(-1, -1),
    policyRejected: of(-2, -3),
    referenceChosen: of(-1.5, -1.5),
    referenceRejected: of(-2, -3),
  };
  expect(ipo(numbers, pair, { beta: 1 })).toBe(0);
});
