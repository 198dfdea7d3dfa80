import type { ChatMessage, History } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { episodeConversation, readConversation, readEpisode } from './conversation.ts';
import { expertConversation, type ExpertPrompt } from './expert-messages.ts';
import { initialObservation } from './initial-observation.ts';
import { studentText } from './student-text.ts';

const words = fc.stringMatching(/^[a-z][a-z 0-9.,]{0,30}$/);
const lines = fc.array(words, { minLength: 1, maxLength: 3 }).map((each) => each.join('\n'));
const histories: fc.Arbitrary<History> = fc.record({
  initial: fc.tuple(words, lines, lines).map((paragraphs) => paragraphs.join('\n\n')),
  turns: fc.array(fc.record({ command: words.map((each) => each.trim()), observation: lines }), {
    maxLength: 5,
  }),
});
const shown = (history: History) =>
  studentText(history, { maxTokens: 10_000, countTokens: (text) => text.length }).text;
const written = (prompt: Pick<ExpertPrompt, 'history' | 'memories' | 'admissible'>) =>
  expertConversation({ taskType: null, maxTokens: Infinity, countTokens: () => 0, ...prompt }).prompt;

describe('readConversation', () => {
  it("finds the expert's episode, without its lessons", () => {
    fc.assert(
      fc.property(
        histories,
        fc.array(words, { maxLength: 3 }),
        fc.array(words, { minLength: 1, maxLength: 4 }),
        (history, memories, admissible) => {
          const found = readConversation(written({ history, memories, admissible }));
          expect(found.admissible).toEqual(admissible);
          expect(found.history.turns).toEqual(history.turns);
          expect(initialObservation(found.history.initial)).toBe(initialObservation(history.initial));
        },
      ),
    );
  });

  it('finds it if the oldest steps were dropped', () => {
    const history = {
      initial: 'Welcome\n\nRoom.\n\nYour task is to: look.',
      turns: ['a', 'b'].map((command) => ({ command, observation: command.repeat(50) })),
    };
    const conversation = (maxTokens: number) =>
      expertConversation({
        history,
        taskType: null,
        examples: [],
        countTokens: (text) => text.length,
        maxTokens,
      });
    const { tokens } = conversation(Infinity);
    const cut = conversation(tokens - 1);
    expect(cut.dropped.turns).toBe(1);
    expect(readConversation(cut.prompt)).toEqual({
      history: { initial: 'Room.\nYour task is to: look.', turns: history.turns.slice(1) },
      admissible: null,
    });
  });

  it('reads an episode in one text, and later messages', () => {
    const user = (content: string): ChatMessage => ({ role: 'user', content });
    const text = 'Room.\nTask.\n> look\nYou see a desk.\nAnd a bed.\n> think: hm\nOK.\n>';
    const turns = [
      { command: 'look', observation: 'You see a desk.\nAnd a bed.' },
      { command: 'think: hm', observation: 'OK.' },
    ];
    expect(readConversation([user(text)]).history).toEqual({ initial: 'Room.\nTask.', turns });
    const more = [user(text), { role: 'assistant', content: ' go\n' } as const, user('Gone.')];
    expect(readConversation(more).history.turns).toEqual([...turns, { command: 'go', observation: 'Gone.' }]);
  });

  it.each([
    ['after one line break', 'Desk.\nCommands the world accepts now:\nlook\ngo to bed 1'],
    ['before an open >', 'Desk.\n\nCommands the world accepts now:\nlook\ngo to bed 1\n>'],
    ['with empty lines', 'Desk.\n\nCommands the world accepts now: \n\nlook\n \ngo to bed 1\n\n> \n'],
  ])('finds the accepted commands %s', (_how, content) => {
    const { history, admissible } = readConversation([{ role: 'user', content }]);
    expect([history.initial, admissible]).toEqual(['Desk.', ['look', 'go to bed 1']]);
  });

  it('finds no accepted commands if the heading is not on its own line', () => {
    for (const content of [
      'See: Commands the world accepts now:\nlook',
      'Commands the world accepts now: look',
    ])
      expect(readConversation([{ role: 'user', content }])).toEqual({
        history: { initial: content, turns: [] },
        admissible: null,
      });
    const none = 'Desk.\nCommands the world accepts now:';
    expect(readConversation([{ role: 'user', content: none }]).admissible).toEqual([]);
  });

  it('rejects messages that are not an episode', () => {
    const of = (...roles: ChatMessage['role'][]) => roles.map((role) => ({ role, content: 'x' }));
    for (const messages of [of(), of('system'), of('assistant'), of('user', 'assistant'), of('user', 'user')])
      expect(() => readConversation(messages)).toThrow(expect.objectContaining({ code: 'data' }));
    expect(readConversation(of('system', 'user')).history.initial).toBe('x');
  });
});

describe('episodeConversation', () => {
  it('is read as the same episode, to the last blank', () => {
    const lists = fc.option(fc.array(words, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(histories, lists, (history, admissible) => {
        const messages = episodeConversation({ history, admissible });
        expect(readConversation(messages)).toEqual({ history, admissible });
        expect(messages.map(({ role }) => role).join(' ')).toMatch(/^(user assistant )*user$/);
      }),
    );
  });
});

describe('readEpisode', () => {
  it("reads the student's prompt", () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(shown(readEpisode(shown(history)))).toBe(shown(history));
      }),
    );
  });
});
