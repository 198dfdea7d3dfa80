import { makeGymCards } from '@emac/gym-cards';
import { miniGrid } from '@emac/minigrid';
import { Random, seenOf, type Answer } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { languageTexts, type LanguageReading } from './language-texts.ts';

/** A model whose tokens are characters. */
const characters = (tokens: readonly number[]) => tokens.map((token) => String.fromCodePoint(token));
const answerOf = (text: string): Answer => {
  const tokens = [...text].map((each) => each.codePointAt(0)!);
  return { text, tokens, logProbabilities: tokens.map(() => -1) };
};
const reading = (
  environment: LanguageReading['environment'],
  asked: Partial<LanguageReading> = {},
): LanguageReading => ({
  environment,
  palette: 'true',
  actionOnly: false,
  actionScores: false,
  encode: ({ width, height }) =>
    Promise.resolve({ data: Float32Array.of(width, height), key: `${width} × ${height}` }),
  tokenTexts: characters,
  ...asked,
});

describe("a model's prompt", () => {
  it('is the picture and the prompt of that step, formula included', async () => {
    const game = makeGymCards('gym_cards/EZPoints-v0');
    game.reset(3);
    const texts = languageTexts(reading(game));
    const prompts = [];
    for (const action of [game.expert(), null]) {
      const [image, text] = await texts.prompt(seenOf(game, texts));
      expect(image).toMatchObject({ kind: 'image', features: { key: '300 × 300' } });
      expect(text).toEqual({ kind: 'text', text: game.prompt() });
      prompts.push(text);
      if (action !== null) game.step(action);
    }
    expect(prompts[0]).not.toEqual(prompts[1]);
  });

  it("is the environment's text and the prompt for a model that reads text alone, unless the picture shows more", async () => {
    const game = makeGymCards('gym_cards/NumberLine-v0');
    game.reset(3);
    const texts = languageTexts(reading(game, { encode: null }));
    expect(await texts.prompt(seenOf(game, texts))).toEqual([
      { kind: 'text', text: `${game.text()}\n${game.prompt()}` },
    ]);
    const level = miniGrid('MiniGrid-Empty-5x5-v0');
    expect(() => languageTexts(reading(level, { encode: null }))).toThrow(
      /its picture says more than its text; give a policy that sees pictures/,
    );
  });

  it('asks for the action alone if requested', async () => {
    const game = makeGymCards('gym_cards/Blackjack-v0');
    game.reset(0);
    const texts = languageTexts(reading(game, { actionOnly: true }));
    const [, text] = await texts.prompt(seenOf(game, texts));
    expect(text).toEqual({ kind: 'text', text: game.prompt({ actionOnly: true }) });
  });

  it('names the mission in MiniGrid', async () => {
    const level = miniGrid('MiniGrid-DoorKey-5x5-v0');
    level.reset(0);
    const texts = languageTexts(reading(level));
    const [, text] = await texts.prompt(seenOf(level, texts));
    expect(text).toMatchObject({ text: expect.stringContaining(`Your mission: ${level.text()}.`) as string });
  });
});

describe('the action of an answer', () => {
  const line = languageTexts(reading(makeGymCards('gym_cards/NumberLine-v0')));

  it('is that of its JSON, and begins with its name', () => {
    const thoughts = '{"thoughts": "the target is 3", ';
    // actions of NumberLine: - is 0, + is 1
    expect(line.read(answerOf(`${thoughts}"action": "+"}`), null)).toEqual({
      action: 1,
      actionStart: thoughts.length,
    });
  });

  it('is searched for in broken JSON, and null if two are named', () => {
    expect(line.read(answerOf('"action": "-"'), null)).toEqual({ action: 0, actionStart: 0 });
    expect(line.read(answerOf('{"action": "-" or "+"}'), null)).toMatchObject({ action: null });
    expect(line.read(answerOf('I do not know'), null)).toMatchObject({ action: null });
  });

  it("is the word's number in the environment, among those offered in the prompt", () => {
    const level = miniGrid('MiniGrid-DoorKey-5x5-v0');
    const { read, offered } = languageTexts(reading(level));
    expect(read(answerOf('{"action": "Toggle"}'), null).action).toBe(level.actions.indexOf('toggle'));
    // not offered in DoorKey, nor drawn as a fallback
    expect(read(answerOf('{"action": "drop"}'), null).action).toBeNull();
    expect(offered!.map((action) => level.actions[action])).toEqual([
      'turn left',
      'turn right',
      'move forward',
      'pick up',
      'toggle',
    ]);
  });
});

describe('scores in place of an action', () => {
  const level = miniGrid('MiniGrid-DoorKey-5x5-v0');
  const texts = languageTexts(reading(level, { actionScores: true }));
  // turn left, turn right, move forward, pick up, toggle: e^(score / 2) is 3 for two, 1 for the others
  const three = 2 * Math.log(3);
  const thoughts = '{"thoughts": "a key", ';
  const answer = answerOf(
    `${thoughts}"action_scores": {"Move forward": ${three}, "Toggle": ${three}, "Drop": 9}}`,
  );

  it('are requested', async () => {
    level.reset(0);
    const [, text] = await texts.prompt(seenOf(level, texts));
    expect(text).toMatchObject({ text: expect.stringContaining('"toggle": {score}') as string });
  });

  it('draw an offered action in proportion', () => {
    const random = Random.fromSeed(5);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 900; draw++) {
      const { action, actionStart: start } = texts.read(answer, random);
      expect(start).toBe(thoughts.length);
      const word = level.actions[action!]!;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    // of 900 draws 300 ± 4 · 14.1 each, and 100 ± 4 · 9.4 of each of the three others
    for (const word of ['move forward', 'toggle']) expect(Math.abs(counts.get(word)! - 300)).toBeLessThan(57);
    for (const word of ['turn left', 'turn right', 'pick up'])
      expect(Math.abs(counts.get(word)! - 100)).toBeLessThan(38);
    expect(counts.has('drop')).toBe(false);
  });

  it('take the first of the highest without a generator', () => {
    expect(texts.read(answer, null).action).toBe(level.actions.indexOf('move forward'));
  });

  it('may be missing from an answer that names its action, otherwise it names none', () => {
    expect(texts.read(answerOf('{"action": "toggle"}'), null).action).toBe(level.actions.indexOf('toggle'));
    expect(texts.read(answerOf('{"action_scores": "high"}'), Random.fromSeed(0)).action).toBeNull();
  });

  it('are not for card games', () => {
    const game = makeGymCards('gym_cards/Blackjack-v0');
    expect(() => languageTexts(reading(game, { actionScores: true }))).toThrow(
      '--action-score-prompt: is for MiniGrid-…, got gym_cards/Blackjack-v0',
    );
  });
});
