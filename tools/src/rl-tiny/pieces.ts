/**
 * Tokens of rl-tiny: in prompts a sentence or a line of the requested form; in answers a key with its punctuation, a
 * word, a number, a sign. So a prompt has 10 to 25 tokens and an answer 10 to 30. `"action": "` begins a token, so that
 * no token is half thought and half action.
 */
const inPrompts = [
  '\\n ?"(?!current formula)[^\\n]*',
  '\\n"current formula": ',
  ' ?Your mission: [^.\\n]*\\.',
  ' You are observing the current formula: ',
  ' ?[A-Z][^\\n.:]{11,}[.:]?',
  ' ?\\\\[{}]',
];

const inAnswers = [
  '(?:\\{|", )"(?:thoughts|current number|target number)": "',
  '\\{"cards": \\[',
  '\\], "current formula": "',
  '"action": "',
  '"\\}',
  '", ',
  'turn (?:left|right)|move forward|pick up',
  ', [a-z]+',
  '[,;] ',
  ' [+=](?= )',
  ' ?[A-Za-z]+',
  ' ?\\d+',
];

/** First rule first; the last matches any remaining character. */
export const piecePattern = [...inPrompts, ...inAnswers, '[\\s\\S]'].join('|');
