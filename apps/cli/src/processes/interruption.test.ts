/** Ctrl-C and SIGTERM while a command works. Needs the compiled command. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alsoLong, isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const aGame = /not won|won in|in circles/;

describe.skipIf(!isBuilt)('an interrupted emac process (needs the build)', () => {
  // `npm test` covers it by the next tests
  it.each(
    alsoLong([
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const),
  )('ends an evaluation with its own status at %s: %i', async (sent, status) => {
    const ended = await emacProcess(
      ['eval', '--ckpt', 'emma-tiny', '--max-steps', '9', '--out', 'none', '--verbose'],
      once(aGame, (child) => child.kill(sent)),
    );
    expect([ended.status, ended.signal]).toEqual([status, null]);
    expect(ended.stderr).not.toContain('Napi');
  });

  it('keeps an evaluation’s finished games; the same command plays the others', async () => {
    const argv = [
      'eval',
      '--ckpt',
      'emma-tiny',
      '--num-games',
      '4',
      '--max-steps',
      '12',
      '--beams',
      '1',
      '--json',
      '--verbose',
    ];
    const whole = await emac([...argv, '--out', 'none']);
    const out = join(folder, 'result.json');
    const stoppable = [...argv, '--parallel-episodes', '1', '--out', out];
    const stopped = await emacProcess(
      stoppable,
      once(aGame, (child) => child.kill('SIGINT')),
    );
    expect(stopped.status).toBe(130);
    const kept = readFileSync(`${out}.part.jsonl`, 'utf8').trim().split('\n');
    expect(kept.length).toBeGreaterThan(1);
    const again = await emac(stoppable);
    expect([again.status, again.stdout]).toEqual([0, whole.stdout]);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(JSON.parse(whole.stdout));
    expect(existsSync(`${out}.part.jsonl`)).toBe(false);
  });

  it('never aborts at two signals in a row while training: it saves the run, or ends with 143', async () => {
    const short = '--rounds 1 --games-per-round 1 --max-steps 20 --eval-games 0'.split(' ');
    const ended = await emacProcess(
      ['train', '--phase', 'bc', ...short, '--out', join(folder, 'twice')],
      once('training: 1 game', (child) => {
        child.kill('SIGTERM');
        // the system drops a signal while another of its kind waits
        setTimeout(() => child.kill('SIGTERM'), 20);
      }),
    );
    expect(ended.signal).toBe(null);
    expect([75, 143]).toContain(ended.status);
    expect(ended.stderr).not.toContain('Napi');
  });

  it('stops making, checking and playing games in the middle', async () => {
    const games = join(folder, 'games');
    const made = await emacProcess(
      ['games', 'generate', '--out', games, '--count', '10000'],
      once('trial_G0_00020', (child) => child.kill('SIGINT')),
    );
    expect([made.status, made.stdout.split('\n').length < 10_000]).toEqual([130, true]);
    const commands = join(folder, 'commands.txt');
    writeFileSync(commands, 'look\n'.repeat(1_000_000));
    const argv = ['play', 'builtin:train/0', '--json', '--commands', commands];
    const played = await emacProcess(
      argv,
      once('"step":20', (child) => child.kill('SIGTERM')),
    );
    expect(played.status).toBe(143);
  });

  it('tells how to resume a stopped collection, without a word of training', async () => {
    // enough games to be still busy when the signal comes
    const games = isLong ? '40' : '16';
    const out = join(folder, 'data');
    const few = ['--num-games', games, '--max-steps', '5'];
    const argv = ['collect', '--out', out, ...few, '--verbose'];
    const stopped = await emacProcess(
      argv,
      once(aGame, (child) => child.kill('SIGINT')),
    );
    expect(stopped.status).toBe(75);
    expect(stopped.stderr).toMatch(
      new RegExp(
        `emac: collect: stopped on request after \\d+ of ${games} games; run the same command again to resume\n$`,
      ),
    );
    expect(stopped.stderr).not.toMatch(/training|checkpoint/);
    expect((await emac(argv)).status).toBe(0);
    const disturbed = readFileSync(join(out, 'train.json'), 'utf8');
    const whole = join(folder, 'whole');
    expect((await emac(['collect', '--out', whole, ...few])).status).toBe(0);
    expect(disturbed).toBe(readFileSync(join(whole, 'train.json'), 'utf8'));
  });
});
