/** One rollout of emma-tiny through built-in games, from a policy that has seen none of their pictures. */
import { performance } from 'node:perf_hooks';
import { Random, type Speech, type Trajectory } from '@emac/core';
import { openAgent } from '@emac/experiment';
import { postprocess } from '@emac/postprocess';
import { studentTarget, studentText } from '@emac/prompt';
import { playAlone } from '@emac/rollout';
import { alfworld, builtinGame, parseGame, renderFrame, type Game } from '@emac/world';
import { startStopwatch, type Spent, type Stopwatch } from './stopwatch.ts';

export interface PlaySettings {
  readonly games: readonly Game[];
  /** step limit of a game */
  readonly maxSteps: number;
  readonly beams: number;
  /** games under way at once */
  readonly parallel: number;
}

export interface Played {
  readonly ms: number;
  readonly steps: number;
  /** commands game by game */
  readonly commands: readonly (readonly string[])[];
  readonly spent: Spent;
}

/** Games unseen in training, task types in turn. */
export function unseenGames(count: number, first = 0): Game[] {
  return Array.from({ length: count }, (_, place) => {
    const { id, file } = builtinGame('valid_unseen', first + place);
    return parseGame(file, { id });
  });
}

/** Opens a policy, warms its sessions in other games, plays, and closes it. */
export async function played(settings: PlaySettings): Promise<Played> {
  const { beams, parallel } = settings;
  const { student, form, dispose } = await openAgent('emma-tiny', { speech: { beams } });
  const texts: Speech = {
    prompt: ({ history, memories }) => {
      const { maxTokens } = form.text;
      const countTokens = (text: string) => student.countPromptTokens(text);
      return studentText(history, { maxTokens, countTokens, memories }).text;
    },
    target: studentTarget,
    read: ({ text }) => ({ action: postprocess(text), actionStart: 0 }),
  };
  const play = (games: readonly Game[], maxSteps: number, watch: Stopwatch): Promise<Trajectory[]> => {
    const frames = (visible: Parameters<typeof renderFrame>[0]) =>
      watch.work('drawing', () => renderFrame(visible));
    const environment = watch.environment(alfworld(games, { maxSteps, frames }));
    return playAlone({
      environment,
      policy: watch.policy(student),
      texts: watch.texts(texts),
      sampling: { kind: 'search', beams },
      maxSteps,
      admissibleOnly: false,
      parallel,
      random: Random.fromSeed(0),
    });
  };
  try {
    await play(unseenGames(parallel, 100), 2, startStopwatch());
    const watch = startStopwatch();
    const start = performance.now();
    const trajectories = await play(settings.games, settings.maxSteps, watch);
    const ms = performance.now() - start;
    const commands = trajectories.map(({ steps }) => steps.map(({ action }) => action));
    return { ms, steps: commands.flat().length, commands, spent: watch.read() };
  } finally {
    await dispose();
  }
}
