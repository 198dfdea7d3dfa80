import type { GameAnswer, GameOrder, GameView } from '@emac/pages/data';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openGame, type GameAsked, type OpenedGame } from './open-game.ts';
import type { GivenRecords } from './given-records.ts';

const viewOf = (answer: GameAnswer): GameView => {
  if ('fault' in answer) throw new Error(answer.fault);
  return answer.view;
};

async function opened(asked: GameAsked) {
  const game = await openGame(asked);
  onTestFinished(() => game.dispose());
  return {
    ask: async (order: GameOrder) => viewOf(await game.place(order)),
    answer: (order: GameOrder) => game.place(order),
  };
}

describe('a game of MiniGrid without a policy', () => {
  const asked = { env: 'MiniGrid-Empty-5x5-v0', policy: null };

  it('is played by hand to its end: the goal of a 5 × 5 room lies 2 forward, right, 2 forward', async () => {
    const { ask, answer } = await opened(asked);
    const first = await ask({ kind: 'show' });
    expect(first).toMatchObject({ environment: 'MiniGrid-Empty-5x5-v0', set: 'heldOut', number: 0 });
    expect(first.now).toMatchObject({ choice: null, expert: 'move forward' });
    expect(first.pictures[first.now.picture!]).toMatch(/^data:image\/png;base64,/);
    let view = first;
    for (const command of ['move forward', 'move forward', 'turn right', 'move forward', 'move forward'])
      view = await ask({ kind: 'act', command });
    expect(view).toMatchObject({ end: 'won', labels: 5 });
    // MiniGrid's reward: 1 − 0.9 · steps / limit
    expect(view.score).toBeCloseTo(1 - (0.9 * 5) / view.maxSteps, 6);
    expect(view.steps.map(({ by }) => by)).toEqual(Array(5).fill('person'));
    expect(await answer({ kind: 'act', command: 'move forward' })).toMatchObject({
      fault: expect.stringContaining('has ended') as string,
    });
  });

  it('goes back to a step, shows the same there, and another command leads elsewhere', async () => {
    const { ask } = await opened(asked);
    const { now: start } = await ask({ kind: 'show' });
    const { now: second } = await ask({ kind: 'act', command: 'move forward' });
    await ask({ kind: 'act', command: 'move forward' });
    const back = await ask({ kind: 'back', step: 1 });
    expect(back.now).toEqual(second);
    expect(back.steps).toHaveLength(1);
    const turned = await ask({ kind: 'act', command: 'turn right' });
    expect(turned.now.picture).not.toBe(second.picture);
    expect((await ask({ kind: 'back', step: 0 })).now).toEqual(start);
  });

  it('lets the scripted player act, and begins other tasks', async () => {
    const { ask, answer } = await opened(asked);
    const view = await ask({ kind: 'let', by: 'expert' });
    expect(view.steps[0]).toMatchObject({ command: 'move forward', by: 'expert' });
    expect(view.labels).toBe(0);
    expect(await ask({ kind: 'begin', set: 'training', number: 3 })).toMatchObject({ number: 3, steps: [] });
    for (const order of [
      { kind: 'begin', set: 'training', number: -1 },
      { kind: 'let', by: 'policy' },
      { kind: 'ask', prompt: 'x' },
      { kind: 'cover' },
      { kind: 'back', step: 1 },
      { kind: 'prefer', chosen: 'pick up', rejected: 'pick up' },
      { kind: 'act', command: ' ' },
    ] as const)
      expect(await answer(order)).toHaveProperty('fault');
  });

  it('sends each picture once, and all of them when asked to show', async () => {
    const { ask } = await opened(asked);
    const { now } = await ask({ kind: 'show' });
    const turned = await ask({ kind: 'act', command: 'turn right' });
    expect(Object.keys(turned.pictures)).toEqual([turned.now.picture]);
    expect(Object.keys((await ask({ kind: 'show' })).pictures)).toEqual([now.picture, turned.now.picture]);
  });
});

describe('a household game with emma-tiny and another policy beside it', () => {
  const given: GivenRecords[] = [];
  let game: OpenedGame;
  const ask = async (order: GameOrder) => viewOf(await game.place(order));
  beforeAll(async () => {
    const asked = { env: 'alfworld', policy: 'emma-tiny', before: 'emma-tiny', maxSteps: 3 };
    game = await openGame({ ...asked, given: (records) => given.push(records) });
  });
  afterAll(() => game.dispose());

  it('weighs every listed command; equal policies weigh alike', async () => {
    const { now } = await ask({ kind: 'show' });
    const sum = now.commands.reduce((total, command) => total + command.now!, 0);
    expect(sum).toBeCloseTo(1, 6);
    for (const { now: own, before } of now.commands) expect(before).toBeCloseTo(own!, 6);
    expect(now.choiceBefore).toBe(now.choice);
    expect(now.prompt).toContain('Your task is to');
  });

  it('answers a changed prompt, and the unchanged one as before', async () => {
    const { now } = await ask({ kind: 'show' });
    const same = await ask({ kind: 'ask', prompt: now.prompt! });
    expect(same.asked).toMatchObject({ choice: now.choice, answer: now.answer });
    const other = await ask({
      kind: 'ask',
      prompt: now.prompt!.replace(/Your task is to: .*/, 'Your task is to: look at the desklamp.'),
    });
    expect(other.asked!.commands).not.toEqual(same.asked!.commands);
    // asking makes no step
    expect(other.steps).toEqual([]);
  });

  it('keeps commands as labels and choices as pairs, the last at each state', async () => {
    const { now } = await ask({ kind: 'begin', set: 'heldOut', number: 1 });
    const [one, two, three] = now.commands.map(({ command }) => command) as [string, string, string];
    await ask({ kind: 'prefer', chosen: one, rejected: two });
    const view = await ask({ kind: 'prefer', chosen: three, rejected: two });
    expect(view).toMatchObject({ pairs: 1, preferred: { chosen: three, rejected: two } });
    await ask({ kind: 'act', command: one });
    await ask({ kind: 'back', step: 0 });
    const { task } = await ask({ kind: 'act', command: two });
    const { labels, pairs, picture } = given.at(-1)!;
    expect(labels).toEqual([
      expect.objectContaining({ text_input: now.prompt, text_output: two, game_id: task }),
    ]);
    expect(pairs).toEqual([expect.objectContaining({ text_output: three, text_output_neg: two })]);
    expect([...picture(labels[0]!)!.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
  });

  it('ends at the step limit, and lets the policy act until then', async () => {
    await ask({ kind: 'begin', set: 'heldOut', number: 2 });
    for (let step = 0; step < 2; step++) await ask({ kind: 'let', by: 'policy' });
    const { steps, end } = await ask({ kind: 'let', by: 'policy' });
    expect(steps.map(({ command, choice }) => command === choice)).toEqual([true, true, true]);
    expect(end).toBe('limit');
  });

  it('draws attempts beside the game, for a group', async () => {
    await ask({ kind: 'begin', set: 'heldOut', number: 0 });
    const { attempts, steps } = await ask({ kind: 'draw', attempts: 2 });
    expect(steps).toEqual([]);
    expect(attempts).toHaveLength(2);
    for (const { by, won, steps } of attempts)
      expect({ by, won, length: steps.length }).toEqual({ by: 'policy', won: false, length: 3 });
    // both begin in the same state
    expect(attempts[0]!.steps[0]!.anchor).toBe(attempts[1]!.steps[0]!.anchor);
    expect((await ask({ kind: 'begin', set: 'heldOut', number: 1 })).attempts).toEqual([]);
  });
});
