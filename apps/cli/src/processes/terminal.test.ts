/** The command on a real terminal: its line of progress, and Ctrl-C. Needs the compiled command and util-linux `script`. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord } from '@emac/runs';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';
import { emacCommand, hasTerminal, onTerminal } from '../terminal-process.test.fixture.ts';

const folder = temporaryFolder();
// more games than a slow key press needs
const train = (out: string) => [
  'train',
  '--phase',
  'bc',
  '--act-with',
  'student',
  '--rounds',
  '2',
  '--games-per-round',
  '20',
  '--eval-games',
  '0',
  '--probe',
  'none',
  '--out',
  join(folder, out),
];
const answer = 'finishing the step and saving; again to quit';

describe.skipIf(!isBuilt || !hasTerminal)('a terminal (needs the build, and util-linux script)', () => {
  it('shows a bar with steps, answers Ctrl-C at once, and the run can resume', async () => {
    const { status, stdout } = await onTerminal(emacCommand(train('once')), {
      typed: [[/training .*game \d+ of 40.* step \d/, '\u0003']],
    });
    expect(status).toBe(75);
    expect(stdout).toMatch(/\r\u001b\[Ktraining [█·]{8,} game \d+ of 40/);
    const [before, after] = stdout.split(answer);
    // the bar may be drawn again between the key's echo and the answer, on the same line
    expect(before).toMatch(/\^C[^\n]*\r\n$/);
    const [run] = readdirSync(join(folder, 'once'));
    expect(after).toContain(`to resume: npx emac train --resume ${join(folder, 'once', run!)}`);
    expect(readRecord(join(folder, 'once', run!)).status).toBe('interrupted');
  });

  it('quits at the second Ctrl-C', async () => {
    // a step that never ends: its expert reports the request and does not answer
    const expert = join(folder, 'silent.mjs');
    writeFileSync(
      expert,
      `export function label() {
        process.stderr.write('asked');
        return new Promise(() => setInterval(() => {}, 1_000_000));
      }`,
    );
    const argv = [...train('twice'), '--expert', expert];
    const { status, stdout } = await onTerminal(emacCommand(argv), {
      typed: [
        [/asked/, '\u0003'],
        [/again to quit/, '\u0003'],
      ],
    });
    expect(stdout).toContain(answer);
    expect(status).toBe(130);
  });
});

describe.skipIf(!isBuilt)('Ctrl-C and SIGTERM without a terminal (needs the build)', () => {
  // the next test tries it with events
  it.each(alsoLong(['SIGTERM', 'SIGINT'] as const))('are answered in a line at %s', async (sent) => {
    const ended = await emacProcess(
      train(sent),
      once('training: 40 games', (child) => child.kill(sent)),
    );
    expect(ended.status).toBe(75);
    expect(ended.stderr).toMatch(new RegExp(`^${answer}$`, 'm'));
    expect(ended.stderr).not.toContain('\u001b');
  });

  it('never mix with the events on standard output', async () => {
    const ended = await emacProcess(
      [...train('json'), '--json', '--quiet'],
      once('"part":"training"', (child) => child.kill('SIGINT')),
    );
    expect(ended.status).toBe(75);
    expect(ended.stdout).not.toContain(answer);
    for (const line of ended.stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
    expect(ended.stderr).toMatch(new RegExp(`^${answer}\nto resume: .*\nemac: .*\n$`));
  });
});
