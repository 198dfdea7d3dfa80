/** Carries out the commands of a document as a reader would: in one folder, one block after the other, variables and folder kept. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createFolder } from '@emac/files';
import { root } from '../workspace/root.ts';
import type { ShellBlock } from './shell-blocks.ts';

export interface BlockResult {
  readonly printed: string;
  /** the fault; null if everything was as documented */
  readonly fault: string | null;
}

/** Creates a folder where `npx emac` runs this repository's program and `npm run` its scripts. */
export function readersFolder(folder: string): string {
  const programs = join(folder, '.programs');
  createFolder(programs);
  const program = (name: string, text: string) =>
    writeFileSync(join(programs, name), `#!/usr/bin/env bash\n${text}`, { mode: 0o755 });
  program('npx', `[ "$1" = emac ] && shift && exec emac "$@"\nexec "$EMAC_NPX" "$@"\n`);
  program('emac', `exec "${process.execPath}" "${root}apps/cli/bin/emac.mjs" "$@"\n`);
  program('npm', `[ "$1" = run ] && exec "$EMAC_NPM" --prefix "${root}" "$@"\nexec "$EMAC_NPM" "$@"\n`);
  writeFileSync(join(folder, '.state'), '');
  const work = join(folder, 'emac');
  mkdirSync(work);
  symlinkSync(`${root}node_modules`, join(work, 'node_modules'));
  return work;
}

/** Runs a block in a folder that `readersFolder` has made; it has five minutes. */
export function runBlock(
  { tested, interruptedAt, status, prints }: ShellBlock,
  folder: string,
): Promise<BlockResult> {
  const state = join(folder, '.state');
  const script = `cd "${join(folder, 'emac')}"; . "${state}"; set -e
trap '{ export -p | grep -v " _="; printf "cd %q\\n" "$PWD"; } > "${state}"' EXIT
set -a
${tested!}`;
  const paths = (process.env['PATH'] ?? '').split(delimiter);
  const installed = (name: string) => join(process.execPath, '..', name);
  const child = spawn('bash', ['-c', script], {
    env: {
      ...process.env,
      PATH: [join(folder, '.programs'), ...paths].join(delimiter),
      EMAC_NPX: installed('npx'),
      EMAC_NPM: installed('npm'),
      REPOSITORY: root,
      XDG_CACHE_HOME: join(folder, '.cache'),
      npm_config_loglevel: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // its own process group, as at a terminal, so Ctrl-C reaches all of it
    detached: true,
  });
  const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 300_000);
  let [printed, wasInterrupted] = ['', false];
  const heard = (chunk: Buffer) => {
    printed += chunk.toString();
    if (interruptedAt === null || wasInterrupted || !printed.includes(interruptedAt)) return;
    wasInterrupted = true;
    process.kill(-child.pid!, 'SIGINT');
  };
  child.stdout.on('data', heard);
  child.stderr.on('data', heard);
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(late);
      const missed = interruptedAt !== null && !wasInterrupted ? `never printed ${interruptedAt}` : null;
      const lines = new Set(printed.split('\n'));
      const unsaid = prints.find((line) => !says(lines, line));
      const silent = unsaid === undefined ? null : `did not print ${unsaid}`;
      const ended = code === status ? null : `ended with ${code ?? signal}, not ${status}`;
      resolve({ printed, fault: missed ?? ended ?? silent });
    }),
  );
}

const decimals = /\d+\.\d{3,}/g;

/** Whether a line was printed; numbers of three decimals or more may differ by one in the last, since processors round otherwise. */
export function says(printed: ReadonlySet<string>, line: string): boolean {
  if (printed.has(line)) return true;
  const wanted = line.match(decimals) ?? [];
  const form = line.replace(decimals, '#');
  return [...printed].some((each) => {
    const found = each.match(decimals) ?? [];
    return (
      each.replace(decimals, '#') === form && found.every((text, place) => isNeighbour(text, wanted[place]!))
    );
  });
}

/** Equal, or the next number of as many decimals. */
function isNeighbour(one: string, other: string): boolean {
  const places = one.length - one.indexOf('.') - 1;
  const steps = Math.round((Number(one) - Number(other)) * 10 ** places);
  return other.length - other.indexOf('.') - 1 === places && Math.abs(steps) <= 1;
}
