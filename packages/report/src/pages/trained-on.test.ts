import { summarize, type EvaluatedGame, type EvaluationResult } from '@emac/rollout';
import { expect, it } from 'vitest';
import { wordsOf } from './words.ts';

/** One letter per game: `w` won in two steps, `l` lost in ten; capitals were trained on. */
function resultOf(marks: string): EvaluationResult {
  const games = [...marks].map((mark, number): EvaluatedGame => {
    const won = mark.toLowerCase() === 'w';
    return {
      id: `${number}`,
      type: 'look',
      won,
      steps: won ? 2 : 10,
      seen_in_training: mark !== mark.toLowerCase(),
    };
  });
  const ofGames = (isSeen: boolean) => summarize(games.filter((game) => game.seen_in_training === isSeen));
  return { v: 1, checkpoint: 'a', games, ...ofGames(false), seen: ofGames(true) };
}

function wordsAbout(...results: readonly (readonly [name: string, marks: string])[]): string[] {
  const evaluations = results.map(([name, marks]) => ({ name, result: resultOf(marks) }));
  return wordsOf({
    method: null,
    state: 'done',
    config: null,
    evaluations,
    answers: null,
    episodes: [],
  });
}

it('names the environment and the expert of a module, and the tasks that were played', () => {
  const config = `phase: bc
env: ./walk.mjs
seed: 0
play: { games: null, rounds: 2, gamesPerRound: 3 }
model: { path: emma-tiny }
expert: { kind: handcoded, module: null }
`;
  const ends = { round: 0, taskType: null, expertWon: false, steps: 8 };
  const episodes = ['5 to 7', '2 to 7'].map((taskId, episode) => ({ ...ends, episode, taskId, won: false }));
  const view = { method: 'bc', state: 'done', config };
  expect(wordsOf({ ...view, evaluations: [], answers: null, episodes })).toEqual([
    'Imitation (behaviour cloning) with emma-tiny in ./walk.mjs, 2 rounds over 3 tasks, seed 0. The expert is that of ./walk.mjs.',
    'In training it played 2 tasks once each and won 0.',
  ]);
  const again = [...episodes, { ...ends, episode: 2, taskId: '2 to 7', won: true }];
  expect(wordsOf({ ...view, evaluations: [], answers: null, episodes: again })[1]).toBe(
    'In training it played 3 episodes of 2 tasks and won 1 of these at least once.',
  );
});

it('reports the games that success was counted on', () => {
  const [none, all] = [
    '0 % (0 of 2, 95 % interval 0 % to 66 %), 10.0 steps',
    '100 % (2 of 2, 95 % interval 34 % to 100 %), 2.0',
  ];
  expect(wordsAbout(['before', 'll'], ['after', 'ww'])).toEqual([
    expect.stringMatching(/^Success on held-out games went from 0 % \(0 of 2, .* to 100 % \(2 of 2, /),
  ]);
  expect(wordsAbout(['before', 'LL'], ['after', 'WW'])).toEqual([
    `Success on games seen in training went from ${none} on average to ${all} steps on average.`,
  ]);
  expect(wordsAbout(['before', 'lL'], ['after', 'lW'])).toEqual([
    expect.stringMatching(/^Success on held-out games went from 0 % \(0 of 1, .* to 0 % \(0 of 1, /),
    expect.stringMatching(
      /^Success on games seen in training went from 0 % \(0 of 1, .* to 100 % \(1 of 1, /,
    ),
  ]);
  expect(wordsAbout(['result', 'W'])).toEqual([
    expect.stringMatching(/^Success on games seen in training: 100 % \(1 of 1, /),
  ]);
});
