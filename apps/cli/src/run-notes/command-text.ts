/** `command.txt` of a run: the commands that made it, as they were typed, one a line. */
import { shellWord } from '../terminal/shell-word.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The head of the file: which program. `commit` is null where that is not known. */
export function headText(version: string, commit: string | null): string {
  return `# emac ${version}${commit === null ? '' : `, commit ${commit}`}\n`;
}

/** A command as a shell reads it, in one line that ends it; what may be a key is left out of it. */
export function commandText(argv: readonly string[], env: Environment): string {
  const words = argv.map((word) => typedWord(withoutSecrets(word, env)));
  return `${['emac', ...words].join(' ')}\n`;
}

/** A line break inside a word would begin another command. */
function typedWord(word: string): string {
  if (!/[\x00-\x1f\x7f]/.test(word)) return shellWord(word);
  const spelled = word
    .replace(/[\\']/g, '\\$&')

    .replace(/[\x00-\x1f\x7f]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `$'${spelled}'`;
}

const hidden = '***';

/** Keys come from the environment; one that was typed all the same must not be kept. */
export function withoutSecrets(word: string, env: Environment): string {
  const known = Object.entries(env).flatMap(([name, value]) =>
    /KEY|TOKEN|SECRET|PASSWORD/i.test(name) && value !== undefined && value.length >= 8 ? [value] : [],
  );
  return known
    .reduce((text, secret) => text.replaceAll(secret, hidden), word)
    .replace(/\/\/[^/@\s]+@/g, `//${hidden}@`)
    .replace(/\b(sk|hf|ghp|glpat)[-_][A-Za-z0-9_-]{8,}/g, hidden)
    .replace(/((?:key|token|secret|password)=)[^&\s]+/gi, `$1${hidden}`);
}
