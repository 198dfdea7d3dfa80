/** The shipped model, on frames that neither training nor pretraining draws. */
import { rlTiny } from '@emac/tiny-models';
import { heldOutSeed } from '@emac/rollout';
import { expect, it, onTestFinished } from 'vitest';
import { openGame } from './games.ts';
import { openPlayer } from './player.ts';
import { gameShares } from './samples.ts';

const form = { actionOnly: false, concludes: false };

it('answers in JSON and reads its frame', async () => {
  const player = openPlayer(rlTiny);
  onTestFinished(() => player.dispose());
  const games = [...gameShares.keys()].flatMap((id) =>
    Array.from({ length: 12 }, (_, episode) => {
      const game = openGame(id);
      game.environment.reset(heldOutSeed(episode));
      return game;
    }),
  );
  const questions = games.map((game) => ({ frame: game.environment.frame(), prompt: game.prompt(form) }));
  const answers = await player.answers(questions, { careful: false });
  expect(answers.filter(isAnswer).length / games.length).toBeGreaterThanOrEqual(0.95);
  const read = answers.filter(
    (answer, place) => readingOf(answer) === readingOf(games[place]!.answer(0, form)),
  );
  expect(read.length / games.length).toBeGreaterThanOrEqual(0.9);
});

function isAnswer(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { action?: unknown }).action === 'string';
  } catch {
    return false;
  }
}

/** The part of an answer that describes the frame. */
function readingOf(answer: string): string {
  return answer.split(/; |", "action"/)[0]!;
}
