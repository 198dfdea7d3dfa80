/** The flags in `command.txt` that say what a run is about. */

/** those with a place of their own in the list, and those that change nothing in what is learned */
const elsewhere = new Set([
  '--out',
  '--method',
  '--phase',
  '--env',
  '--policy',
  '--quiet',
  '--verbose',
  '--json',
  '--events',
  '--name',
]);

/** `--lr 0.001` of the first command; none if there is no command. */
export function flagsIn(text: string): string[] {
  const command = text.split('\n').find((line) => line.startsWith('emac '));
  const flags: string[] = [];
  for (const word of command === undefined ? [] : wordsIn(command)) {
    if (word.startsWith('--')) flags.push(word.replace('=', ' '));
    else if (flags.length > 0) flags[flags.length - 1] += ` ${word}`;
  }
  return flags.filter((flag) => !elsewhere.has(flag.split(' ', 1)[0]!));
}

/** Of a line in shell syntax, as `commandText` of the command writes it. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, one?: string) => quoted ?? one ?? ''),
  );
}
