import { describe, expect, it } from 'vitest';
import { pieces } from '../tiny-model/tokenizer.ts';
import { countingVocabulary } from '../tiny-model/counting-vocabulary.test.support.ts';
import { encodeSample, type Kind } from './encode.ts';
import { factsOf } from './facts.ts';
import { openGame } from './games.ts';
import { piecePattern } from './pieces.ts';
import type { Sample } from './samples.ts';

const doorKey = 'MiniGrid-DoorKey-6x6-v0';
const careless =
  '{"thoughts": "agent 1 3 right with yellow key, locked yellow door 3 1, goal 4 4", "action": "turn left"}';
const careful = careless.replace('4 4"', '4 4; door left"');

const cut = (text: string) => pieces(text, piecePattern);

describe('pieces', () => {
  it('are sentences in prompts, and lose nothing', () => {
    for (const id of ['gym_cards/EZPoints-v0', 'gym_cards/NumberLine-v0', doorKey]) {
      const game = openGame(id);
      game.environment.reset(1);
      game.environment.step(game.expert());
      const prompt = game.prompt({ actionOnly: false });
      expect(cut(prompt).join('')).toBe(prompt);
      expect(cut(prompt).length).toBeLessThan(25);
    }
  });

  it('begin a token at the action, and make an action one token', () => {
    expect(cut(careful).slice(-8)).toEqual([
      ...[' 4', ' 4', '; ', 'door', ' left', '", ', '"action": "', 'turn left', '"}'].slice(-8),
    ]);
    expect(cut('{"cards": [10, 2], "current formula": "2+", "thoughts"')).toEqual([
      ...['{"cards": [', '10', ', ', '2', '], "current formula": "', '2', '+'],
      ...cut('", "thoughts"'),
    ]);
  });
});

describe('the lessons of a sample', () => {
  const base = { id: doorKey, prompt: 'Act.', reading: careless, careful: 0.25 };
  const lessonsOf = (answer: string) => {
    const { vocabulary, nameOf } = countingVocabulary();
    const { ids, lessons } = encodeSample({ ...base, answer } as Sample, vocabulary);
    return { ids, lessons: lessons.map(({ label, ...rest }) => ({ ...rest, label: nameOf(label) })) };
  };

  it('include continued thoughts by their share, whatever this answer does', () => {
    for (const answer of [careless, careful]) {
      const gate = lessonsOf(answer).lessons.filter(({ kind }) => kind === 'gate');
      expect(gate.map(({ label, weight }) => [label, weight])).toEqual([
        ['; ', 0.25],
        ['", ', 0.75],
      ]);
      expect(gate[0]!.after).toBe(gate[1]!.after);
    }
  });

  it('assign a kind to every token of the answer, the end token last', () => {
    const { ids, lessons } = lessonsOf(careful);
    const labels = (wanted: Kind) => lessons.flatMap(({ kind, label }) => (kind === wanted ? [label] : []));
    expect(labels('conclusion')).toEqual(['door', ' left']);
    expect(labels('action')).toEqual(['turn left']);
    expect(labels('reading').slice(0, 5)).toEqual(['agent', ' 1', ' 3', ' right', ' with']);
    expect(lessons.at(-1)).toMatchObject({ label: 2, after: ids.length - 2 });
  });
});

describe('facts', () => {
  it('have their places, so that a key that is carried moves no other', () => {
    const lying =
      '{"thoughts": "agent 1 3 down, locked yellow door 3 1, yellow key 2 3, goal 4 4", "action": "';
    expect(factsOf(doorKey, lying)).toEqual([
      ...[' 1', ' 3', ' down', null, ', locked', ' 3', ' 1', ' 2', ' 3', ' 4', ' 4', null],
    ]);
    expect(factsOf(doorKey, careless)).toEqual([
      ...[' 1', ' 3', ' right', ' with', ', locked', ' 3', ' 1', null, null, ' 4', ' 4', null],
    ]);
  });

  it('match the shown cards', () => {
    const none = (count: number) => Array.from({ length: count }, () => null);
    expect(factsOf('gym_cards/NumberLine-v0', '{"current number": "2", "target number": "4", "thou')).toEqual(
      [...['2', '4'], ...none(10)],
    );
    expect(factsOf('gym_cards/EZPoints-v0', '{"cards": [10, 2], "current formula": "2+", "th')).toEqual([
      ...['10', '2'],
      ...none(10),
    ]);
    const hand = '{"thoughts": "dealer 10, player 1 + 6 = soft 17", "action": "hit"}';
    expect(factsOf('gym_cards/Blackjack-v0', hand)).toEqual([
      ...[' 10', ' 1', ' 6', ' soft', ' 17'],
      ...none(7),
    ]);
  });
});
