/** Pictures as nested lists of numbers, `[[[r, g, b], …], …]`, read and written character by character. */
import { EmacError, type Frame } from '@emac/core';

const mostPixels = 4_000_000;

/** Null for `None`, `null`, an empty list or nothing. Errors: `data` for rows of different lengths, values over 255, other text. */
export function nestedPicture(text: string): Frame | null {
  if (isNothing(text.trim())) return null;
  const reader: Reader = {
    text,
    at: 0,
    values: new Uint8Array(Math.min(text.length, 3 * mostPixels)),
    count: 0,
  };
  let [height, width] = [0, 0];
  open(reader);
  do {
    const length = row(reader);
    if (height > 0 && length !== width)
      throw fault(reader, `row ${height} has ${length} pixels, not ${width}`);
    [width, height] = [length, height + 1];
  } while (follows(reader));
  space(reader);
  if (reader.at < text.length) throw fault(reader, 'the list ends before this');
  return { width, height, data: reader.values.slice(0, reader.count) };
}

function isNothing(text: string): boolean {
  return ['', 'None', 'null'].includes(text) || /^\[\s*\]$/.test(text);
}

interface Reader {
  readonly text: string;
  at: number;
  readonly values: Uint8Array;
  count: number;
}

/** Returns the number of pixels in a row. */
function row(reader: Reader): number {
  let length = 0;
  open(reader);
  do {
    open(reader);
    for (let channel = 0; channel < 3; channel++) {
      value(reader);
      if (follows(reader) !== channel < 2) throw fault(reader, 'a pixel has 3 values');
    }
    length++;
  } while (follows(reader));
  return length;
}

function open(reader: Reader): void {
  space(reader);
  if (reader.text.charCodeAt(reader.at) !== 91) throw fault(reader, 'a list begins with [');
  reader.at++;
}

/** True after a comma, false after the end of the list. */
function follows(reader: Reader): boolean {
  space(reader);
  const found = reader.text.charCodeAt(reader.at);
  if (found !== 44 && found !== 93) throw fault(reader, 'needs , or ] here');
  reader.at++;
  return found === 44;
}

function value(reader: Reader): void {
  space(reader);
  let [number, digits] = [0, 0];
  for (let code = reader.text.charCodeAt(reader.at); code >= 48 && code <= 57 && digits < 4; digits++) {
    number = 10 * number + code - 48;
    code = reader.text.charCodeAt(++reader.at);
  }
  if (digits === 0 || number > 255) throw fault(reader, 'a value is a whole number from 0 to 255');
  if (reader.count >= reader.values.length) throw fault(reader, `a picture has at most ${mostPixels} pixels`);
  reader.values[reader.count++] = number;
}

function space(reader: Reader): void {
  for (let code = reader.text.charCodeAt(reader.at); code === 32 || (code >= 9 && code <= 13);)
    code = reader.text.charCodeAt(++reader.at);
}

function fault({ at }: Reader, what: string): EmacError {
  return new EmacError('data', `picture, character ${at}: ${what}`);
}

/** Writes the same list like Python's `json.dumps`. */
export function toNestedPicture({ width, height, data }: Frame): string {
  const pixel = (at: number) => `[${data[at]}, ${data[at + 1]}, ${data[at + 2]}]`;
  const rows = Array.from({ length: height }, (_, y) => {
    const pixels = Array.from({ length: width }, (_, x) => pixel(3 * (y * width + x)));
    return `[${pixels.join(', ')}]`;
  });
  return `[${rows.join(', ')}]`;
}
