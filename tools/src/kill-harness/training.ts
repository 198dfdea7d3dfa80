/** The small trainings that are disturbed: those of `emac train` in both phases in one command, one of a speaker, and one of a robot. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '@emac/core';
import { runEmac, type Activity } from './emac-process.ts';
import type { LanguageServer } from './language-server.ts';

export interface Training {
  readonly name: string;
  /** checkpoints that stay */
  readonly keep: 'all' | '2';
  /** its activities */
  readonly activities: readonly Activity[];
  /** the command that resumes it */
  readonly command: 'train' | 'grpo' | 'ppo';
  /** the words after `emac` that begin it below `out` */
  readonly begin: (out: string) => readonly string[];
  /** a variant of other speed that must give the same bytes; null if there is none */
  readonly beginSlowly: ((out: string) => readonly string[]) | null;
}

const always = ['updating', 'writing', 'evaluating'] as const;

/**
 * Prepares trainings in `folder`: on games, one at a time and concurrent, with an adapter, on a dataset, and two by
 * reinforcement.
 */
export async function trainings(folder: string, server: LanguageServer): Promise<Training[]> {
  const data = join(folder, 'data');
  const collected = await runEmac([
    ...words('collect --phase dpo --num-games 3 --beams 1 --max-steps 6'),
    '--out',
    data,
  ]);
  invariant(
    collected.status === 0,
    `kill harness: collecting ended with ${collected.status}: ${collected.stderr}`,
  );
  return [
    onGames(server),
    ofAdapter(server),
    inFlight(server),
    onDataset(join(data, 'train.json')),
    ofSpeaker(),
    ofRobot(),
  ];
}

/** 2 rounds of 2 games of 4 steps, 2 updates after each; taught and reflected on by a language model. */
function onGames(server: LanguageServer): Training {
  const numbers =
    '--rounds 2 --games-per-round 2 --max-steps 4 --updates-per-episode 2 --beams 1 --eval-games 2';
  return {
    name: 'games',
    command: 'train',
    keep: 'all',
    activities: ['acting', 'reflecting', ...always],
    begin: (out) => train(out, [...words(numbers), ...taughtBy(server), '--keep', 'all']),
    beginSlowly: null,
  };
}

/** The same of projection and adapter, with dropout. */
function ofAdapter(server: LanguageServer): Training {
  const numbers =
    '--rounds 1 --games-per-round 3 --max-steps 4 --updates-per-episode 2 --beams 1 --eval-games 2';
  const adapter = '--train projection,lora --lora-rank 2 --lora-dropout 0.2';
  return {
    name: 'adapter',
    command: 'train',
    keep: 'all',
    activities: ['acting', 'reflecting', ...always],
    begin: (out) => train(out, [...words(`${numbers} ${adapter}`), ...taughtBy(server), '--keep', 'all']),
    beginSlowly: null,
  };
}

/** One policy plays 3 episodes, two at a time, before it learns; the last of a round's 4 games forms its own group. */
function inFlight(server: LanguageServer): Training {
  const numbers =
    '--rounds 2 --games-per-round 4 --max-steps 4 --updates-per-episode 1 --beams 2 --eval-games 5';
  const begin = (parallel: number) => (out: string) => {
    const groups = `--episodes-per-update 3 --parallel-episodes ${parallel}`;
    return train(out, [...words(`${numbers} ${groups}`), ...taughtBy(server), '--keep', '2']);
  };
  return {
    name: 'games in flight',
    command: 'train',
    keep: '2',
    activities: ['acting', 'reflecting', ...always],
    begin: begin(2),
    beginSlowly: begin(1),
  };
}

/** 2 epochs of a dataset, measured on itself, a checkpoint after every update. */
function onDataset(path: string): Training {
  const numbers = '--epochs 2 --checkpoint-every 1 --max-steps 4 --beams 1 --eval-games 10';
  return {
    name: 'dataset',
    command: 'train',
    keep: '2',
    activities: always,
    begin: (out) => train(out, [...words(numbers), '--data', path, '--val', path, '--keep', '2']),
    beginSlowly: null,
  };
}

/** 6 updates of a speaker of the Lewis game, a checkpoint after every second; its evaluations are not written game by game. */
function ofSpeaker(): Training {
  const numbers =
    '--updates 6 --prompts-per-update 2 --num-generations 3 --max-new-tokens 12 --eval-games 3 --checkpoint-every 2';
  const adapter = '--listener-reward-mode soft_always --lora-rank 2';
  return {
    name: 'grpo',
    command: 'grpo',
    keep: '2',
    activities: ['updating', 'writing'],
    begin: (out) => [
      ...words(`grpo --env lewis --role speaker ${numbers} ${adapter} --keep final`),
      '--out',
      out,
    ],
    beginSlowly: null,
  };
}

/**
 * 10 updates of a small network that commands a hand by words; a curriculum draws each episode's task, and most
 * episodes end within an update.
 */
function ofRobot(): Training {
  const numbers =
    '--steps 240 --num-processes 3 --num-steps 8 --max-steps 5 --batch-size 12 --eval-episodes 3 --checkpoint-every 2';
  return {
    name: 'ppo',
    command: 'ppo',
    keep: '2',
    activities: ['updating', 'writing'],
    begin: (out) => [
      ...words(`ppo --env tabletop/spatial --policy cnn ${numbers} --keep 2`),
      ...words('--curriculum half --curriculum-alpha 0.5 --best-ema 0.5'),
      '--out',
      out,
    ],
    beginSlowly: null,
  };
}

function train(out: string, flags: readonly string[]): string[] {
  return ['train', '--phase', 'bc,dpo', ...flags, '--out', out];
}

function taughtBy({ address }: LanguageServer): string[] {
  return ['--expert', 'openai', '--expert-model', 'stand-in', '--expert-base-url', address];
}

function words(text: string): string[] {
  return text.split(' ');
}

/** Starts, or resumes the first phase's run if there is one. */
export function beginOrResume({ begin, command }: Training, out: string): readonly string[] {
  const [first] = runsIn(out);
  return first === undefined ? begin(out) : [command, '--resume', first];
}

/** The run folders, the first phase first. */
export function runsIn(out: string): string[] {
  if (!existsSync(out)) return [];
  return readdirSync(out)
    .filter((name) => !name.startsWith('.'))
    .sort((a, b) => Number(a.includes('-dpo-')) - Number(b.includes('-dpo-')))
    .map((name) => join(out, name));
}

/** Whether an evaluation is unfinished: its games so far are in a file that is removed at its end. */
export function hasOpenEvaluation(out: string): boolean {
  return runsIn(out).some((run) =>
    ['eval-before.jsonl', 'eval.jsonl'].some((name) => existsSync(join(run, name))),
  );
}
