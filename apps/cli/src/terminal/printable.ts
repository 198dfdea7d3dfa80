/** Foreign text for a terminal: no character of it moves the cursor, changes colours or hides other text. */

/** Replaces control characters by their codes, such as `\x1b`; line breaks stay. */
export function printable(text: string): string {
  return text.replace(/[^\n\P{C}]/gu, (each) => {
    const code = each.codePointAt(0)!.toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}
