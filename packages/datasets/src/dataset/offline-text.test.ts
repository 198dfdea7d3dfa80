import { describe, expect, it } from 'vitest';
import { datasetPrompt, outputTexts, shortestPrompt } from './offline-text.ts';

/** A token is a word. */
const policy = { countPromptTokens: (text: string) => text.split(/\s+/).filter(Boolean).length };
const history = { text_input: 'room of desks\n> look\nyou see', verbatim: false };

describe("a record's texts", () => {
  it('of a game end with an open >, and lose their oldest steps if too long', () => {
    expect(datasetPrompt(history, { maxTokens: 100 }, policy)).toBe('room of desks\n> look\nyou see\n>');
    expect(datasetPrompt(history, { maxTokens: 4 }, policy)).toBe('room of desks\n>');
    expect(shortestPrompt(history, {})).toBe('room of desks\n>');
    expect(outputTexts(history).target('go to desk 1')).toBe(' go to desk 1');
  });

  it('stay unchanged if the record is verbatim', () => {
    const record = { text_input: 'Which action?\n> or <', verbatim: true };
    expect(datasetPrompt(record, { maxTokens: 1 }, policy)).toBe('Which action?\n> or <');
    // one turn of a conversation
    expect(datasetPrompt(record, { maxTokens: 1, dialogue: 'turns' }, policy)).toBe(
      'Which action?\n\\> or <',
    );
    expect(shortestPrompt(record, {})).toBe('Which action?\n> or <');
    const { target, command } = outputTexts(record);
    expect(target('{"action": "+"}')).toBe('{"action": "+"}');
    expect(command(' {"action": "+"}\n')).toBe('{"action": "+"}');
  });
});
