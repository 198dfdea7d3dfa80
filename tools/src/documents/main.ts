/**
 * Runs the commands of documents as a reader would, at small size; status 2 if one does not do what its document says.
 *
 *   node tools/dist/documents/main.js [DOCUMENT…]     default: the README, the examples, and every document of docs/ with commands to run
 *
 * `shell-blocks.ts` explains which comments change commands.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { exitCodes } from '@emac/core';
import { isLong } from '@emac/testing';
import { root } from '../workspace/root.ts';
import { documentsBelow } from './documents-below.ts';
import { readersFolder, runBlock } from './run-blocks.ts';
import { emacCommands, shellBlocks, type ShellBlock } from './shell-blocks.ts';

/** Documents with commands that take hours, or that other tests run. */
const others = ['background/benchmarks.md', 'background/results.md', 'background/papers.md'];

const given = process.argv.slice(2);
const documents =
  given.length > 0
    ? given
    : [
        'README.md',
        'examples/README.md',
        ...documentsBelow('docs').filter((name) => !others.includes(relative('docs', name))),
      ].map((name) => `${root}${name}`);

const faults: string[] = [];
const helps: Record<string, string> = {};
const waiting = documents.values();
// two at a time: their commands wait for files, servers and each other
await Promise.all(
  Array.from({ length: 2 }, async () => {
    for (const path of waiting) {
      const blocks = shellBlocks(readFileSync(path, 'utf8'));
      if (blocks.length > 0) await tryDocument(path, blocks);
    }
  }),
);
process.stdout.write(faults.length === 0 ? 'all commands work as documented\n' : '');
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : exitCodes['check-failed'];

/** A document ends at its first fault, since later blocks need the results of earlier ones. */
async function tryDocument(path: string, blocks: readonly ShellBlock[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'emac-documents-'));
  readersFolder(folder);
  try {
    for (const block of blocks) {
      const place = `${relative(root, resolve(path))}:${block.line}`;
      faults.push(...unknownFlags(block).map((flag) => `${place}: ${flag}`));
      if (block.tested === null || (block.isLong && !isLong)) continue;
      const start = performance.now();
      const { printed, fault } = await runBlock(block, folder);
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      process.stdout.write(`${place}: ${fault ?? 'as promised'} (${seconds} s)\n`);
      if (fault === null) continue;
      faults.push(`${place}: ${fault}\n${block.tested}${printed}`);
      return;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Flags of the block's commands that their help does not know. */
function unknownFlags({ code }: ShellBlock): string[] {
  return emacCommands(code).flatMap(({ words, flags }) => {
    const help = helpOf(words);
    return flags
      .filter((flag) => !help.includes(` ${flag} `))
      .map((flag) => `emac ${words.join(' ')} has no ${flag}`);
  });
}

function helpOf(words: readonly string[]): string {
  const key = words.join(' ');
  helps[key] ??= execFileSync(process.execPath, [`${root}apps/cli/bin/emac.mjs`, ...words, '--help'], {
    encoding: 'utf8',
  }).replaceAll('\n', ' ');
  return helps[key];
}
