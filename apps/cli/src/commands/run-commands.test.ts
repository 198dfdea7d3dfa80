/** Commands that read a finished run: `report`, `board`, `ckpt`, and `eval` into its own folder. */
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelFolder } from '@emac/emma-tiny';
import { createRun } from '@emac/runs';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const out = join(folder, 'runs');
let run: string;

beforeAll(async () => {
  const small = [
    '--rounds',
    '1',
    '--games-per-round',
    '1',
    '--max-steps',
    '3',
    '--beams',
    '1',
    '--eval-games',
    '1',
  ];
  const trained = await emac(['train', '--phase', 'bc', ...small, '--out', out]);
  expect(trained.status).toBe(0);
  run = join(out, readdirSync(out)[0]!);
  expect(trained.stdout).toContain(`report: ${join(run, 'report.html')}`);
});

describe('emac report', () => {
  it('writes the metrics, with every step in pictures and no external resource', async () => {
    const file = join(folder, 'report.html');
    expect(await emac(['report', run, '--out', file])).toMatchObject({
      status: 0,
      stdout: `report: ${file}\n`,
    });
    const page = readFileSync(file, 'utf8');
    const [line] = readFileSync(join(run, 'metrics.jsonl'), 'utf8')
      .split('\n')
      .filter((each) => each.includes('"update"'));
    const { loss } = JSON.parse(line!) as { loss: number };
    expect(page).toContain(String(loss));
    for (const name of readdirSync(join(run, 'frames'))) expect(page).toContain(name);
    expect(page.match(/(?:src|href)="https?:/g)).toBeNull();
    const { stdout } = await emac(['report', run, '--out', file, '--json']);
    expect(JSON.parse(stdout)).toEqual({ file });
  });

  it('needs a run or an evaluation', async () => {
    expect(await emac(['report', folder])).toMatchObject({ status: 66 });
    expect(await emac(['report', run, '--out', folder])).toMatchObject({ status: 73 });
  });
});

describe('emac eval', () => {
  it('writes every game of a folder in words and pictures', async () => {
    const made = join(folder, 'evaluated/');
    const settings = ['--num-games', '2', '--max-steps', '2', '--beams', '1'];
    const asked = ['eval', '--ckpt', run, ...settings, '--gif', 'failures', '--out', made];
    expect(await emac(asked)).toMatchObject({ status: 0 });
    expect(readdirSync(join(made, 'episodes'))).toEqual(['000000.jsonl', '000001.jsonl']);
    const lines = readFileSync(join(made, 'episodes', '000000.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(['episode-start', 'step', 'step', 'episode-end']);
    for (const line of lines.slice(0, 3)) {
      const { frame } = JSON.parse(line) as { frame: string };
      expect(existsSync(join(made, 'frames', frame))).toBe(true);
    }
    expect(readFileSync(join(made, 'command.txt'), 'utf8')).toMatch(
      /^# emac \S+.*\nemac eval --ckpt .* --gif failures --out .*\n$/,
    );
    expect(existsSync(join(folder, 'evaluated.part'))).toBe(false);
    // a picture before the first step and one after each
    const films = readdirSync(join(made, 'gifs'));
    expect(films).toEqual(['000000.gif', '000001.gif']);
    const { pages } = await sharp(join(made, 'gifs', films[0]!), { animated: true }).metadata();
    expect(pages).toBe(3);
    expect(readFileSync(join(made, 'report.html'), 'utf8')).toMatch(/Success: \d+ % \(\d of 2, /);
  });
});

describe('emac play', () => {
  it('films a game', async () => {
    const commands = join(folder, 'commands.txt');
    const film = join(folder, 'game.gif');
    writeFileSync(commands, 'look\ninventory\n');
    const asked = ['play', 'builtin:valid_unseen/0', '--commands', commands, '--gif', film];
    expect(await emac(asked)).toMatchObject({ status: 0 });
    expect((await sharp(film, { animated: true }).metadata()).pages).toBe(3);
  });

  it('films an evaluation with a folder', async () => {
    const asked = ['eval', '--ckpt', run, '--gif', '1', '--out', join(folder, 'result.json')];
    expect(await emac(asked)).toMatchObject({ status: 64 });
  });
});

describe('emac ckpt', () => {
  it('verifies and prunes in JSON too', async () => {
    const other = join(folder, 'damaged');
    cpSync(run, other, { recursive: true });
    const names = readdirSync(join(other, 'checkpoints')).filter((name) => /^\d+$/.test(name));
    writeFileSync(join(other, 'checkpoints', names[0]!, 'state.json'), '{}');
    const verified = await emac(['ckpt', 'verify', other, '--json']);
    const faults = JSON.parse(verified.stdout) as { name: string; fault: string | null }[];
    expect([verified.status, verified.stderr, faults.map(({ name }) => name)]).toEqual([65, '', names]);
    expect(faults[0]!.fault).toContain('state.json');
    expect(faults.slice(1).map(({ fault }) => fault)).toEqual(names.slice(1).map(() => null));
    const pruned = await emac(['ckpt', 'prune', other, '--json']);
    const best = readFileSync(join(other, 'checkpoints/best'), 'utf8').trim();
    const removed = names.slice(0, -1).filter((name) => name !== best);
    expect(JSON.parse(pruned.stdout)).toEqual({ removed });
  });

  it('lists, inspects, verifies, compares and exports', async () => {
    const listed = JSON.parse((await emac(['ckpt', 'ls', run, '--json'])).stdout) as { name: string }[];
    const names = listed.map(({ name }) => name);
    expect(names).toEqual(readdirSync(join(run, 'checkpoints')).filter((name) => /^\d+$/.test(name)));
    const inspected = JSON.parse((await emac(['ckpt', 'inspect', run, '--json'])).stdout) as object;
    expect(inspected).toMatchObject({ games: 1, policy: { projection: { kind: 'linear' } } });
    expect((await emac(['ckpt', 'ls', run])).stdout).toMatch(/0 rounds .*\n.*1 round .*latest/);
    expect(await emac(['ckpt', 'verify', run])).toMatchObject({ status: 0, stderr: '' });
    const apart = async (a: string, b: string) => {
      const { stdout } = await emac(['ckpt', 'diff', `${run}@${a}`, `${run}@${b}`, '--json']);
      return (JSON.parse(stdout) as { largest: number }[]).map(({ largest }) => largest > 0);
    };
    expect(await apart(names[0]!, names[0]!)).toEqual([false, false]);
    expect(await apart(names[0]!, names.at(-1)!)).toEqual([true, true]);
    const file = join(folder, 'exported', 'projection.safetensors');
    expect(await emac(['ckpt', 'export', run, '--out', file])).toMatchObject({ status: 0 });
    const stored = join(run, 'checkpoints', names.at(-1)!, 'projection.safetensors');
    expect(readFileSync(file)).toEqual(readFileSync(stored));
    expect(await emac(['ckpt', 'export', run, '--out', file])).toMatchObject({ status: 73 });
    expect(await emac(['ckpt', 'inspect', run, run, run])).toMatchObject({ status: 64 });
    const whole = join(folder, 'exported', 'model');
    const exported = await emac(['ckpt', 'export', run, '--whole', '--out', whole]);
    expect(exported.stdout).toMatch(/a model folder, with the projection in model\.safetensors/);
    const offered = await emac(['eval', '--ckpt', whole, '--num-games', '1', '--max-steps', '1']);
    expect(offered.status).toBe(0);
    for (const flag of ['--link', '--model=emma-tiny'])
      expect(await emac(['ckpt', 'export', run, '--out', join(folder, 'x'), flag])).toMatchObject({
        status: 64,
      });
  });

  it('names copies of the weights that an exported model does not need', async () => {
    const model = join(folder, 'model-with-twin');
    cpSync(modelFolder, model, { recursive: true });
    writeFileSync(join(model, 'pytorch_model.bin'), 'old');
    const asked = (out: string) => ['ckpt', 'export', run, '--whole', '--model', model, '--out', out];
    const [said, printed] = ['said', 'printed'].map((name) => join(folder, 'without-twin', name));
    expect((await emac(asked(said!))).stdout).toBe(
      `${said}: a model folder, with the projection in model.safetensors\nskipped, as the model does not need them: pytorch_model.bin\n`,
    );
    expect(JSON.parse((await emac([...asked(printed!), '--json'])).stdout)).toEqual({
      folder: printed,
      changed: ['model.safetensors'],
      leftOut: ['pytorch_model.bin'],
    });
    const file = join(folder, 'without-twin', 'projection.safetensors');
    expect(JSON.parse((await emac(['ckpt', 'export', run, '--out', file, '--json'])).stdout)).toEqual({
      file,
      tensors: ['language_projection.bias', 'language_projection.weight'],
    });
  });

  it('distinguishes in JSON a tensor that was zero from a different one', async () => {
    const now = () => new Date(0);
    const own = createRun({ out: join(folder, 'own'), phase: 'bc', seed: 0, config: {}, versions: {}, now });
    const tensor = (...values: number[]) => ({ shape: [values.length], data: Float32Array.from(values) });
    const steps = [
      { bias: tensor(0, 0), scale: tensor(3, 4), weight: tensor(1) },
      { bias: tensor(0, 2), scale: tensor(3, 9), weight: tensor(1, 1) },
    ];
    for (const [step, tensors] of steps.entries())
      own.checkpoint({
        step,
        projection: new Map(Object.entries(tensors)),
        optimizer: new Map(),
        state: {},
        manifest: { baseModel: 'tiny', games: [] },
      });
    own.finish();
    const { stdout } = await emac(['ckpt', 'diff', `${own.folder}@0`, `${own.folder}@1`, '--json']);
    expect(JSON.parse(stdout)).toEqual([
      { name: 'bias', largest: 2, relative: 'Infinity' },
      // 5 over √(3² + 4²)
      { name: 'scale', largest: 5, relative: 1 },
      { name: 'weight', largest: null, relative: null },
    ]);
  });
});

describe('emac board', () => {
  /** Interrupted once it says so; `use` asks it before. */
  async function served(words: readonly string[], use: (address: string) => Promise<void> = async () => {}) {
    const interruption = new AbortController();
    const all = { stdout: '', stderr: '' };
    const ended = emac(['board', out, '--port', '0', ...words], {
      interruption,
      onStdout: (text) => (all.stdout += text),
      onStderr: (text) => (all.stderr += text),
    });
    while (!all.stderr.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 5));
    await use(all.stdout.replace('board: ', '').trim());
    interruption.abort();
    return ended;
  }

  it('serves the runs until interrupted', async () => {
    const { status, stdout } = await served([]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^board: http:\/\/127\.0\.0\.1:\d+\/\n$/);
    expect(await emac(['board', join(folder, 'none')])).toMatchObject({ status: 66 });
  });

  it.each([['--token'], ['--host', '0.0.0.0']])(
    'with %s shows runs to those with its token alone',
    async (...words) => {
      const { stderr } = await served(words, async (printed) => {
        const { port, hash } = new URL(printed);
        const runs = `http://127.0.0.1:${port}/api/runs`;
        const authorization = `Bearer ${hash.replace('#token=', '')}`;
        expect((await fetch(runs)).status).toBe(401);
        expect((await fetch(runs, { headers: { authorization } })).status).toBe(200);
      });
      expect(/not encrypted/.test(stderr)).toBe(words.includes('--host'));
    },
  );
});
