/** `config show` and `preset`: settings as a file for `--config`. */
import { namedGroupMethods } from '@emac/algorithms';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
// commands load when they are called: here that takes no test's time
import './config-show.ts';

const folder = temporaryFolder();

describe('emac config show', () => {
  it('prints every setting with its origin, in a form --config reads', async () => {
    const shown = await emac(['config', 'show', '--phase', 'bc', '--seed', '4', 'play.rounds=7', '--origin']);
    expect(shown.stdout).toMatch(/^seed: 4 # flag$/m);
    expect(shown.stdout).toMatch(/^ {2}rounds: 7 # SETTING=VALUE$/m);
    expect(shown.stdout).toMatch(/^ {2}learningRate: 0\.001 # preset tiny$/m);
    expect(shown.stdout).toMatch(/^ {2}provider: cpu # default$/m);
    const file = join(folder, 'shown.yaml');
    writeFileSync(file, shown.stdout);
    const again = await emac(['config', 'show', '--config', file]);
    expect(parse(again.stdout)).toEqual(parse(shown.stdout));
  });

  it('gives an origin for every item of a list', async () => {
    const file = join(folder, 'betas.yaml');
    writeFileSync(file, 'optimization: { betas: [0.8, 0.95] }\n');
    const show = ['config', 'show', '--phase', 'bc', '--origin'];
    const { stdout } = await emac([...show, '--config', file, '--adam-beta1', '0.7']);
    expect(stdout).toContain(`betas:\n    - 0.7 # flag\n    - 0.95 # ${file}\n`);
    const words = await emac([...show, 'optimization.betas.1=0.5']);
    expect(words.stdout).toContain('betas:\n    - 0.9 # preset tiny\n    - 0.5 # SETTING=VALUE\n');
    // a value without a comment would be one without an origin
    const values = stdout.split('\n').filter((line) => /^ *(-|[\w]+:) \S/.test(line));
    expect(values.filter((line) => !line.includes(' # '))).toEqual([]);
  });

  it.each<readonly [string, readonly string[], RegExp]>([
    ['ppo', ['--env', 'NumberLine', '--preset', 'nl'], /^ {2}clip:\n {4}low: [\d.]+ # preset nl$/m],
    ['grpo', ['--env', 'lewis/listener'], /^ {2}groupSize: 8 # preset tiny$/m],
    ...namedGroupMethods.flatMap(({ name, losses }) =>
      Object.entries(losses).map(
        ([setting, value]) =>
          [name, ['--env', 'alfworld'], new RegExp(`^ {2}${setting}: ${value} # flag$`, 'm')] as const,
      ),
    ),
    ['gspo', ['--env', 'alfworld'], /^ {2}clip:\n {4}low: 0\.0003 # \S.*\n {4}high: 0\.0004 # \S.*$/m],
    ['gspo', ['--env', 'alfworld', '--clip', '0.1'], /^ {2}clip:\n {4}low: 0\.1 # flag$/m],
    ['sft', ['--data', 'x.json'], /^ {2}parts: lora # default$/m],
    ['dpo', ['--ref', 'random'], /^phase: dpo # phase$/m],
  ])('shows the settings of %s, and reads them back', async (method, argv, said) => {
    const show = ['config', 'show', '--method', method];
    const shown = await emac([...show, ...argv, '--seed', '4', '--origin']);
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/^seed: 4 # flag$/m);
    expect(shown.stdout).toMatch(said);
    const file = join(folder, `${method}.yaml`);
    writeFileSync(file, shown.stdout);
    const again = await emac([...show, '--config', file]);
    expect(parse(again.stdout)).toEqual(parse(shown.stdout));
  });

  it.each([
    ['bc', []],
    ['sft', ['--data', 'x.json']],
    ['ppo', ['--env', 'NumberLine']],
    ['grpo', ['--env', 'NumberLine']],
  ])('takes the same names with %s', async (method, argv) => {
    const names = ['--learning-rate', '0.5', '--policy', 'emma-tiny', '--max-new-tokens', '9'];
    const { stdout, stderr } = await emac(['config', 'show', '--method', method, ...argv, ...names]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/learningRate: 0\.5$/m);
    expect(stdout).toMatch(/(?:policy|path): emma-tiny$/m);
    expect(stdout).toMatch(/maxLength: 9$/m);
  });

  it('takes the policy of fine-tuning from the environment of its data, unless one is given in any way', async () => {
    const data = join(folder, 'collected');
    mkdirSync(data);
    writeFileSync(join(data, 'train.json'), '[]');
    writeFileSync(join(data, 'collection.json'), '{"env": "tabletop/spatial/0"}');
    const policyOf = async (...words: string[]) =>
      /^policy: (.*)$/m.exec(
        (await emac(['config', 'show', '--method', 'sft', '--data', data, ...words])).stdout,
      )?.[1];
    expect(await policyOf()).toBe('vla-tiny');
    expect(await policyOf('--policy', 'emma-tiny')).toBe('emma-tiny');
    expect(await policyOf('policy=emma-tiny')).toBe('emma-tiny');
  });

  it('takes a run’s method from its file, and names a method’s required flags', async () => {
    const file = join(folder, 'run.yaml');
    writeFileSync(file, 'command: ppo\nenv: gym_cards/NumberLine-v0\nseed: 3\n');
    const { stdout } = await emac(['config', 'show', '--config', file]);
    expect(parse(stdout)).toMatchObject({ env: 'gym_cards/NumberLine-v0', seed: 3, policy: 'rl-tiny' });
    // a typed method wins
    const typed = await emac(['config', 'show', '--method', 'bc', '--config', file]);
    expect(parse(typed.stdout)).toMatchObject({ env: 'gym_cards/NumberLine-v0', seed: 3, phase: 'bc' });
    const none = await emac(['config', 'show', '--method', 'ppo']);
    expect([none.status, none.stderr]).toEqual([64, expect.stringMatching(/^emac: --env: is required/)]);
    const unknown = await emac(['config', 'show', '--method', 'x']);
    expect([unknown.status, unknown.stderr]).toEqual([
      64,
      expect.stringContaining('--method: must be bc or'),
    ]);
  });

  it('reports every error', async () => {
    const { status, stderr } = await emac([
      'config',
      'show',
      '--phase',
      'bc',
      'play.round=2',
      'samples.trainAfter=maybe',
    ]);
    expect(status).toBe(78);
    expect(stderr).toContain('play.round: is not a setting; did you mean play.rounds?');
    expect(stderr).toContain('samples.trainAfter');
    expect(stderr).toContain('got "maybe"');
  });
});

describe('emac preset', () => {
  it('lists, prints and writes presets', async () => {
    expect((await emac(['preset', 'ls'])).stdout).toMatch(/^paper: /m);
    const { stdout } = await emac(['preset', 'cat', 'paper', '--phase', 'dpo']);
    expect(parse(stdout)).toMatchObject({ phase: 'dpo', preset: 'paper', play: { rounds: 12 } });
    const out = join(folder, 'paper.yaml');
    expect(await emac(['preset', 'cp', 'paper', '--phase', 'dpo', '--out', out])).toMatchObject({
      status: 0,
    });
    expect(parse(readFileSync(out, 'utf8'))).toEqual(parse(stdout));
    expect(await emac(['preset', 'cp', 'paper', '--out', out])).toMatchObject({ status: 73 });
    expect(await emac(['preset', 'cat', 'big'])).toMatchObject({ status: 64 });
  });

  it.each([
    ['ppo', 'nl', ['--env', 'NumberLine']],
    ['grpo', 'published-7b', []],
    ['sft', 'tiny', ['--data', 'x.json']],
  ])('has the presets of %s, such as %s, and its runs use them', async (method, name, argv) => {
    expect((await emac(['preset', 'ls', '--method', method])).stdout).toMatch(new RegExp(`^${name}: `, 'm'));
    const out = join(folder, `${method}-preset.yaml`);
    expect(await emac(['preset', 'cp', name, '--method', method, '--out', out])).toMatchObject({ status: 0 });
    const show = ['config', 'show', '--method', method, ...argv];
    const ofFile = await emac([...show, '--config', out]);
    expect(ofFile.stderr).toBe('');
    expect(parse(ofFile.stdout)).toEqual(parse((await emac([...show, '--preset', name])).stdout));
  });
});
