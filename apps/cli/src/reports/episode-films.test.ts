/** Films of episodes, compared with the same episodes played here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random, type Answer, type Frame } from '@emac/core';
import { encodeFilm } from '@emac/images';
import { openEnvironment } from '@emac/opening';
import { heldOutSeed, scoreEpisodes, type StepTexts } from '@emac/rollout';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { filmingWatcher } from './episode-films.ts';

const folder = temporaryFolder();
const opened = () => openEnvironment('gym_cards/NumberLine-v0', { palette: null, maxSteps: 2 });

/** Moves up: from an answer in JSON, or at random from an invalid answer. */
const answer: Answer = {
  text: '{"thoughts": "up\\nagain", "action": "+"}',
  tokens: [1],
  logProbabilities: [0],
};
const texts: StepTexts = {
  frames: false,
  offered: [1],
  prompt: () => [],
  read: () => ({ action: 1, actionStart: 0 }),
};

async function filmed(out: string, which: 'all' | 'won', read = texts.read) {
  const episodes = await scoreEpisodes({
    policy: { decide: (questions) => Promise.resolve(questions.map(() => answer)) },
    environments: [opened(), opened()],
    texts: { ...texts, read },
    sampling: { kind: 'search', beams: 1 },
    numbers: [...Array(6).keys()],
    random: Random.fromSeed('films'),
    watch: filmingWatcher(out, which),
  });
  return { episodes, names: readdirSync(join(out, 'gifs')).sort() };
}

/** The left frame's rows, each followed by the right one's. */
function beside(left: Frame, right: Frame): Frame {
  const { width, height } = left;
  const rowOf = ({ data }: Frame, row: number) => data.subarray(row * width * 3, (row + 1) * width * 3);
  const rows = Array.from({ length: height }, (_, row) => [rowOf(left, row), rowOf(right, row)]);
  return { width: 2 * width, height, data: new Uint8Array(Buffer.concat(rows.flat())) };
}

/** The film of an episode with `+` as every action; `drawn` is the text after the action's name. */
function filmOf(seed: Parameters<ReturnType<typeof opened>['reset']>[0], drawn: string): Uint8Array {
  const environment = opened();
  environment.reset(seed);
  const scenes = [];
  let [before, sum] = [environment.frame(), 0];
  for (let step = 1, isOver = false; !isOver; step++) {
    const { reward, terminated, truncated } = environment.step(1);
    const after = environment.frame();
    sum += reward;
    const caption = `${step}. +${drawn}: reward ${reward}, return ${sum}. up again`;
    isOver = terminated || truncated;
    const end = isOver ? (sum > 0 ? 'Won. ' : 'Not won. ') : '';
    scenes.push({ frame: beside(before, after), caption: end + caption });
    before = after;
  }
  return encodeFilm(scenes, { scale: 1 });
}

it('show of each step both frames, the action, what it brought and the thoughts', async () => {
  const out = join(folder, 'all');
  const { episodes, names } = await filmed(out, 'all');
  expect(names).toEqual(episodes.map((_, number) => `00000${number}.gif`));
  // some are won, some cut off after two steps
  expect(new Set(episodes.map((episode) => episode.return > 0)).size).toBe(2);
  for (const [number, name] of names.entries())
    expect(readFileSync(join(out, 'gifs', name)).equals(filmOf(heldOutSeed(number), ''))).toBe(true);
});

it('mark random actions, and exist for the requested episodes only', async () => {
  const out = join(folder, 'won');
  const { episodes, names } = await filmed(out, 'won', () => ({ action: null, actionStart: 0 }));
  const won = [...episodes.keys()].filter((number) => episodes[number]!.return > 0);
  expect(names).toEqual(won.map((number) => `00000${number}.gif`));
  for (const number of won) {
    const film = filmOf(heldOutSeed(number), ' (at random)');
    expect(readFileSync(join(out, 'gifs', `00000${number}.gif`)).equals(film)).toBe(true);
  }
});
