/** `command.txt` of a run: the typed commands that made it, one a line. */
import { existsSync } from 'node:fs';
import { shellWord } from '../terminal/shell-word.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The head of the file: version and commit of the program. `commit` is null if unknown. */
export function headText(version: string, commit: string | null): string {
  return `# emac ${version}${commit === null ? '' : `, commit ${commit}`}\n`;
}

/** A command in shell syntax, one line with its line end; without anything that may be a key. */
export function commandText(argv: readonly string[], env: Environment): string {
  const words = argv.map((word) => typedWord(withoutSecrets(word, env)));
  return `${['emac', ...words].join(' ')}\n`;
}

/** A line break inside a word would start another command. */
function typedWord(word: string): string {
  if (!/[\x00-\x1f\x7f]/.test(word)) return shellWord(word);
  const spelled = word
    .replace(/[\\']/g, '\\$&')

    .replace(/[\x00-\x1f\x7f]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `$'${spelled}'`;
}

const hidden = '***';

/** Keys belong in the environment; a typed one must not be kept. Existing paths stay. */
export function withoutSecrets(word: string, env: Environment): string {
  if (existsSync(word) || existsSync(word.slice(word.indexOf('=') + 1))) return word;
  const isPath = word.includes('/') && !word.includes('://');
  const key = isPath ? randomKey : anyKey;
  return secretsIn(env)
    .reduce((text, secret) => text.replace(new RegExp(`${escaped(secret)}[\\w-]*`, 'g'), hidden), word)
    .replace(/(?:[a-z][a-z\d+.-]*:)?\/\/\S*@/gi, withoutPassword)
    .replace(key, hidden)
    .replace(/\b(bearer\s+)\S+/gi, `$1${hidden}`)
    .replace(/((?:key|token|secret|password|signature|credential|\bsig)=)[^&\s]+/gi, `$1${hidden}`);
}

/** Forms of the keys that services issue. */
const beginning = String.raw`\b(?:sk|hf|gh[oprsu]|github_pat|glpat|xox[a-z])[-_]`;
const anyKey = new RegExp(String.raw`${beginning}[\w-]{8,}`, 'g');
/** no match for a folder's name with the same start */
const randomKey = new RegExp(String.raw`${beginning}(?=[\w-]*[A-Za-z\d]{16})[\w-]+`, 'g');

/** Values of variables with a secret's name, the longest first, because one may start with another. */
function secretsIn(env: Environment): readonly string[] {
  return Object.entries(env)
    .filter(([name]) => /KEY|TOKEN(?!IZER)|SECRET|PASSWORD/i.test(name) && !/_(DIR|FILE|PATH)$/i.test(name))
    .flatMap(([, value]) => (value !== undefined && value.length >= 8 && !existsSync(value) ? [value] : []))
    .sort((a, b) => b.length - a.length);
}

/** An address up to its last @: a valid one may have it after the host too. */
function withoutPassword(address: string): string {
  const [before, host] = /^(.*?\/\/)([^/?#]*)/.exec(address)!.slice(1) as [string, string];
  const place = host.lastIndexOf('@');
  if (place === -1 && URL.canParse(address)) return address;
  return `${before}${hidden}@${place === -1 ? '' : address.slice(before.length + place + 1)}`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
