/**
 * Damaged files of run folders. A command that meets one ends as without the damage, or with one sentence that names the file, never
 * with a stack. The long form tries every file of every kind of run; the short form one damage a file.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alsoLong, isLong } from '@emac/testing';
import { expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { copiedAt, runKilledAt, type KilledAt } from '../killed-runs.test.fixture.ts';
import { damage, damagesIn, faultOf, filesIn, type Damage } from './damaged-files.test.fixture.ts';

const folder = temporaryFolder();
const line = 'gym_cards/NumberLine-v0';
const llama = fileURLToPath(new URL('../../../../packages/backbone/fixtures/text/llama', import.meta.url));
const data = join(folder, 'said.jsonl');
writeFileSync(
  data,
  ['red', 'blue'].map((each) => `${JSON.stringify({ prompt: 'Say it.', completion: each })}\n`).join(''),
);
const imitation = '--rounds 2 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --eval-games 1';
const groups = `--env ${line} --policy mlp --updates 3 --prompts-per-update 1 --group-size 2 --max-steps 2 --eval-episodes 2 --checkpoint-every 1`;

/** A kind of run: its command, and where copies of it are taken. */
type Row = readonly [name: string, command: string, kills: readonly KilledAt[]];

const rows: readonly Row[] = [
  [
    'ppo',
    `--method ppo --env ${line} --policy mlp --num-processes 2 --num-steps 4 --steps 24 --checkpoint-every 1 --eval-episodes 2`,
    ['updating:3'],
  ],
  ['gigpo', `--method gigpo ${groups} --traces`, ['updating:3']],
  ...alsoLong<Row>([
    ['grpo', `--method grpo ${groups}`, ['updating:2', 'appended:3', 'run-evaluated:1']],
    ['bc', `--phase bc ${imitation} --max-length 8`, ['acting:5', 'updating:2', 'measuring:2']],
    ['dpo', `--phase bc,dpo --env ${line} ${imitation} --max-length 8`, ['updating:2']],
    [
      'sft',
      `--method sft --policy ${llama} --train lora --data ${data} --epochs 2 --batch-size 1 --eval-games 0 --max-prompt-tokens 256 --max-new-tokens 16`,
      ['updating:3'],
    ],
  ]),
];

/** Metrics, evaluations and checkpoints, but one file. */
function contentOf(run: string, but: string): Map<string, string> {
  const names = filesIn(run).filter(
    (name) => name !== but && /^(metrics\.jsonl|eval.*\.json|checkpoints\/\d+\/.*)$/.test(name),
  );
  return new Map(names.map((name) => [name, readFileSync(join(run, name), 'base64')]));
}

it.each(rows)('are named, or change nothing, in runs of %s', async (name, command, kills) => {
  const out = join(folder, name);
  const copies = join(folder, `${name}-killed`);
  const work = () => emac(['train', ...command.split(' '), '--out', out]);
  expect(await copiedAt(kills, { out, copies, work })).toMatchObject({ status: 0 });
  // the first of a chain
  const finished = join(out, basename(runKilledAt(kills[0]!, copies)));
  const copy = join(folder, 'copy', 'run');
  const after = async (place: string, [file, how]: readonly [string, Damage], words: readonly string[]) => {
    rmSync(dirname(copy), { recursive: true, force: true });
    cpSync(place, copy, { recursive: true });
    damage(join(copy, file), how);
    return emac(words);
  };
  const faults: string[] = [];
  for (const kill of kills) {
    const killed = runKilledAt(kill, copies);
    for (const each of damagesIn(killed)) {
      const ended = await after(killed, each, ['train', '--resume', copy]);
      const isOther =
        ended.status === 0 &&
        JSON.stringify([...contentOf(copy, each[0])]) !== JSON.stringify([...contentOf(finished, each[0])]);
      const fault = isOther ? 'ends differently' : faultOf(ended, each[0]);
      if (fault) faults.push(`${each.join(' ')}: --resume after ${kill} ${fault}`);
    }
  }
  for (const each of damagesIn(finished))
    for (const words of [
      ['report', copy],
      ...(isLong
        ? [
            ['eval', '--ckpt', copy, '--num-episodes', '1'],
            ['runs', dirname(copy)],
          ]
        : []),
    ]) {
      // a checkpoint that lies alone is evaluated, too
      if (words[0] === 'eval' && each[1] === 'removed' && ['run.json', 'config.yaml'].includes(each[0]))
        continue;
      const fault = faultOf(await after(finished, each, words), each[0]);
      if (fault) faults.push(`${each.join(' ')}: ${words[0]} ${fault}`);
    }
  expect(faults).toEqual([]);
});
