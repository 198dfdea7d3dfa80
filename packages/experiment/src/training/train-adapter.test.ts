/** Adapters trained by a program: alone and with the projection, stopped and resumed, as a reference, reopened. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAdapter } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { openSafetensors, readFloat32 } from '@emac/files';
import { plainHost } from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import type { GivenTrainConfig } from '@emac/settings';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAgent, type Agent } from '../agent.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { resume } from '../methods.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const trained = { parts: 'lora', rank: 2, alpha: 4, targets: 'q_proj,v_proj' } as const;
const small: GivenTrainConfig = {
  phase: 'bc',
  play: { rounds: 1, gamesPerRound: 2, maxSteps: 6 },
  init: 'random',
  optimization: { updatesPerEpisode: 2, learningRate: 0.01 },
  speech: { beams: 1 },
  probe: false,
  evaluation: { episodes: 0 },
};
const inFolder = (name: string, changes: Partial<GivenTrainConfig> = {}): GivenTrainConfig => {
  return { ...small, trained, ...changes, out: join(folder, name) };
};

function filesOf(run: string): Record<string, string> {
  const checkpoints = join(run, 'checkpoints');
  const steps = readdirSync(checkpoints).filter((name) => /^\d+$/.test(name));
  const names = [
    'metrics.jsonl',
    ...steps.flatMap((step) =>
      readdirSync(join(checkpoints, step)).map((file) => join('checkpoints', step, file)),
    ),
  ];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

const checkpointOf = (run: string) => resolveCheckpoint(run).folder;
const projectionOf = (run: string) => loadCheckpoint(checkpointOf(run)).projection;
const firstOf = (run: string) => join(run, 'checkpoints', '00000000');

/** Log-probabilities of an answer under a policy. */
async function scores(ckpt: string): Promise<readonly number[]> {
  const agent: Agent = await openAgent(ckpt);
  try {
    const frame = { width: 1, height: 1, data: new Uint8Array(3) };
    const image = { kind: 'image', features: await agent.student.encode!(frame) } as const;
    const prompt = [image, { kind: 'text', text: 'You are in the middle of a room.\n>' }] as const;
    const [[answer]] = (await agent.student.score([{ prompt, answers: [' go to desk 1'] }])) as [
      [Float32Array],
    ];
    return [...answer];
  } finally {
    await agent.dispose();
  }
}

let bc: string;
beforeAll(async () => {
  bc = (await train(inFolder('bc'))).folder;
});

describe('an adapter that is trained', () => {
  it('alone leaves the projection as it began, and is in every checkpoint as PEFT reads it', () => {
    expect(projectionOf(bc)).toEqual(loadCheckpoint(firstOf(bc)).projection);
    const [before, after] = [readAdapter(firstOf(bc)), readAdapter(checkpointOf(bc))];
    expect(after.settings).toEqual({
      rank: 2,
      alpha: 4,
      dropout: 0,
      rankStabilized: false,
      targets: ['q_proj', 'v_proj'],
    });
    const largest = ({ parameters }: typeof before, part: string) =>
      Math.max(
        ...[...parameters].flatMap(([name, { data }]) =>
          name.includes(part) ? [...data.map(Math.abs)] : [],
        ),
      );
    expect(largest(before, 'lora_B')).toBe(0);
    expect(largest(after, 'lora_B')).toBeGreaterThan(1e-3);
    const { optimizer } = loadCheckpoint(checkpointOf(bc));
    const learned = new Set([...optimizer!.keys()].map((name) => name.replace(/^[^.]*\./, '')));
    expect([...learned].some((name) => name.includes('language_projection'))).toBe(false);
  });

  it('learns together with the projection if both are requested', async () => {
    const { folder: run, config } = await train(
      inFolder('both', { trained: { ...trained, parts: 'projection,lora' } }),
    );
    expect(config.trained.parts).toBe('projection,lora');
    expect(projectionOf(run)).not.toEqual(loadCheckpoint(firstOf(run)).projection);
    expect(readAdapter(checkpointOf(run)).parameters).not.toEqual(readAdapter(firstOf(run)).parameters);
  });

  it('resumes to the same bytes, dropout included, from any stop', async () => {
    const dropping = { trained: { ...trained, dropout: 0.3 } };
    const expected = filesOf((await train(inFolder('whole', dropping))).folder);
    const out = join(folder, 'stopped');
    const stoppingAt = (kind: string, after: number) => {
      const controller = new AbortController();
      const training = (event: { kind: string }) =>
        void (event.kind === kind && --after === 0 && controller.abort());
      return plainHost({ signal: controller.signal, listener: { training } });
    };
    const interrupted = { code: 'interrupted' };
    await expect(train({ ...inFolder('stopped', dropping) }, stoppingAt('update', 1))).rejects.toMatchObject(
      interrupted,
    );
    const run = join(out, readdirSync(out)[0]!);
    await expect(resume(run, stoppingAt('step', 2))).rejects.toMatchObject(interrupted);
    await resume(run);
    expect(filesOf(run)).toEqual(expected);
  });

  it('is reopened by everything that opens a policy, and changes its answers', async () => {
    const [first, last] = [await scores(firstOf(bc)), await scores(bc)];
    expect(last).not.toEqual(first);
    // the checkpoint copied elsewhere, and the reference of a run
    const copy = join(folder, 'copy');
    cpSync(checkpointOf(bc), copy, { recursive: true });
    expect(await scores(copy)).toEqual(last);
  });
});

describe('preferences', () => {
  it('are measured against the adapter and projection of the first phase, stored in the run', async () => {
    const { folder: dpo, config } = await train(
      inFolder('dpo', {
        phase: 'dpo',
        init: null,
        start: { ref: bc },
        trained: { parts: 'lora' },
        play: { ...small.play, gamesPerRound: 4 },
      }),
    );
    expect(config.trained).toEqual({ ...trained, dropout: 0, targets: 'q_proj,v_proj' });
    expect(readAdapter(join(dpo, 'reference')).parameters).toEqual(readAdapter(checkpointOf(bc)).parameters);
    expect(readAdapter(firstOf(dpo)).parameters).toEqual(readAdapter(checkpointOf(bc)).parameters);
    expect(projectionOf(dpo)).toEqual(projectionOf(bc));
    expect(await scores(firstOf(dpo))).toEqual(await scores(bc));
  });

  it('teach the projection under an adapter that stays', async () => {
    const start = { ref: bc };
    const { folder: dpo } = await train(
      inFolder('frozen', { phase: 'dpo', init: null, start, trained: { parts: 'projection' } }),
    );
    expect(readAdapter(checkpointOf(dpo)).parameters).toEqual(readAdapter(checkpointOf(bc)).parameters);
  });

  it('are measured against a reference that adapts other projections, or none', async () => {
    const others = inFolder('others', {
      phase: 'dpo',
      init: 'model',
      start: { ref: bc },
      trained: { ...trained, targets: 'up_proj' },
    });
    const { folder: run } = await train(others);
    expect(readAdapter(checkpointOf(run)).settings.targets).toEqual(['up_proj']);
    const { folder: bare } = await train(
      inFolder('bare', { phase: 'dpo', init: null, start: { ref: 'emma-tiny' } }),
    );
    expect(existsSync(join(bare, 'reference', 'adapter_config.json'))).toBe(false);
    expect(readAdapter(checkpointOf(bare)).settings.targets).toEqual(['q_proj', 'v_proj']);
  });
});

describe('a foreign adapter', () => {
  const peft = join(folder, 'peft');
  beforeAll(() => {
    mkdirSync(peft);
    for (const name of ['adapter_config.json', 'adapter_model.safetensors'])
      cpSync(join(checkpointOf(bc), name), join(peft, name));
  });

  it('is taken from its folder alone, with the projection of the model', async () => {
    const { folder: run } = await train(inFolder('from-peft', { init: peft, trained: { parts: 'lora' } }));
    expect(readAdapter(firstOf(run)).parameters).toEqual(readAdapter(checkpointOf(bc)).parameters);
    const own = openSafetensors(join(modelFolder, 'model.safetensors'));
    const name = 'language_projection.weight';
    expect(projectionOf(run).get(name)!.data).toEqual(readFloat32(own, name));
    expect(await scores(peft)).toEqual(await scores(firstOf(run)));
  });

  it('is refused in one sentence if its base or kind differs or it is incomplete', async () => {
    const place = join(folder, 'other');
    cpSync(new URL('../../../backbone/fixtures/adapters/all-linear', import.meta.url).pathname, place, {
      recursive: true,
    });
    await expect(openAgent(place)).rejects.toThrow(
      /other: is an adapter of another base, .*lora_A.* where .* a width of/,
    );
    const config = join(peft, 'adapter_config.json');
    const text = readFileSync(config, 'utf8');
    const written = (changes: object) =>
      writeFileSync(config, JSON.stringify({ ...(JSON.parse(text) as object), ...changes }));
    for (const [changes, message] of [
      [{ peft_type: 'PREFIX_TUNING' }, /peft_type must be LORA, got "PREFIX_TUNING"/],
      [{ use_dora: true }, /use_dora is not supported/],
      [{ r: 3 }, /must have the rank 3, is \[2, /],
      [{ rank_pattern: { q_proj: 3 } }, /rank_pattern is not supported/],
    ] as const) {
      written(changes);
      await expect(openAgent(peft)).rejects.toThrow(message);
    }
    writeFileSync(config, text);
    rmSync(join(peft, 'adapter_model.safetensors'));
    await expect(openAgent(peft)).rejects.toThrow(/holds no adapter_model.safetensors or adapter_model.bin/);
  });

  it.each([
    [{ targets: 'q_proj,query' }, /^--lora-targets: "query" matches no projection .* all-linear/],
    [{ rank: 3, targets: null }, /^--lora-rank: training starts from an adapter whose rank is 2, got 3/],
    [{ targets: 'up_proj' }, /^--lora-targets: .* whose targets are q_proj,v_proj, got up_proj/],
  ])('keeps its settings: %j', async (changes, message) => {
    const given = inFolder('refused', { init: bc, trained: { ...trained, ...changes } });
    await expect(train(given)).rejects.toThrow(message);
    expect(existsSync(join(folder, 'refused'))).toBe(false);
  });
});
