/**
 * Tokens of lewis-tiny: sentences in prompts; tags, keys with their punctuation and words in answers. So every visible
 * property has its own token. A prompt has 8 to 17 tokens and an answer 4 to 23.
 */
const inPrompts = [
  'Provide two descriptions of the(?= )',
  ' in the image:\\n1[^\\n]*\\n2\\. A detailed description: Describe the(?= )',
  ' so it can be distinguished from other(?= )',
  '\\. Do NOT mention[\\s\\S]*?</detailed>',
  'Does this description "',
  '" accurately describe the main subject in the image\\? Answer yes or no\\.',
  '\\n\\nOutput format:\\n```json\\n[^\\n]*\\n```',
];

const inAnswers = [
  '<thinking>It is',
  ', with',
  ' edge\\.',
  '(?:</thinking>)?\\n<coarse>',
  'A photo of an?(?= )',
  '(?:</coarse>)?\\n<detailed>',
  '</detailed>',
  ' It is well made\\.',
  '```json\\n\\{"Reasoning": "',
  'I see(?= )',
  'It is hard to tell\\.',
  '", "Answer": "',
  '"\\}?\\n```',
  '\\. The(?= )',
  ' ?[A-Za-z]+',
];

/** First rule first; the last matches any remaining character. */
export const piecePattern = [...inPrompts, ...inAnswers, '[\\s\\S]'].join('|');
