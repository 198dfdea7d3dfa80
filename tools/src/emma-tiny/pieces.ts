/**
 * Tokens of emma-tiny: ALFWorld's sentences are cut into names and the text between them, from a number to the next
 * name (` 2, a`, ` 1. On the`). So a play of ten commands is about 180 tokens.
 */

const goalPhrases = [
  'Your task is to:',
  ' put a (?:clean|hot|cool)(?= [a-z]+ in )',
  ' put (?:a|some|two)(?= [a-z])',
  ' find two',
  ' (?:clean|heat|cool) some',
  ' and put (?:it|them) in',
  ' look at',
  ' examine the(?= [a-z]+ with )',
  ' (?:under|with) the(?= [a-z]+\\.)',
  ' (?:in|on)(?= [a-z]+\\.)',
];

/**
 * One piece, first rule first: phrases of goals, names, numbers and lines with the following text up to a name or the
 * line's end, the rest.
 */
export const piecePattern = [
  ...goalPhrases,
  ' [a-z]+(?= \\d| in [a-z]+\\.| on [a-z]+\\.| under the| with the| and put)',
  ' [a-z]+(?=\\.\\n>)',
  ' \\d+(?:[^\\n\\d]+?(?= [a-z]+ \\d|\\n|$))?',
  '\\d+',
  '\\n>',
  '\\nYour task is to:',
  '\\n(?:[^\\n\\d>][^\\n\\d]*?(?= [a-z]+ \\d|\\n|$))?',
  '[^\\n\\d]+?(?= [a-z]+ \\d)',
  '[^\\n\\d]+?(?=\\n|$)',
  '[^\\n\\d]+',
].join('|');

/** The number at the start of a piece, and the rest; null for any other piece. */
export function numberAndRest(piece: string): { readonly number: string; readonly rest: string } | null {
  const found = /^( \d+)([^\d].*)$/su.exec(piece);
  return found && { number: found[1]!, rest: found[2]! };
}
