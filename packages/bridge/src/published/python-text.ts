/** Prints texts like Python, alone (`repr`) and in a list of one (`str([text])`). */

const short: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** `['go to desk 1']`. */
export function listOfOne(text: string): string {
  return `[${pythonText(text)}]`;
}

/** Python's `repr`: double quotes if the text holds single quotes and no double ones. */
export function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const written = Array.from(text, (character) => {
    if (character === quote) return `\\${quote}`;
    return short[character] ?? (isPrintable(character) ? character : numbered(character.codePointAt(0)!));
  });
  return `${quote}${written.join('')}${quote}`;
}

/**
 * Python's `str.isprintable`: no control, format, surrogate, private or unassigned characters, and no separators but
 * the space.
 */
function isPrintable(character: string): boolean {
  return character === ' ' || !/[\p{C}\p{Z}]/u.test(character);
}

function numbered(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
