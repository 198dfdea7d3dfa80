import { createPreferenceBuffer } from '@emac/buffers';
import { Random } from '@emac/core';
import { expect, it } from 'vitest';
import { bagOfWordsStudent, blank } from './bag-of-words.test.fixture.ts';
import { preferenceLearner } from './preference.ts';
import { presetSettings } from './presets.ts';
import type { LabelledStep } from './select-steps.ts';
import { texts } from './small-world.test.fixture.ts';

const settings = { ...presetSettings('tiny', 'dpo'), selection: { keep: 'all' }, agreed: 'drop' } as const;
const steps: LabelledStep[] = [
  ['want-a', 'go a', 'take b'],
  ['want-b at-b', 'take b', 'go c'],
  ['want-c', 'go c', 'look around twice'],
].map(([text, label, own], index) => ({
  ...{ gameId: 'g', round: 0, episode: 0, index, features: blank, text: text!, label: label!, own: own! },
  ...{ command: own!, observation: '' },
}));

it('a reference that judges in every update again gives the very numbers of one that judged once', async () => {
  const learning = async (judgeOnce: boolean) => {
    const student = bagOfWordsStudent(Random.fromSeed(4));
    const reference = bagOfWordsStudent(Random.fromSeed(5));
    const buffer = createPreferenceBuffer();
    const learner = preferenceLearner({ student, reference, buffer, texts, settings, judgeOnce });
    await learner.store(steps, Random.fromSeed(0));
    const draw = { batchSize: 4, accumulate: 2, random: Random.fromSeed(1) };
    const found = [await learner.gradient(draw), await learner.gradient(draw)];
    return { found, judged: reference.calls.reduce((sum, { rows }) => sum + rows, 0) };
  };
  const [once, again] = [await learning(true), await learning(false)];
  expect(again.found).toEqual(once.found);
  // both answers of three pairs
  expect(once.judged).toBe(6);
  // eight draws of three pairs: all of them in either update
  expect(again.judged).toBe(18);
});

it('the gradient of a scaled loss, divided again, is that of the loss', async () => {
  const student = bagOfWordsStudent(Random.fromSeed(4));
  const reference = bagOfWordsStudent(Random.fromSeed(5));
  const buffer = createPreferenceBuffer();
  const learner = preferenceLearner({ student, reference, buffer, texts, settings });
  await learner.store(steps, Random.fromSeed(0));
  const at = (lossScale: number) =>
    learner.gradient({ batchSize: 4, accumulate: 1, random: Random.fromSeed(1), lossScale });
  expect(await at(4096)).toEqual(await at(1));
});
