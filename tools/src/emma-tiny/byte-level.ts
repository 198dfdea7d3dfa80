/**
 * The byte-to-character table of byte-level BPE (Radford et al. 2019): printable bytes stand for themselves, the
 * others for the characters from U+0100 on, so that any text can be written and no token holds white space.
 */
const printable = (byte: number): boolean =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);

/** Character of each byte, in byte order. */
export const byteCharacters: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
})();

/** A text as byte-level characters. */
export function toByteLevel(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byteCharacters[byte]!).join('');
}
