import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { report } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'received-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An evaluation of one game, of which a frame and the command's record lead elsewhere. */
function received(frame: string, target: string): string {
  const run = mkdtempSync(join(folder, 'run-'));
  for (const name of ['frames', 'episodes']) mkdirSync(join(run, name));
  const game = { id: 'a', type: 'b', won: true, steps: 1 };
  writeFileSync(
    join(run, 'eval.json'),
    JSON.stringify({
      v: 1,
      checkpoint: 'c',
      games: [game],
      success: 1,
      mean_steps: 1,
      by_type: {},
      seen: {},
    }),
  );
  const lines = [
    { kind: 'episode-start', episode: 0, taskId: 'a', observation: 'seen', frame },
    { kind: 'episode-end', episode: 0, won: true },
  ];
  writeFileSync(
    join(run, 'episodes', '000000.jsonl'),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  symlinkSync(target, join(run, 'frames', frame));
  return run;
}

it.each(['/etc/hostname', '/dev/zero'])('shows no bytes of %s, to which a received frame leads', (target) => {
  const run = received('0f.png', target);
  expect(() => report([run], { now: new Date(0) })).toThrow(
    new RegExp(`${join(run, 'frames', '0f.png')}.*(leads to ${target}, outside|is no ordinary file)`),
  );
});
