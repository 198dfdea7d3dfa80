import { expect, it } from 'vitest';
import { chooseEpisodes } from './choose-episodes.ts';

const head = (episode: number, taskType: string, won: boolean) => {
  return { episode, round: 0, taskId: `${taskType}-${episode}`, taskType, won, expertWon: false, steps: 1 };
};

it('takes the first that was lost and the first that was won of every type before a second', () => {
  const episodes = [
    head(0, 'heat', true),
    head(1, 'heat', true),
    head(2, 'heat', false),
    head(3, 'cool', true),
    head(4, 'cool', true),
  ];
  const numbers = (count: number) => chooseEpisodes(episodes, count).map(({ episode }) => episode);
  expect(numbers(1)).toEqual([2]);
  expect(numbers(3)).toEqual([0, 2, 3]);
  expect(numbers(4)).toEqual([0, 1, 2, 3]);
  expect(numbers(40)).toEqual([0, 1, 2, 3, 4]);
});
