import { EmacError, Random, type Expert } from '@emac/core';
import { expect, it } from 'vitest';
import { bagOfWordsStudent } from './bag-of-words.test.fixture.ts';
import { playEpisode } from './play-episode.ts';
import { presetSettings } from './presets.ts';
import { smallWorld, texts } from './small-world.test.fixture.ts';
import type { Running } from './training-run.ts';
import { initialState } from './training-state.ts';

it('lets the student finish what it is saying before an expert’s fault ends the episode', async () => {
  let isSaying = false;
  const student = {
    ...bagOfWordsStudent(Random.fromSeed(0)),
    act: async () => {
      isSaying = true;
      await new Promise((resolve) => setTimeout(resolve, 20));
      isSaying = false;
      return 'go a';
    },
  };
  const expert: Expert = { label: () => Promise.reject(new EmacError('interrupted', 'budget')) };
  const state = initialState('bc', '');
  state.current = { steps: [], updatesLeft: null };
  const settings = presetSettings('tiny', 'bc');
  const run = { state, settings, student, expert, texts } as unknown as Running;
  const playing = playEpisode(run, (await smallWorld(['fetch/a']).pass().next())!, 0);
  await expect(playing).rejects.toMatchObject({ code: 'interrupted' });
  expect([isSaying, state.current.steps]).toEqual([false, []]);
});
