/** `config show` and `preset`: what would be trained with, as a file that is taken back. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
// commands load when they are called: here that takes no test's time
import './config-show.ts';

const folder = temporaryFolder();

describe('emac config show', () => {
  it('prints every setting with its origin, and what --config takes back', async () => {
    const shown = await emac(['config', 'show', '--phase', 'bc', '--seed', '4', 'play.rounds=7', '--origin']);
    expect(shown.stdout).toMatch(/^seed: 4 # flag$/m);
    expect(shown.stdout).toMatch(/^ {2}rounds: 7 # SETTING=VALUE$/m);
    expect(shown.stdout).toMatch(/^ {2}learningRate: 0\.003 # preset tiny$/m);
    expect(shown.stdout).toMatch(/^ {2}provider: cpu # default$/m);
    const file = join(folder, 'shown.yaml');
    writeFileSync(file, shown.stdout);
    const again = await emac(['config', 'show', '--config', file]);
    expect(parse(again.stdout)).toEqual(parse(shown.stdout));
  });

  it('says of every item of a list where it comes from', async () => {
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

  it('says everything that is wrong', async () => {
    const { status, stderr } = await emac([
      'config',
      'show',
      '--phase',
      'bc',
      'play.round=2',
      'samples.agreed=maybe',
    ]);
    expect(status).toBe(78);
    expect(stderr).toContain('play.round: is no setting; did you mean play.rounds?');
    expect(stderr).toContain('samples.agreed');
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
});
