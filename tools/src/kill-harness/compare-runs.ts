/**
 * Compares two runs byte by byte in everything that must not depend on time: all but run.json, events.jsonl,
 * config.yaml, command.txt, their report and the times in world.log.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyFolder } from '@emac/files';

const ofTheDay = new Set(['run.json', 'events.jsonl', 'config.yaml', 'command.txt', 'report.html']);

/** Names of the files that differ, or that only one of the runs has. */
export function differences(left: string, right: string): string[] {
  const [inLeft, inRight] = [contentOf(left), contentOf(right)];
  const names = [...new Set([...inLeft.keys(), ...inRight.keys()])].sort();
  return names.filter((name) => {
    const [a, b] = [inLeft.get(name), inRight.get(name)];
    return !a || !b || !a.equals(b);
  });
}

/** Checks that every checkpoint that can be seen is complete; throws naming the file that is not. */
export function verifyVisible(run: string): void {
  const checkpoints = join(run, 'checkpoints');
  for (const name of readdirSync(checkpoints)) if (/^\d+$/.test(name)) verifyFolder(join(checkpoints, name));
}

function contentOf(run: string): Map<string, Buffer> {
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1))
    // the claim, and half a report, of a process that was killed after its run was done
    .filter((name) => !ofTheDay.has(name) && !/^\.(lock|tmp-report\.html)-/.test(name));
  return new Map(names.map((name) => [name, comparable(name, readFileSync(join(run, name)))]));
}

/** Concurrent replies come in any order; a round in world.log has its duration. */
function comparable(name: string, bytes: Buffer): Buffer {
  if (name === 'llm.jsonl') return Buffer.from(bytes.toString().split('\n').sort().join('\n'));
  if (name === 'logging_results/world.log')
    return Buffer.from(bytes.toString().replace(/^TIME: .*$/gm, 'TIME'));
  return bytes;
}
