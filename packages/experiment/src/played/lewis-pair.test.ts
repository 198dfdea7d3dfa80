/** The Lewis game in a session, with a speaker that sees right and a listener that compares words. */
import { agreement, thingOf, trueDescription, type Listener, type Speaker } from '@emac/lewis';
import { openLewisGames } from '@emac/opening';
import type { GameOrder, GameView } from '@emac/pages/data';
import { grpoConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { lewisPair, lewisWeighing } from './lewis-pair.ts';
import { apart, sideBySide } from './picture-row.ts';
import { openSession } from './session.ts';
import { shownFrames } from './shown-frames.ts';

/** A changed picture shows nothing. */
const isChanged = (picture: string) => picture.endsWith(', changed');
const speaker: Speaker = {
  identity: async () => 'true',
  ask: async (questions) => ({
    answers: questions.map(({ picture }) => trueDescription(thingOf(picture))),
    identity: 'true',
  }),
};
const listener: Listener = {
  identity: async () => 'agreement',
  ask: async (questions) => ({
    answers: questions.map(({ picture, question }) =>
      isChanged(picture) ? 0.01 : Math.max(0.01, agreement(question, thingOf(picture))),
    ),
    identity: 'agreement',
  }),
};

async function opened(isHeard: boolean) {
  const games = await openLewisGames(grpoConfig({ role: 'speaker' }), 20);
  const pair = { games, speaker, listener, shown: shownFrames(games.world.pictures), isHeard };
  const never = () => Promise.reject(new Error('is weighed alone'));
  const weighing = { weigh: lewisWeighing(pair), target: null };
  const place = await openSession({
    kind: lewisPair(pair),
    policy: { name: 'pair', player: { act: never, weighing } },
  });
  const ask = async (order: GameOrder): Promise<GameView> => {
    const answer = await place(order);
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.view;
  };
  return { ask, game: games.heldOut[0]! };
}

it('the policies play both sides: a message, then a choice with probabilities', async () => {
  const { ask, game } = await opened(false);
  const first = await ask({ kind: 'show' });
  expect(first.now.text).toContain(`${game.concept} (${game.category})`);
  expect(first.now.choice).toBeTruthy();
  const heard = await ask({ kind: 'let', by: 'policy' });
  expect(heard.now.text).toContain(`The speaker said: ${first.now.choice}\n`);
  expect(heard.now.commands.map(({ command }) => command)).toEqual(['A', 'B', 'C']);
  expect(heard.now.commands.reduce((sum, { now }) => sum + now!, 0)).toBeCloseTo(1, 9);
  expect(heard.now.choice).toBe('ABC'[game.label]);
  const over = await ask({ kind: 'let', by: 'policy' });
  expect(over).toMatchObject({ end: 'won', score: 1 });
  expect(over.now.text).toContain(`${'ABC'[game.label]} is right`);
});

it('a person speaks: a description of another thing misleads the listener', async () => {
  const { ask, game } = await opened(false);
  const wrong = (game.label + 1) % 3;
  const view = await ask({ kind: 'act', command: trueDescription(thingOf(game.candidates[wrong]!)) });
  expect(view.now.choice).toBe('ABC'[wrong]);
  expect(await ask({ kind: 'let', by: 'policy' })).toMatchObject({ end: 'lost', score: 0 });
});

it('a person listens: the speaker has spoken, its picture and the thing come at the end alone', async () => {
  const { ask, game } = await opened(true);
  const { now, maxSteps } = await ask({ kind: 'show' });
  expect(maxSteps).toBe(1);
  expect(now.text).toMatch(/^The speaker said: .+\nWhich picture/);
  expect(now.text).not.toContain(`${game.concept} (`);
  const over = await ask({ kind: 'act', command: 'ABC'[game.label]! });
  expect(over.end).toBe('won');
  expect(over.now.text).toContain(`${game.concept} (${game.category})`);
  expect(over.now.picture).not.toBe(now.picture);
});

it('covered parts of a candidate change what the listener makes of that candidate alone', async () => {
  const { ask, game } = await opened(true);
  const { covered } = await ask({ kind: 'cover' });
  const { columns, changes, choice } = covered!;
  expect(choice).toBe('ABC'[game.label]);
  // a part of the chosen candidate speaks for it; the others' parts leave its probability of "yes"
  const chosen = changes.filter((_, place) => Math.floor((3 * (place % columns)) / columns) === game.label);
  expect(Math.min(...chosen)).toBeLessThan(0);
});

it('pictures in a row are taken apart to the same bytes', () => {
  const frame = (width: number, height: number, first: number) => ({
    width,
    height,
    data: Uint8Array.from({ length: 3 * width * height }, (_, at) => (first + at) % 251),
  });
  const pictures = [frame(2, 3, 1), frame(4, 1, 100), frame(1, 5, 200)];
  const row = sideBySide(pictures);
  expect([row.width, row.height]).toEqual([2 + 8 + 4 + 8 + 1, 5]);
  expect(apart(row, pictures)).toEqual(pictures);
});
