/** Foreign text for terminals, logs and prompts: no character of it moves the cursor, changes colours or turns the line round. */

/** Replaces control characters, half characters and changes of direction by their codes, such as `\x1b`; tabs and line breaks stay. */
export function printable(text: string): string {
  return text.replace(hidden, (each) => {
    const code = each.codePointAt(0)!.toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}

const hidden = /(?!\r\n)[^\n\t\P{Cc}]|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/gu;
