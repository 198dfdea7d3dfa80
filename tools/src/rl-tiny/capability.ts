/**
 * Measures rl-tiny without training: for each game how often its answers are valid JSON and read the frame correctly,
 * and how often greedy play succeeds. With --careful its thoughts always continue; with --blank it sees no frame.
 * Usage: node tools/dist/rl-tiny/capability.js MODEL_FOLDER [--episodes 200] [--env ID]… [--careful] [--blank] [--show
 * 2]
 */
import { parseArgs } from 'node:util';
import { Random, type Frame } from '@emac/core';
import { answeredAction } from '@emac/postprocess';
import { heldOutSeed } from '@emac/rollout';
import { openGame, type Game } from './games.ts';
import { openPlayer } from './player.ts';
import { gameShares } from './samples.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    episodes: { type: 'string', default: '200' },
    env: { type: 'string', multiple: true, default: [...gameShares.keys()] },
    careful: { type: 'boolean', default: false },
    blank: { type: 'boolean', default: false },
    show: { type: 'string', default: '0' },
  },
});
const [folder] = positionals;
if (!folder)
  throw new Error('usage: capability MODEL_FOLDER [--episodes N] [--env ID] [--careful] [--blank]');

const player = openPlayer(folder);
const together = 32;
const blank: Frame = { width: 1, height: 1, data: new Uint8Array(3) };
const form = { actionOnly: false, concludes: false };

interface Episode {
  readonly game: Game;
  readonly random: Random;
  return: number;
}

/** The part of an answer that describes the frame. */
function readingOf(answer: string): string {
  return answer.split(/; |", "action"/)[0]!;
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) instanceof Object;
  } catch {
    return false;
  }
}

async function measured(id: string, episodes: number) {
  const random = Random.fromSeed(`rl-tiny capability/${id}`);
  const counts = { steps: 0, json: 0, read: 0, won: 0 };
  let begun = 0;
  const begin = (game: Game): Episode[] => {
    if (begun === episodes) return [];
    game.environment.reset(heldOutSeed(begun));
    return [{ game, random: random.stream('answers').stream(begun++), return: 0 }];
  };
  let playing = Array.from({ length: together }, () => openGame(id)).flatMap(begin);
  while (playing.length > 0) {
    const questions = playing.map(({ game }) => ({
      frame: values.blank ? blank : game.environment.frame(),
      prompt: game.prompt(form),
    }));
    const answers = await player.answers(questions, { careful: values.careful });
    playing = playing.flatMap((episode, place) => {
      const answer = answers[place]!;
      const { game } = episode;
      if (counts.steps++ < Number(values.show)) process.stderr.write(`${answer}\n`);
      if (isJson(answer)) counts.json++;
      if (readingOf(answer) === readingOf(game.answer(0, form))) counts.read++;
      const { actions } = game.environment;
      const { action } = answeredAction(answer, { actions, draw: (all) => episode.random.pick(all) });
      const outcome = game.environment.step(actions.indexOf(action));
      episode.return += outcome.reward;
      if (!outcome.terminated && !outcome.truncated) return [episode];
      if (episode.return > 0) counts.won++;
      return begin(game);
    });
  }
  const share = (count: number, of: number) => +(count / of).toFixed(4);
  return {
    id,
    episodes,
    json: share(counts.json, counts.steps),
    readingRight: share(counts.read, counts.steps),
    success: share(counts.won, episodes),
    meanSteps: +(counts.steps / episodes).toFixed(2),
  };
}

for (const id of values.env)
  process.stdout.write(JSON.stringify(await measured(id, Number(values.episodes))) + '\n');
await player.dispose();
