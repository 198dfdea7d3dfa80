/** `emac --help`: every command on one page, from the catalogue alone, so that it comes at once. */
import { wrapped } from '../terminal/wrapped.ts';
import type { Argument, NamedCommand } from './command.ts';

/** The last paragraph of help pages: npm's npx does not pass every signal and exit status on. */
export const directCall =
  'For long runs and schedulers call node_modules/.bin/emac itself: it receives signals, and you get its exit status. ' +
  'npx emac is for a first try: npx may leave the run behind at SIGTERM, and turn 75 into 130 at Ctrl-C. ' +
  'emac stop RUN stops a run, however it was started.';

/** EMAC in one line. */
export const purpose = 'emac: teach a vision-language model to act in household tasks';

/** The page, at most `width` characters wide. */
export function helpPage(commands: readonly NamedCommand[], width: number): string {
  const lines = commands.map((each) => [`emac ${shapeOf(each)}`, each.summary] as const);
  const column = Math.min(34, Math.max(...lines.map(([shape]) => shape.length)) + 4);
  const listed = lines.map(([shape, summary]) => {
    const start = `  ${shape}`;
    const told = wrapped(summary, width, ' '.repeat(column));
    return start.length + 2 <= column
      ? start.padEnd(column) + told
      : `${start}\n${' '.repeat(column)}${told}`;
  });
  return [
    purpose,
    'Commands:\n' + listed.join('\n'),
    'Options:\n  --help     this page; after a command its flags\n  --version  the version',
    wrapped(directCall, width),
  ].join('\n\n');
}

function shapeOf({ name, argument }: NamedCommand): string {
  return argument ? `${name} ${shapeOfArgument(argument)}` : name;
}

/** E.g. `<run>`, `[settings..]`. */
export function shapeOfArgument({ name, isMany, otherwise }: Argument): string {
  const inside = isMany ? `${name}..` : name;
  return otherwise === undefined ? `<${inside}>` : `[${inside}]`;
}
