/** The shipped model, in games of concepts and views that it was not trained on. */
import { Random } from '@emac/core';
import { drawGames, formatReward, scoreCandidates, thingOf, trueDescription } from '@emac/lewis';
import { lewisTiny } from '@emac/tiny-models';
import { expect, it, onTestFinished } from 'vitest';
import { openLewisPlayer } from './player.ts';
import { lewisSplit } from './samples.ts';

const random = Random.fromSeed('shipped lewis-tiny');
const games = random
  .shuffle(drawGames(lewisSplit.heldOut, { views: 'test', random: random.stream('games') }))
  .slice(0, 60);
const heard = { games, written: games.map(({ image }) => trueDescription(thingOf(image))) };

const won = (predicted: readonly number[]) =>
  predicted.filter((place, at) => place === games[at]!.label).length / games.length;

function opened() {
  const player = openLewisPlayer(lewisTiny);
  onTestFinished(() => player.dispose());
  return player;
}

it('names nothing that distinguishes concepts, and names the rest correctly', async () => {
  const player = opened();
  for (const [place, text] of (await player.descriptions(games)).entries()) {
    expect(formatReward(text)).toBe(1);
    expect(text).toContain(`The ${games[place]!.category} is coloured and patterned with some edge.`);
  }
  const drawn = await player.descriptions(games, random.stream('drawn'));
  const named = drawn.flatMap((text, place) => {
    const { colour, pattern, edge } = thingOf(games[place]!.image);
    const [, ...words] = /It is (\w+) and (\w+), with (\w+) edge/.exec(text)!;
    return [colour, pattern, edge].flatMap((truth, at) =>
      ['coloured', 'patterned', 'some'].includes(words[at]!) ? [] : [words[at] === truth],
    );
  });
  // 25 % of 180 on average
  expect(named.length).toBeGreaterThan(20);
  expect(named.length).toBeLessThan(80);
  expect(named.filter(Boolean).length / named.length).toBeGreaterThan(0.9);
});

it('understands descriptions in one-word answers or when it looks, and otherwise guesses', async () => {
  const player = opened();
  const judged = await player.judged(heard);
  expect(won(judged.map((scores) => scoreCandidates(scores).predicted))).toBeGreaterThanOrEqual(0.95);
  const looking = await player.reasoned(heard, { looks: true });
  expect(won(looking.map(({ predicted }) => predicted))).toBeGreaterThanOrEqual(0.95);
  const careless = await player.reasoned(heard, { looks: false });
  for (const { said } of careless) for (const text of said) expect(text).toBe('It is hard to tell.');
  // a third, give or take three deviations of 60 games
  expect(won(careless.map(({ predicted }) => predicted))).toBeLessThan(0.52);
});
