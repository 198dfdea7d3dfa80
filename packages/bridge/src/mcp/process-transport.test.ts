/** Servers that leave processes behind, in real shells. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { processTransport } from './process-transport.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command until its shell has written the id of what it began, and closes. */
async function closedAfter(command: string, file: string): Promise<number> {
  const transport = processTransport(command);
  await transport.start();
  const id = await vi.waitFor(
    () => {
      const text = readFileSync(file, 'utf8').trim();
      expect(text).not.toBe('');
      return Number(text);
    },
    { timeout: 20_000 },
  );
  await transport.close();
  return id;
}

const isRunning = (id: number) => {
  try {
    // a process that nobody has waited for yet is no longer running
    return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]![0] !== 'Z';
  } catch {
    return false;
  }
};

it.skipIf(process.platform !== 'linux').each([
  ['holds the output', ''],
  ['has closed its output', '> /dev/null 2>&1'],
])(
  'ends what a shell left running that %s',
  async (name, output) => {
    const file = join(folder, name.replaceAll(' ', '-'));
    const id = await closedAfter(`sleep 600 ${output} & echo $! > ${file}; exit 0`, file);
    await vi.waitFor(() => expect(isRunning(id)).toBe(false), { timeout: 20_000 });
  },
  60_000,
);

it.skipIf(process.platform !== 'linux')(
  'closes beside a process that has left its group and holds the output',
  async () => {
    const file = join(folder, 'left');
    const id = await closedAfter(`setsid sleep 600 & echo $! > ${file}; exit 0`, file);
    expect(isRunning(id)).toBe(true);
    process.kill(id, 'SIGKILL');
  },
  60_000,
);
