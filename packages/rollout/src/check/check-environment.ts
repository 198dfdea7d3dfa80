/**
 * Checks an environment's promises before anything is trained in it: equal seeds give equal steps, no task is in both
 * sets, states can be restored, ends and limits differ, rewards and observations are as declared, texts hide nothing, and
 * a long random walk meets no fault. A passed check is no proof: it plays some tasks only.
 */
import { messageOf, type OpenedKind, type Random, type Task, type TaskSource } from '@emac/core';
import type { Check, CheckedEnvironment, Finding } from './checked-environment.ts';
import { agreeing, restored } from './equal-steps.ts';
import { playerFault } from './player-fault.ts';
import { observationFaults } from './seen-faults.ts';
import { walked, type Walked } from './walk.ts';

export interface EnvironmentReport {
  /** the first of each kind */
  readonly findings: readonly Finding[];
  readonly steps: number;
  readonly episodes: number;
  readonly stepsPerSecond: number;
  /** episodes of the scripted player; null without one */
  readonly player: { readonly won: number; readonly episodes: number } | null;
}

export interface CheckOptions {
  readonly random: Random;
  /** milliseconds */
  readonly now: () => number;
  /** steps of the random walk; default 10,000 */
  readonly steps?: number;
}

/** fewer steps a second are a finding */
const leastSpeed = 10;

/** Errors: none of the environment's own; they are findings. */
export async function checkEnvironment(
  checked: CheckedEnvironment,
  { random, now, steps = 10_000 }: CheckOptions,
): Promise<EnvironmentReport> {
  const findings: Finding[] = [];
  const attempt = async (check: Check, work: () => Promise<string | null> | string | null) => {
    const sentence = await Promise.resolve().then(work).catch(messageOf);
    if (sentence !== null) findings.push({ check, sentence });
  };
  await attempt('tasks', () => namedTwice(checked.tasks));
  const sample = sampled(checked);
  await attempt('seeds', () => agreeing(checked, sample, random));
  await attempt('restore', () => restored(checked, sample, random));
  const start = now();
  const walk: Walked = await walked(checked, { sample, random, steps, watch: observationFaults(checked) });
  const seconds = (now() - start) / 1000;
  for (const [check, sentence] of walk.findings) findings.push({ check, sentence });
  const { fault, ...player } = await playerFault(checked, sample);
  if (fault !== null) findings.push({ check: 'player', sentence: fault });
  const stepsPerSecond = walk.steps / Math.max(seconds, 1e-3);
  if (stepsPerSecond < leastSpeed)
    findings.push({
      check: 'speed',
      sentence: `${walk.steps} steps took ${seconds.toFixed(1)} s, fewer than ${leastSpeed} steps a second: training would wait for it`,
    });
  return {
    findings,
    steps: walk.steps,
    episodes: walk.episodes,
    stepsPerSecond,
    player: checked.player ? player : null,
  };
}

/** A few tasks of both sets. */
function sampled({ tasks }: CheckedEnvironment): Task[] {
  return (['training', 'heldOut'] as const).flatMap((set) => {
    const { count, at } = tasks[set];
    return Array.from({ length: Math.min(4, count ?? 4) }, (_, number) => at(number));
  });
}

/** of each set at most so many */
const mostTasks = 2000;

/** Equal numbers give equal tasks, and none is named twice: the first fault in one sentence; null for none. */
function namedTwice({ training, heldOut }: OpenedKind['tasks']): string | null {
  const own = idsOf(training);
  const other = idsOf(heldOut);
  const sets = [
    ['training', training, own],
    ['held-out', heldOut, other],
  ] as const;
  for (const [name, source, ids] of sets) {
    const first = ids.findIndex((id, number) => ids.indexOf(id) < number);
    if (first >= 0) return `${name} task ${first} is ${ids[first]}, as is ${ids.indexOf(ids[first]!)}`;
    const changed = ids.findIndex((id, number) => source.at(number).id !== id);
    if (changed >= 0)
      return `${name} task ${changed} was ${ids[changed]} and is ${source.at(changed).id} when asked again`;
  }
  const both = other.findIndex((id) => own.includes(id));
  if (both < 0) return null;
  return `${other[both]} is held-out task ${both} and training task ${own.indexOf(other[both]!)}: remove it from one`;
}

function idsOf({ count, at }: TaskSource): string[] {
  return Array.from({ length: Math.min(mostTasks, count ?? mostTasks) }, (_, number) => at(number).id);
}
