/** A command as a list shows it. */

/** Without the words that are the same in all of them, and without the folder. */
export function flagsOf(command: string): string {
  return command.replace(/^npx emac train /, '').replace(/ --out (?:'(?:[^']|'\\'')*'|\S+)$/, '');
}
