/**
 * Tokens of vla-tiny: in prompts the common text, then words; in answers action tokens, the last 256 ids of the
 * vocabulary.
 */

/** The piece of an action token by how far its id is from the vocabulary's end: 1 … 256. */
export function actionPiece(fromEnd: number): string {
  return `<${fromEnd}>`;
}

/** In the order of their ids. */
export const actionPieces: readonly string[] = Array.from({ length: 256 }, (_, place) =>
  actionPiece(256 - place),
);

/** Words for coordinates. */
export const coordinatePieces: readonly string[] = Array.from({ length: 32 }, (_, place) => ` ${place}`);

/** First rule first; the last matches any remaining character. */
export const piecePattern = [
  '<\\d+>',
  'In: What action should the robot take to ',
  '\\?\\nOut:',
  ' ?[A-Za-z]+',
  ' ?\\d+',
  '[\\s\\S]',
].join('|');
