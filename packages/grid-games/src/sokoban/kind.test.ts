import type { Turn } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { sokobanKind } from './kind.ts';
import { sokoban } from './sokoban.ts';

const policy = { countPromptTokens: (text: string) => text.length };
const form = { maxTokens: 1000, observe: 'text', thoughts: true } as const;
const id = 'Sokoban-6x6-1';

describe('the kind of Sokoban', () => {
  it('knows its ids and no other', () => {
    for (const each of sokobanKind.ids) expect(sokobanKind.idOf(each)).toBe(each);
    for (const name of ['', 'sokoban', 'Sokoban-6x6']) expect(sokobanKind.idOf(name)).toBe(null);
  });

  it('asks, answers, plays and wins as the room itself does', async () => {
    const opened = await sokobanKind.open(id, { maxSteps: null });
    const task = opened.tasks.heldOut.at(20);
    const speech = opened.speech(policy, form);
    const episode = await opened.begin(task, '');
    const game = sokoban(id);
    game.reset(41);
    const turns: Turn[] = [];
    let [observation, won] = [episode.first, false];
    while (!won) {
      const history = { initial: '', turns: [...turns] };
      const label = await opened.player!.label({ task, history, memories: [], admissible: null });
      if (label.kind !== 'action') throw new Error(label.reason);
      const prompt = speech.prompt({ history, observation, memories: [] });
      expect(prompt.startsWith(`${game.text()}\nYou play Sokoban`)).toBe(true);
      const text = speech.target(label.command, observation, label.thoughts);
      expect(speech.read({ text, tokens: [], logProbabilities: [] }, null).action).toBe(label.command);
      const step = await episode.step(label.command);
      expect(game.step(game.actions.indexOf(label.command)).reward).toBe(step.reward);
      turns.push({ command: label.command, observation: step.observation.text });
      [observation, won] = [step.observation, step.info.won];
      expect(turns.length).toBeLessThan(40);
    }
    expect(opened.hasGoal).toBe(true);
  });

  it('thinks about player, boxes and targets, and judges by the way that is left', () => {
    const world = sokobanKind.local('Sokoban-5x5-1');
    const game = sokoban(world.id);
    game.reset(0);
    // player at 1 1, box at 2 1, target at 3 1
    const room = [
      ...[0, 0, 0, 0, 0],
      ...[0, 5, 1, 1, 0],
      ...[0, 4, 1, 1, 0],
      ...[0, 2, 1, 1, 0],
      ...[0, 0, 0, 0, 0],
    ];
    const ground = room.map((cell) => (cell >= 4 ? 1 : cell));
    game.restore({ ...game.state(), ground, cells: room });
    expect(world.words!.answer(game, 3, { concludes: true, actionOnly: false })).toBe(
      '{"thoughts": "player 1 1, box 2 1, target 3 1; down", "action": "right"}',
    );
    const judged = (action: number): string => {
      const verdict = world.judge!(game, action);
      game.step(action);
      return verdict();
    };
    // against the wall; away from the box; back; onto the target
    expect([0, 3, 2, 1].map(judged)).toEqual(['neutral', 'useless', 'useful', 'useful']);
  });
});
