/** Play of three small games that becomes samples. */
import { Random, type Episode } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent } from './bag-of-words.test.fixture.ts';
import { collectEpisode, type Collecting } from './dataset-collection.ts';
import { presetSettings } from './presets.ts';
import type { TrainingSettings } from './settings.ts';
import { fetchExpert, smallWorld, texts } from './small-world.test.fixture.ts';

const student = { ...bagOfWordsStudent(Random.fromSeed(1)), act: () => Promise.resolve('go b') };

function collecting(settings: Partial<TrainingSettings>, phase: Collecting['phase'] = 'bc'): Collecting {
  return {
    ...{ phase, student, texts, expert: fetchExpert(), random: Random.fromSeed('collect') },
    settings: { ...presetSettings('published-code', phase), maxSteps: 3, ...settings },
  };
}

const game = async (id: string, change: (episode: Episode) => Episode = (episode) => episode) =>
  change((await smallWorld([id]).pass().next())!);

describe('collectEpisode', () => {
  it('has a sample for every state, in which the expert acts where that is asked for', async () => {
    const episode = await game('fetch/a');
    const { won, steps, samples } = await collectEpisode(collecting({ actWith: 'expert' }), episode, 0);
    expect([won, steps]).toEqual([true, 2]);
    expect(samples.map(({ text, output, worse }) => [text, output, worse])).toEqual([
      ['want-a', 'go a', null],
      ['want-a at-a', 'take a', null],
    ]);
  });

  it('keeps the picture that was seen before each step', async () => {
    const picture = (value: number) => ({ width: 1, height: 1, data: Uint8Array.of(value, 0, 0) });
    let made = 0;
    const episode = await game('fetch/a', (each) => ({
      ...each,
      frame: picture(made),
      step: async (command) => ({ ...(await each.step(command)), frame: picture(++made) }),
    }));
    const { samples } = await collectEpisode(collecting({ actWith: 'expert' }), episode, 0);
    expect(samples.map(({ frame }) => frame.data[0])).toEqual([0, 1]);
  });

  it('has pairs for preferences, only where the student would say something else', async () => {
    const episode = await game('fetch/b');
    const { won, samples } = await collectEpisode(collecting({ actWith: 'expert' }, 'dpo'), episode, 0);
    expect(won).toBe(true);
    expect(samples.map(({ output, worse }) => [output, worse])).toEqual([['take b', 'go b']]);
  });

  it('lets the expert act with its probability', async () => {
    const outcome = async (expertProbability: number) => {
      const settings = { actWith: 'mixture', expertProbability, expertDecay: 1 } as const;
      return (await collectEpisode(collecting(settings), await game('fetch/a'), 0)).won;
    };
    expect([await outcome(1), await outcome(0)]).toEqual([true, false]);
    // one step of an episode is drawn apart from the others
    const settings = { actWith: 'mixture', expertProbability: 0.5, expertDecay: 1, maxSteps: 400 } as const;
    const kept = collecting({ ...settings, stopRepeating: false });
    const own = {
      ...kept,
      expert: { label: () => Promise.resolve({ kind: 'action', command: 'look' } as const) },
    };
    const record = { given: [] as string[] };
    const episode = await game('fetch/a', (each) => ({
      ...each,
      step: (command) => {
        record.given.push(command);
        return each.step(command);
      },
    }));
    await collectEpisode(own, episode, 0);
    const share = record.given.filter((command) => command === 'look').length / 400;
    // five standard deviations of 400 fair draws
    expect(Math.abs(share - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / 400));
  });
});
