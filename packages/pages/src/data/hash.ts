/** A number for a text, the same everywhere: no protection against texts that are made to collide. */
export function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return hash;
}
