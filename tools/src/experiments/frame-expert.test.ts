import { World, builtinGames, parseGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { frameCommand } from './frame-expert.ts';

const suite = builtinGames('valid_seen');

/** Commands of a whole game, with each observation changed by `told`. */
function played(index: number, told: (observation: string) => string): { commands: string[]; won: boolean } {
  const { id, file } = suite.game(index);
  const world = new World(parseGame(file, { id }));
  const first = world.reset();
  const turns: { command: string; observation: string }[] = [];
  let { admissible } = first;
  while (turns.length < 50) {
    const command =
      frameCommand({ initial: first.observation, turns }, world.visible(), admissible) ?? 'look';
    const state = world.step(command);
    turns.push({ command, observation: told(state.observation) });
    ({ admissible } = state);
    if (state.won) return { commands: turns.map((turn) => turn.command), won: true };
  }
  return { commands: turns.map((turn) => turn.command), won: false };
}

describe('frameCommand', () => {
  it('wins most games by the present frame, and reads no contents in the texts', () => {
    const games = Array.from({ length: 18 }, (_, index) => index);
    const whole = games.map((index) => played(index, (observation) => observation));
    expect(whole.filter(({ won }) => won).length).toBeGreaterThanOrEqual(15);
    const without = games.map((index) =>
      played(index, (observation) => observation.replace(/you see .*/, 'you see nothing.')),
    );
    expect(without).toEqual(whole);
  });
});
