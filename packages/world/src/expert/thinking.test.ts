import type { Expert, Turn } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { parseGame } from '../game/game.ts';
import { builtinGame } from '../generate/builtin-suite.ts';
import { World } from '../world.ts';
import { handcodedExpert } from './handcoded.ts';
import { plannerExpert } from './planner.ts';
import { thinkingExpert, thoughtOn } from './thinking.ts';

const games = Array.from({ length: 12 }, (_, index) => {
  const { id, file } = builtinGame('valid_seen', index);
  return parseGame(file, { id });
});

/** The expert's actions in a game; thoughts are answered by `OK.` */
async function played(game: (typeof games)[number], expert: Expert) {
  const world = new World(game);
  const initial = world.reset().observation;
  const turns: Turn[] = [];
  while (!world.won && turns.length < 100) {
    const history = { initial, turns: [...turns] };
    const label = await expert.label({
      task: { id: game.id, type: null },
      memories: [],
      history,
      admissible: null,
    });
    if (label.kind === 'unusable') break;
    const { command } = label;
    const observation = command.startsWith('think: ') ? 'OK.' : world.step(command).observation;
    turns.push({ command, observation });
  }
  const isThought = ({ command }: Turn): boolean => command.startsWith('think: ');
  const commands = turns.filter((turn) => !isThought(turn)).map(({ command }) => command);
  return { won: world.won, turns, commands, thoughts: turns.filter(isThought).map(({ command }) => command) };
}

describe('thinkingExpert', () => {
  it.each(games.map((game) => [game.id, game] as const))(
    'in %s acts as it would without thoughts, and thinks at the start and whenever it holds a new object',
    async (_, game) => {
      const silent = await played(game, handcodedExpert());
      const thinking = await played(game, thinkingExpert(handcodedExpert()));
      expect(thinking.won).toBe(silent.won);
      expect(thinking.commands).toEqual(silent.commands);
      expect(thinking.turns[0]!.command).toMatch(/^think: I have to find /);
      for (const [index, { command }] of thinking.turns.entries())
        if (command.startsWith('take ')) expect(thinking.turns[index + 1]!.command).toMatch(/^think: /);
      expect(new Set(thinking.thoughts).size).toBe(thinking.thoughts.length);
      expect(thinking.thoughts.length).toBeLessThanOrEqual(8);
    },
  );

  it('works around the planner as well', async () => {
    const planner = plannerExpert(() => games[0]!);
    const thinking = await played(games[0]!, thinkingExpert(planner));
    expect([thinking.won, thinking.commands]).toEqual([true, (await played(games[0]!, planner)).commands]);
  });
});

describe('thoughtOn', () => {
  const initial = (task: string): string =>
    `-= Welcome =-\n\nYou are in the middle of a room. Looking quickly around you, you see a countertop 1, and a sinkbasin 1.\n\nYour task is to: ${task}.`;
  const took = {
    command: 'take mug 1 from countertop 1',
    observation: 'You pick up the mug 1 from the countertop 1.',
  };
  const cleaned = {
    command: 'clean mug 1 with sinkbasin 1',
    observation: 'You clean the mug 1 using the sinkbasin 1.',
  };
  const put = {
    command: 'move mug 1 to countertop 1',
    observation: 'You move the mug 1 to the countertop 1.',
  };

  it.each([
    [
      'put a clean mug in countertop',
      [],
      'find a mug, clean it in a sinkbasin and bring it to the countertop',
    ],
    ['put a clean mug in countertop', [took], 'I hold the mug 1. I have to clean it'],
    ['put a clean mug in countertop', [took, cleaned], 'The mug 1 is ready. It goes to the countertop'],
    ['put two mug in countertop', [took, put], 'find another mug'],
    ['put some fork on countertop', [took], 'I do not need the mug 1'],
    ['look at mug under the desklamp', [took], 'Now I need the desklamp'],
  ] as const)('%s after %j', (task, turns, expected) => {
    expect(thoughtOn({ initial: initial(task), turns })).toContain(expected);
  });

  it('is null for a task in custom wording', () => {
    expect(thoughtOn({ initial: initial('make coffee'), turns: [] })).toBeNull();
  });
});
