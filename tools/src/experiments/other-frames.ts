/**
 * How much a policy owes to its frames: it plays with blank ones, or with those of another game.
 * Usage: node tools/dist/experiments/other-frames.js RUN GAMES blank|other [--out FILE.json]
 */
import { parseArgs } from 'node:util';
import type { Environment, Episode, Frame, Observation, Step } from '@emac/core';
import { openAgent } from '@emac/experiment';
import { writeFileAtomic } from '@emac/files';
import { listGames } from '@emac/opening';
import { evaluatedGame, summarize } from '@emac/rollout';
import { World, renderFrame, type Game } from '@emac/world';

/** The environment with its frames replaced by those of `frameAt`. */
function withFrames(environment: Environment, frameAt: (task: number, step: number) => Frame): Environment {
  return {
    tasks: environment.tasks,
    async begin(task, seed) {
      const episode = await environment.begin(task, seed);
      const number = environment.tasks.findIndex(({ id }) => id === task.id);
      let step = 0;
      const shown = (observation: Observation): Observation => {
        return { ...observation, frames: [frameAt(number, step)] };
      };
      const changed = (result: Step): Step => ({ ...result, observation: shown(result.observation) });
      const first = shown(episode.first);
      const wrapped: Episode = {
        ...episode,
        first,
        step: async (action) => {
          step++;
          return changed(await episode.step(action));
        },
      };
      return wrapped;
    },
  };
}

/** The frames of a walk through all places of a game, from door to door. */
function walk(game: Game): Frame[] {
  const world = new World(game);
  const places = world.reset().admissible.filter((command) => command.startsWith('go to '));
  return places.map((command) => {
    world.step(command);
    return renderFrame(world.visible());
  });
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' } },
  });
  const [run, source, kind] = positionals;
  if (!run || !source || (kind !== 'blank' && kind !== 'other'))
    throw new Error('usage: other-frames RUN GAMES blank|other [--out FILE.json]');
  const games = listGames(source).games.map(({ load }) => load());
  const agent = await openAgent(run);
  const blank: Frame = { width: 1, height: 1, data: new Uint8Array(3) };
  const walks = games.map(() => null as Frame[] | null);
  const frameAt = (task: number, step: number): Frame => {
    if (kind === 'blank') return blank;
    const other = (task + Math.floor(games.length / 2)) % games.length;
    const frames = (walks[other] ??= walk(games[other]!));
    return frames[step % frames.length]!;
  };
  const trajectories = await agent.play(withFrames(agent.environment(games), frameAt));
  const counted = { trainedOn: new Set(agent.trainedOn) };
  const played = trajectories.map((trajectory) => evaluatedGame(trajectory, counted));
  const result = { run, source, frames: kind, ...summarize(played) };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (values.out !== undefined)
    writeFileAtomic(values.out, `${JSON.stringify({ ...result, games: played }, null, 2)}\n`);
  await agent.dispose();
}

await main();
