/** `command.txt` of a run: the commands that made it, as they were typed, one a line. */
import { existsSync } from 'node:fs';
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

/** Keys come from the environment; one that was typed all the same must not be kept. What is there on the disk is a path. */
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

/** Forms in which keys are given out. */
const beginning = String.raw`\b(?:sk|hf|gh[oprsu]|github_pat|glpat|xox[a-z])[-_]`;
const anyKey = new RegExp(String.raw`${beginning}[\w-]{8,}`, 'g');
/** not the name of a folder that begins alike */
const randomKey = new RegExp(String.raw`${beginning}(?=[\w-]*[A-Za-z\d]{16})[\w-]+`, 'g');

/** Values of variables that are named for a secret, the longest first: it may begin with another. */
function secretsIn(env: Environment): readonly string[] {
  return Object.entries(env)
    .filter(([name]) => /KEY|TOKEN(?!IZER)|SECRET|PASSWORD/i.test(name) && !/_(DIR|FILE|PATH)$/i.test(name))
    .flatMap(([, value]) => (value !== undefined && value.length >= 8 && !existsSync(value) ? [value] : []))
    .sort((a, b) => b.length - a.length);
}

/** Of an address up to its last @: that may stand behind the host too, where the address is one. */
function withoutPassword(address: string): string {
  const [before, host] = /^(.*?\/\/)([^/?#]*)/.exec(address)!.slice(1) as [string, string];
  const place = host.lastIndexOf('@');
  if (place === -1 && URL.canParse(address)) return address;
  return `${before}${hidden}@${place === -1 ? '' : address.slice(before.length + place + 1)}`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
