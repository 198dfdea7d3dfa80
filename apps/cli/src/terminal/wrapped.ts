/** Wraps text at a width, between whole words if they fit. */

/** Keeps line breaks; cuts a word longer than the width. `indent` precedes every line but the first. */
export function wrapped(text: string, width: number, indent = ''): string {
  const room = Math.max(1, width - indent.length);
  return text
    .split('\n')
    .flatMap((line) => linesOf(line, room))
    .join(`\n${indent}`);
}

function linesOf(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines = [''];
  for (const word of text.split(' ').flatMap((each) => piecesOf(each, width))) {
    const last = lines.at(-1)!;
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function piecesOf(word: string, width: number): string[] {
  const count = Math.max(1, Math.ceil(word.length / width));
  return Array.from({ length: count }, (_, place) => word.slice(place * width, (place + 1) * width));
}
