/**
 * What `kill -9` costs a run: the updates that are made again, the seconds until it is where it was, and the bytes written for an
 * update. Each method trains as a process of its own, is killed just before a checkpoint, and is resumed. Build, then run
 * `node tools/dist/kill-cost/main.js [METHOD …]`; it prints the table of docs/reliability.md. Linux, for /proc.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killed, resumed, trained, type Killed, type Resumed } from './runs.ts';

interface Row {
  readonly method: string;
  /** words of the table on checkpoints */
  readonly checkpoint: string;
  readonly command: string;
  /** killed after so many updates, where the distance to the last checkpoint is largest */
  readonly updates: number;
  /** trained before, as the reference */
  readonly before?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'emac-kill-cost-'));
const data = join(folder, 'data');
const games = '--rounds 1 --games-per-round 40 --eval-games 0 --probe none';
const played = '--env alfworld --eval-episodes 0';
const steps = `--method ppo ${played} --num-processes 4 --num-steps 16 --steps 2560`;
const groups = `--method grpo ${played} --prompts-per-update 2 --group-size 4 --updates 40`;

const rows: readonly Row[] = [
  { method: 'bc', checkpoint: 'a game', command: `--phase bc ${games}`, updates: 21 },
  {
    method: 'dpo',
    checkpoint: 'a game',
    command: `--phase dpo ${games}`,
    updates: 11,
    before: '--phase bc --rounds 1 --games-per-round 5 --eval-games 0 --probe none',
  },
  {
    method: 'sft',
    checkpoint: '50 updates',
    command: `--method sft --data ${data} --epochs 20 --eval-games 0`,
    updates: 99,
  },
  {
    method: 'ppo',
    checkpoint: '10 updates',
    command: steps,
    updates: 19,
  },
  { method: 'ppo', checkpoint: '5 s', command: `${steps} --checkpoint-every 5s`, updates: 19 },
  { method: 'grpo', checkpoint: '10 updates', command: groups, updates: 19 },
  { method: 'grpo', checkpoint: '5 s', command: `${groups} --checkpoint-every 5s`, updates: 19 },
];

async function measured({ command, updates, before }: Row, place: number): Promise<[Killed, Resumed]> {
  const out = join(folder, String(place));
  const start = before === undefined ? [] : ['--ref', await trained(before.split(' '), join(out, 'before'))];
  const end = await killed(['train', ...command.split(' '), ...start], { out: join(out, 'run'), updates });
  return [end, await resumed(end)];
}

try {
  const wanted = process.argv.slice(2);
  const chosen = rows.filter(({ method }) => wanted.length === 0 || wanted.includes(method));
  if (chosen.some(({ method }) => method === 'sft'))
    await trained(['collect', '--num-games', '20', '--out', data]);
  console.log(
    '| method | a checkpoint every | an update | made again | seconds to be there again | of them to start | bytes an update |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const [place, row] of chosen.entries()) {
    const [end, again] = await measured(row, place);
    const cells = [
      row.method,
      row.checkpoint,
      `${end.secondsAnUpdate.toFixed(2)} s`,
      `${end.updates - again.kept} of ${end.updates} updates`,
      again.seconds.toFixed(1),
      again.secondsToStart.toFixed(1),
      `${(end.bytesAnUpdate / 1000).toFixed(0)} kB`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
