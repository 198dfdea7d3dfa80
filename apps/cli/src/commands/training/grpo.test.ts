/** The Lewis game from the command line: printed reports, and equal bytes after stops and kills. Kills need the compiled command. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, onFailpoint, sha256, type Failpoint } from '@emac/files';
import { readConfig, readRecord, resolveCheckpoint } from '@emac/runs';
import { alsoLong, isLong } from '@emac/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunFile } from '@emac/pages/data';
import { dataIn } from '@emac/pages/whole-page';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../../emac-process.test.fixture.ts';
import { copiedAt, runKilledAt, type KilledAt } from '../../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
/** Every answer gets a different reward: the untrained model never gives the expected one. */
const numbers =
  '--prompts-per-update 2 --num-generations 3 --max-new-tokens 12 --listener-reward-mode soft_always --lora-rank 2 --eval-games 3 --checkpoint-every 2';
const small = ['grpo', '--env', 'lewis', '--role', 'speaker', '--updates', '4', ...numbers.split(' ')];
const runsIn = (out: string): string[] =>
  readdirSync(out)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(out, name));
const only = (out: string): string => runsIn(out)[0]!;
const checkpointsOf = (run: string): string[] => readdirSync(join(run, 'checkpoints')).sort();

afterEach(() => onFailpoint(null));

const ofTheDay = ['run.json', 'events.jsonl', 'command.txt', 'report.html'];

/** All files and fields without dates, by name. */
function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter(({ name }) => !ofTheDay.includes(name) && !name.startsWith('.lock-'))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1));
  return new Map(names.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

const kills: readonly KilledAt[] = [
  'appended:3',
  'checkpoint-files-synced:2',
  'run-done:1',
  ...alsoLong(['run-visible:1', 'checkpoint-best-named:3'] as const),
];
const copies = join(folder, 'killed');

let undisturbed = '';
let printed = '';
beforeAll(async () => {
  const out = join(folder, 'undisturbed');
  const work = () => emac([...small, '--out', out]);
  const { status, stdout } = await copiedAt(kills, { out, copies, work });
  expect(status).toBe(0);
  [undisturbed, printed] = [only(out), stdout];
});

describe('emac train --method grpo', () => {
  it('prints a table of held-out games before and after, and writes the usual run folder', () => {
    expect(printed).toMatch(/│\s+before │\s+after │/);
    expect(printed).toMatch(/accuracy\s+│ \d+ % \(\d of 3\) │ \d+ % \(\d of 3\) │/);
    expect(printed).toContain('lewis, 3 games with held-out concepts and views, 3 candidates');
    // 4 updates of 2 prompts with 3 answers each
    expect(printed).toMatch(/^training: 4 updates, 24 answers, \d+ tokens$/m);
    const names = readdirSync(undisturbed);
    for (const name of ['DONE', 'config.yaml', 'metrics.jsonl', 'eval-before.json', 'eval.json'])
      expect(names).toContain(name);
    // a checkpoint every second update and after the last: 0, 2 · 6 answers + 2, 4 · 6 + 4
    expect(checkpointsOf(undisturbed)).toEqual(['00000000', '00000014', '00000028', 'best', 'latest']);
    const games = (name: string) =>
      (JSON.parse(readFileSync(join(undisturbed, name), 'utf8')) as { games: { id: string }[] }).games.map(
        ({ id }) => id,
      );
    expect(games('eval.json')).toEqual(games('eval-before.json'));
    const report = readFileSync(join(undisturbed, 'report.html'), 'utf8');
    expect(report).toContain('Group relative policy optimization (GRPO) of a speaker');
    const { run } = dataIn(report) as RunFile;
    // a sum and its terms, which are one chart
    expect(run.series.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'update reward',
        'update reward_accuracy',
        'update reward_format',
        'update reward_length',
        'update kl',
      ]),
    );
  });

  it.each([
    ['updating', 3],
    ...alsoLong([
      ['updating', 1],
      ['checkpoint-written', 2],
    ] as const),
  ] as const)('resumes to the same bytes after a stop at %s (%i)', async (name: Failpoint, count) => {
    const out = join(folder, `${name}-${count}`);
    const interruption = new AbortController();
    let left = count;
    onFailpoint((passed) => {
      if (passed === name && --left === 0) interruption.abort();
    });
    const stopped = await emac([...small, '--out', out], { interruption });
    onFailpoint(null);
    expect(stopped.status).toBe(75);
    expect(stopped.stderr).toContain(`npx emac train --resume ${only(out)}`);
    expect(readRecord(only(out)).status).toBe('interrupted');
    const { status, stdout } = await emac(['grpo', '--resume', only(out)]);
    expect([status, stdout.includes('since it was resumed')]).toEqual([0, true]);
    expect(contentOf(only(out))).toEqual(contentOf(undisturbed));
  });

  it.runIf(isLong && isBuilt)('resumes to the same bytes after Ctrl-C', async () => {
    const out = join(folder, 'ctrl-c');
    const stopped = await emacProcess(
      [...small, '--out', out],
      once('training: 4 updates', (child) => child.kill('SIGINT')),
    );
    expect([stopped.status, stopped.stderr]).toEqual([
      75,
      expect.stringContaining(`to resume: npx emac train --resume ${only(out)}\n`),
    ]);
    expect((await emac(['grpo', '--resume', only(out), '--allow-drift'])).status).toBe(0);
    expect(contentOf(only(out))).toEqual(contentOf(undisturbed));
  });

  it.each(kills)('resumes to the same bytes after kill -9 at %s', async (place) => {
    const run = runKilledAt(place, copies);
    const { status } = await emac(['grpo', '--resume', run]);
    expect(status).toBe(0);
    expect(contentOf(run)).toEqual(contentOf(undisturbed));
  });

  it('keeps a best checkpoint after any kill, with --keep final', async () => {
    const words = small.map((word, place) => (small[place - 1] === '--updates' ? '3' : word));
    const often = words.map((word, place) => (words[place - 1] === '--checkpoint-every' ? '1' : word));
    // a seed with which the best is no longer there at the end
    const every = [...often, '--seed', '1'];
    const out = join(folder, 'final');
    const final = join(folder, 'final-killed');
    // of 0, 7, 14 and 21 the first is deleted during training, 7 (the best) at the end
    await copiedAt(['checkpoint-removed:2'], {
      out,
      copies: final,
      work: () => emac([...every, '--keep', 'final', '--out', out]),
    });
    const killed = runKilledAt('checkpoint-removed:2', final);
    expect(checkpointsOf(killed)).toEqual(['00000014', '00000021', 'best', 'latest']);
    expect(resolveCheckpoint(`${killed}@best`).name).toBe('00000021');
    // killed once more before the run's end: resuming repairs the names first
    const again = join(folder, 'final-killed-again');
    await copiedAt(['run-evaluated:1'], {
      out: join(killed, '..'),
      copies: again,
      work: () => emac(['grpo', '--resume', killed]),
    });
    const twice = runKilledAt('run-evaluated:1', again);
    expect(resolveCheckpoint(`${twice}@best`).name).toBe('00000021');
    expect((await emac(['grpo', '--resume', twice])).status).toBe(0);
    expect(checkpointsOf(twice)).toEqual(['00000021', 'best', 'latest']);
  });

  it('does not resume a finished run, and starts a new one from it on request', async () => {
    const before = contentOf(undisturbed);
    const { status, stderr } = await emac(['grpo', '--resume', undisturbed]);
    expect([status, stderr]).toEqual([0, `run ${undisturbed}: is finished\n`]);
    expect(contentOf(undisturbed)).toEqual(before);
    const out = join(folder, 'from');
    expect((await emac([...small, '--updates=1', '--init', undisturbed, '--out', out])).status).toBe(64);
    const from = small.map((word, place) => (small[place - 1] === '--updates' ? '1' : word));
    expect((await emac([...from, '--init', undisturbed, '--out', out])).status).toBe(0);
    const games = (run: string, name: string) =>
      (JSON.parse(readFileSync(join(run, name), 'utf8')) as { identification: { results: unknown } })
        .identification.results;
    expect(games(only(out), 'eval-before.json')).toEqual(games(undisturbed, 'eval.json'));
  });

  it('can be resumed by any training command', async () => {
    const run = join(folder, 'other');
    cpSync(undisturbed, run, { recursive: true });
    rmSync(join(run, 'DONE'));
    expect((await emac(['ppo', '--resume', run])).status).toBe(0);
    expect(contentOf(run)).toEqual(contentOf(undisturbed));
  });

  it('keeps every adapter setting in config.yaml, and resumes a folder without them', async () => {
    const trained = (readConfig(undisturbed) as { trained: object }).trained;
    expect(trained).toEqual({
      parts: 'lora',
      rank: 2,
      alpha: 16,
      dropout: 0,
      targets: 'q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj',
    });
    const run = join(folder, 'older');
    cpSync(undisturbed, run, { recursive: true });
    rmSync(join(run, 'DONE'));
    const older = {
      ...(readConfig(undisturbed) as object),
      trained: { ...trained, alpha: null, dropout: null, targets: null },
    };
    writeFileSync(join(run, 'config.yaml'), JSON.stringify(older));
    const record = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')) as object;
    writeFileSync(join(run, 'run.json'), JSON.stringify({ ...record, config: sha256(canonicalJson(older)) }));
    expect((await emac(['grpo', '--resume', run])).status).toBe(0);
    const computed = (of: string) => [...contentOf(of)].filter(([name]) => name !== 'config.yaml');
    expect(computed(run)).toEqual(computed(undisturbed));
  });
});

describe('emac train --method grpo --role both', () => {
  it('trains in turns, and resumes a stopped turn to the same bytes', async () => {
    const few = numbers.replace('--eval-games 3', '--eval-games 1').split(' ');
    const turns = ['grpo', '--role', 'both', '--turns', '2', '--updates', '1', ...few];
    const [whole, out] = [join(folder, 'turns'), join(folder, 'turns-stopped')];
    const undisturbedTurns = await emac([...turns, '--out', whole]);
    expect(undisturbedTurns.status).toBe(0);
    // a table for each turn
    expect(undisturbedTurns.stdout.match(/^run: /gm)).toHaveLength(2);

    const interruption = new AbortController();
    let updates = 0;
    // the second table belongs to the second turn
    onFailpoint((passed) => {
      if (passed === 'updating' && ++updates === 2) interruption.abort();
    });
    const stopped = await emac([...turns, '--out', out], { interruption });
    onFailpoint(null);
    expect([stopped.status, runsIn(out).length]).toEqual([75, 2]);
    const [first, second] = inOrder(out);
    expect(stopped.stderr).toContain(`npx emac train --resume ${second}`);
    // resuming the first run resumes the whole chain
    expect((await emac(['grpo', '--resume', first!])).status).toBe(0);
    // evaluations and configurations contain the other role's run, and its name differs
    const trained = (run: string) =>
      [...contentOf(run)].filter(([name]) => name.startsWith('checkpoints/') || name === 'metrics.jsonl');
    for (const [place, run] of inOrder(out).entries()) {
      expect(trained(run).length).toBeGreaterThan(5);
      expect(trained(run)).toEqual(trained(inOrder(whole)[place]!));
    }
  });
});

/** The run that follows none first. */
function inOrder(out: string): string[] {
  return runsIn(out).sort((a, b) => readRecord(a).seed - readRecord(b).seed);
}

describe('the exit code of emac train --method grpo', () => {
  const file = join(folder, 'bad.yaml');
  beforeAll(() => writeFileSync(file, 'play:\n  groupSize: none\n'));

  it.each([
    [64, ['grpo'], '--role: is required: speaker, listener or both'],
    [64, ['grpo', '--role', 'teacher'], '--role: must be speaker or listener or both, got "teacher"'],
    [64, ['grpo', '--env', 'chess'], 'chess: is not an environment; similar ones are'],
    [64, ['grpo', '--env', 'NumberLine', '--role', 'speaker'], '--role: is for the Lewis game, got --env'],
    [64, ['grpo', '--role', 'speaker', '--reward', 'success'], '--reward: is for tasks of other'],
    [64, ['grpo', '--role', 'speaker', '--group-size', '1'], '--group-size'],
    [64, ['grpo', '--role', 'speaker', '--listener-reward-mode', 'hard'], '--listener-reward-mode'],
    [64, ['grpo', '--role', 'both', '--init', 'x'], '--init: holds one role'],
    [
      64,
      ['grpo', '--role', 'speaker', '--init', 'emma-tiny'],
      '--init emma-tiny: must be a run or a checkpoint of',
    ],
    [64, ['grpo', '--resume', folder, '--beta', '1'], '--beta: a run resumes with its own settings'],
    [66, ['grpo', '--resume', '/nowhere'], '/nowhere'],
    [66, ['grpo', '--role', 'speaker', '--init', '/nowhere'], '/nowhere: does not exist; name a run folder'],
    [
      66,
      ['grpo', '--role', 'speaker', '--listener', '/nowhere'],
      '/nowhere: does not exist; name a run folder',
    ],
    [66, ['grpo', '--role', 'listener', '--pictures', '/nowhere'], '--pictures /nowhere: does not exist'],
    [78, ['grpo', '--role', 'speaker', 'play.nothing=1'], 'play.nothing: is not a setting'],
    [78, ['grpo', '--role', 'speaker', '--config', file], 'play.groupSize'],
  ])('is %i for %j', async (status, argv, message) => {
    const out = join(folder, 'none');
    const result = await emac([...argv, ...(argv.includes('--resume') ? [] : ['--out', out])]);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(message)]);
    // nothing is left behind
    expect(existsSync(out)).toBe(false);
  });
});
