import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatMessage, LanguageModel } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { failureExamples, readFailureExamples } from './failure-examples.ts';
import { lessonOf, maxLessonLength } from './lesson.ts';
import { reflect } from './reflect.ts';

const history = {
  initial:
    'W\n\nYou are in the middle of a room. Looking quickly around you, you see a desk 1.\n\nYour task is to: put some pen in desk.',
  turns: [{ command: 'look', observation: 'Nothing happens.' }],
};

/** Answers in order and records its requests. */
function answering(...answers: readonly string[]): LanguageModel & {
  asked: (readonly ChatMessage[])[];
  rooms: (number | undefined)[];
} {
  const asked: (readonly ChatMessage[])[] = [];
  const rooms: (number | undefined)[] = [];
  return {
    asked,
    rooms,
    complete: async (messages, options) => {
      asked.push(messages);
      rooms.push(options?.maxTokens);
      return answers[asked.length - 1]!;
    },
  };
}

describe('reflect', () => {
  it('asks with the episode and earlier plans and returns the answer as one line', async () => {
    const languageModel = answering('\n**New plan:**\n1. Go to desk 1.\n2. Take the pen.\n');
    const lesson = await reflect({ history, memories: ['look less'], languageModel });
    expect(lesson).toBe('1. Go to desk 1. 2. Take the pen.');
    expect(languageModel.asked).toHaveLength(1);
    const [system, message] = languageModel.asked[0]!;
    expect(system!.role).toBe('system');
    expect(system!.content).not.toContain('think');
    expect(languageModel.rooms).toEqual([256]);
    expect(message!.content).toContain(
      '> look\nNothing happens.\nSTATUS: FAIL\n\nPlans from past attempts:\nTrial #0: look less\n',
    );
  });

  it('retries with more room after an empty answer, then falls back to the scripted lesson', async () => {
    const recovering = answering(' \n', 'Go to desk 1.');
    expect(await reflect({ history, languageModel: recovering })).toBe('Go to desk 1.');
    const silent = answering('', '<think>hm');
    expect(await reflect({ history, languageModel: silent })).toMatch(
      /^I did not finish "put some pen in desk" in 1 step\./,
    );
    expect(silent.rooms).toEqual([256, 1024]);
  });

  it('takes the lesson after the reasoning, also without its opening tag', async () => {
    for (const answer of [
      'Hm, a desk?\n</think>\nSearch shelves.',
      '<think>Hm</think><answer>Search shelves.</answer>',
    ])
      expect(await reflect({ history, languageModel: answering(answer) })).toBe('Search shelves.');
  });

  it('passes on the model’s faults', async () => {
    const languageModel: LanguageModel = { complete: () => Promise.reject(new Error('down')) };
    await expect(reflect({ history, languageModel })).rejects.toThrow('down');
  });
});

describe('lessonOf', () => {
  it('truncates a long answer at a sentence', () => {
    const sentence = 'Go to the desk and take the pen that lies there. ';
    const lesson = lessonOf(sentence.repeat(20));
    // 49 characters with the blank: 12 sentences end at 588 without the last blank, a 13th would end at 636
    expect(lesson).toBe(sentence.repeat(12).trim());
    expect(lessonOf('x'.repeat(1000)).length).toBeLessThanOrEqual(maxLessonLength);
  });

  it('drops labels and hidden reasoning', () => {
    expect(lessonOf('<think>a\nb</think>think: Plan: open it')).toBe('open it');
  });
});

describe('readFailureExamples', () => {
  it('reads a text of failed episodes with plans, and rejects other texts', () => {
    expect(readFailureExamples(`\ufeff${failureExamples}`, 'FILE')).toBe(failureExamples);
    for (const other of ['', 'New plan: x', '> look\nSTATUS: FAIL\nNew plan:'])
      expect(() => readFailureExamples(other, 'my.txt')).toThrow(/^my\.txt: /);
  });

  const folder = process.env.EMAC_TEST_DATA;
  it.skipIf(!folder)('reads Reflexion’s own file (needs EMAC_TEST_DATA)', () => {
    const text = readFileSync(join(folder!, 'reflexion', 'reflexion_few_shot_examples.txt'), 'utf8');
    expect(readFailureExamples(text, 'FILE')).toBe(text);
  });
});
