import type { History, OpenedKind } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { gymCardsIds, gymCardsKind, makeGymCards } from './index.ts';

const form = { maxTokens: 1000, observe: 'both', thoughts: true } as const;
const characters = {
  countPromptTokens: (text: string) => text.length,
  tokenTexts: (tokens: readonly number[]) => tokens.map((token) => String.fromCodePoint(token)),
};
const answer = (text: string) => {
  const tokens = [...text].map((each) => each.codePointAt(0)!);
  return { text, tokens, logProbabilities: tokens.map(() => 0) };
};

describe('the kind of card games', () => {
  it('knows its ids without version and folder, and no other', () => {
    for (const name of ['NumberLine', 'NumberLine-v0', 'gym_cards/NumberLine', 'gym_cards/NumberLine-v0'])
      expect(gymCardsKind.idOf(name)).toBe('gym_cards/NumberLine-v0');
    for (const name of ['', 'gym_cards/', 'gym_cards/Poker-v0', 'Line'])
      expect(gymCardsKind.idOf(name)).toBe(null);
  });

  it('has even seeds for training and odd ones held out, beyond 2⁵³ too', async () => {
    const { tasks } = await gymCardsKind.open('NumberLine', { maxSteps: null });
    expect([0, 1, 7].map((number) => tasks.training.at(number).id)).toEqual(
      [0, 2, 14].map((seed) => `gym_cards/NumberLine-v0/${seed}`),
    );
    expect(tasks.heldOut.at(2n ** 60n).id).toBe(`gym_cards/NumberLine-v0/${2n ** 61n + 1n}`);
  });

  it('refuses settings that mean nothing to cards', async () => {
    for (const wrong of [{ palette: 'true' }, { source: 'here' }, { frameSize: 8 }])
      await expect(gymCardsKind.open('EZPoints', { maxSteps: null, ...wrong })).rejects.toMatchObject({
        code: 'usage',
      });
  });

  it('prompts as published and answers like the scripted player, in every game and at every step', async () => {
    for (const id of gymCardsIds) {
      const opened = await gymCardsKind.open(id, { maxSteps: null });
      const task = opened.tasks.training.at(3);
      const game = makeGymCards(id);
      game.reset(6);
      for await (const { observation, label, command, history } of played(opened, task)) {
        const speech = opened.speech(characters, form);
        expect(speech.prompt({ history, observation, memories: [] })).toBe(game.prompt());
        const target = speech.target(command, observation, label.thoughts);
        expect(target).toBe(game.answer(game.actions.indexOf(command)));
        const said = speech.read(answer(target), null);
        expect(said).toEqual({ action: command, actionStart: target.indexOf('"action"') });
        const bare = opened.speech(characters, { ...form, thoughts: false });
        expect(bare.prompt({ history, observation, memories: [] })).toBe(game.prompt({ actionOnly: true }));
        expect(bare.target(command, observation)).toBe(`{"action": "${command}"}`);
        game.step(game.actions.indexOf(command));
      }
    }
  });

  it('reads no action in an answer that names none or two', async () => {
    const { speech } = await gymCardsKind.open('Blackjack', { maxSteps: null });
    for (const text of ['', 'hit or stand', '{"action": "fold"}'])
      expect(speech(characters, form).read(answer(text), null)).toEqual({ action: null, actionStart: 0 });
  });

  it('wins with its player', async () => {
    const opened = await gymCardsKind.open('EZPoints', { maxSteps: null });
    let last = null;
    for await (const { step } of played(opened, opened.tasks.heldOut.at(4))) last = step;
    expect(last).toMatchObject({ reward: 10, terminated: true, info: { won: true } });
  });
});

/** An episode by the player's labels. */
async function* played(
  { begin, player }: OpenedKind,
  task: ReturnType<OpenedKind['tasks']['training']['at']>,
) {
  const episode = await begin(task, 'any');
  let [observation, isOver, history] = [episode.first, false, { initial: '', turns: [] } as History];
  while (!isOver) {
    const label = await player!.label({ task, history, memories: [], admissible: observation.admissible });
    if (label.kind !== 'action') throw new Error(label.reason);
    const { command } = label;
    const before = { observation, history };
    const step = await episode.step(command);
    yield { ...before, label, command, step };
    history = { ...history, turns: [...history.turns, { command, observation: step.observation.text }] };
    [observation, isOver] = [step.observation, step.terminated || step.truncated];
  }
}
