/** Questions and rewards of both roles, with scripted partners. */
import { agreement, thingOf, trueDescription, type Listener, type Speaker } from '@emac/lewis';
import { grpoConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { listenerRounds, openLewisGames, speakerRounds } from './lewis-rounds.ts';

const config = grpoConfig({ role: 'speaker', seed: 5, rewards: { verdict: 'weighted' } });
const all = await openLewisGames(config, 0);
const games = { ...all, training: all.training.slice(0, 3) };

it("a speaker is rewarded for the listener's choice, its form and its length, all answers in one request", async () => {
  const calls: number[] = [];
  const ask: Listener['ask'] = async (questions) => {
    calls.push(questions.length);
    const answers = questions.map(({ picture, question }) => agreement(question, thingOf(picture)));
    return { answers, identity: 'scripted' };
  };
  const { training } = speakerRounds(games, config, { ask });
  expect(training.map(({ solution }) => solution)).toEqual(games.training.map(({ label }) => `${label}`));
  const right = await Promise.all(training.map((round) => round.worth(round.right!)));
  // three games of three candidates
  expect(calls).toEqual([9]);
  for (const { rewards, won } of right) {
    expect([rewards, won]).toEqual([{ accuracy: 1, format: 1, length: 0.1 }, true]);
  }
  expect((await training[0]!.worth('Nothing.')).rewards).toMatchObject({ format: 0, length: 0 });
});

it('a listener sees the right picture and another one of every game, described once, and is rewarded for its verdict', async () => {
  const asked: string[] = [];
  const ask: Speaker['ask'] = async (questions) => {
    const pictures = questions.map(({ picture }) => picture);
    asked.push(...pictures);
    return { answers: pictures.map((name) => trueDescription(thingOf(name))), identity: 'scripted' };
  };
  const { training } = listenerRounds(games, config, { ask });
  const questions = await Promise.all(training.map((round) => round.question()));
  expect(asked).toEqual(games.training.map(({ image }) => image));
  expect(questions[0]).toContain('Output format:');
  expect(training.map(({ solution }) => solution)).toEqual(['yes', 'no', 'yes', 'no', 'yes', 'no']);
  const [yes, no] = training;
  const worth = async (round: typeof yes, answer: string) => (await round!.worth(answer)).rewards;
  // a wrong yes costs 1, a wrong no 0.3
  expect(await worth(yes, yes!.right!)).toEqual({ weighted: 1, format: 1 });
  expect(await worth(no, yes!.right!)).toEqual({ weighted: -1, format: 1 });
  expect(await worth(yes, no!.right!)).toEqual({ weighted: -0.3, format: 1 });
  expect(await worth(yes, 'yes')).toEqual({ weighted: 0, format: 0 });
});
