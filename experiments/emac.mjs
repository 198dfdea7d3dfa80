/** Runs `emac` for the programs of this folder: a finished training is not repeated, a stopped one goes on. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFolder } from '@emac/files';

const command = fileURLToPath(new URL('../apps/cli/dist/main.js', import.meta.url));

/** What a command prints on standard output. Ends this program with the command's status if it fails. */
export function emac(words) {
  process.stderr.write(`emac ${words.join(' ')}\n`);
  const stdio = ['ignore', 'pipe', 'inherit'];
  const { status, stdout } = spawnSync(process.execPath, [command, ...words], { stdio, maxBuffer: 2 ** 28 });
  if (status !== 0) process.exit(status ?? 1);
  return String(stdout);
}

/** The result of a training in its own folder, and its seconds, of a resumed one those since; `code` names an environment's file, which a resumed run needs again. */
export function trained(folder, words, code = []) {
  const path = join(folder, 'result.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  createFolder(folder);
  const [begun] = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const asked = begun
    ? ['train', '--resume', join(folder, begun), ...code]
    : ['train', ...words, ...code, '--out', folder];
  const since = performance.now();
  const printed = emac([...asked, '--json', '--quiet']);
  const seconds = (performance.now() - since) / 1000;
  const result = { ...JSON.parse(printed.trim().split('\n').at(-1)), seconds };
  writeFileSync(path, `${JSON.stringify(result)}\n`);
  return result;
}

/** A Markdown table. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
