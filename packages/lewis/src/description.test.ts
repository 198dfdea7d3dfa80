import { describe, expect, it } from 'vitest';
import { isClosed, readDescription } from './description.ts';
import { listenerQuestion, shownCategory, speakerPrompt } from './prompts.ts';

const whole = `<thinking>I see
a dog.</thinking>
<coarse>A photo of a  fluffy dog</coarse>
<detailed>The dog has golden fur
and a red collar.</detailed><state>sitting</state><location>on grass</location>`;

describe('reading a description', () => {
  it('takes the text between tags, with blanks collapsed', () => {
    expect(readDescription(whole, 'dog')).toEqual({
      thinking: 'I see a dog.',
      coarse: 'A photo of a fluffy dog',
      detailed: 'The dog has golden fur and a red collar.',
      state: 'sitting',
      location: 'on grass',
      text: 'A photo of a fluffy dog. The dog has golden fur and a red collar.',
    });
  });

  it('reads an unclosed tag up to the next tag, first line only', () => {
    const open = '<thinking>Hm <coarse>A photo of a cup\nand more<detailed>The cup is blue.';
    expect(readDescription(open, 'cup')).toMatchObject({
      thinking: 'Hm',
      coarse: 'A photo of a cup',
      detailed: 'The cup is blue.',
    });
  });

  it('finds the sentences without tags', () => {
    expect(readDescription('Well: A photo of a small blue cup. The cup has a handle. Bye.', 'cup').text).toBe(
      'A photo of a small blue cup. The cup has a handle.',
    );
    // another noun: 20 to 200 characters after `The X`
    expect(readDescription('The mug has a long thin handle and dots. Bye.', 'cup').detailed).toBe(
      'The mug has a long thin handle and dots.',
    );
    expect(readDescription('The mug is blue.', 'cup').detailed).toBe('');
    expect(readDescription('A photo of a cup', 'toy').coarse).toBe(''); // 4 characters are too few
  });

  it('joins both parts without a doubled full stop, or takes the only one', () => {
    const read = (text: string) => readDescription(text, 'cup').text;
    expect(read('<coarse>A photo of a cup.</coarse><detailed>The cup is red.</detailed>')).toBe(
      'A photo of a cup. The cup is red.',
    );
    expect(read('<coarse>A photo of a cup</coarse>')).toBe('A photo of a cup');
    expect(read('nothing')).toBe('');
  });

  it('knows closed tags', () => {
    expect(['thinking', 'coarse', 'detailed'].map((tag) => isClosed(whole, tag as 'coarse'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(isClosed('</coarse><coarse>A photo', 'coarse')).toBe(false);
  });

  it('takes linear time on long texts with unclosed tags', () => {
    const long = '<coarse>'.repeat(20_000) + 'The '.repeat(50_000);
    expect(readDescription(long, 'cup').coarse).toBe('');
  });
});

describe('prompts', () => {
  it('are the published texts', () => {
    expect(speakerPrompt('veg').split('\n')).toEqual([
      'Provide two descriptions of the vegetable in the image:',
      '1. A coarse 5-6 word description starting with "A photo of a "',
      '2. A detailed description: Describe the vegetable so it can be distinguished from other vegetables. Do NOT mention background, location or state. If the image contains a person, avoid mentioning clothing or accessories. Write exactly one fluent sentence beginning with "The " and highlighting 3-4 visible distinguishing attributes. Keep it concise and natural, without lists or brackets.',
      '',
      'Output format:',
      '<thinking>Your reasoning</thinking>',
      '<coarse>A photo of a ...</coarse>',
      '<detailed>The ...</detailed>',
    ]);
    expect(listenerQuestion('d')).toBe(
      'Does this description "d" accurately describe the main subject in the image? Answer yes or no.',
    );
    expect(['tro_bag', 'cup'].map(shownCategory)).toEqual(['trolley bag', 'cup']);
  });
});
