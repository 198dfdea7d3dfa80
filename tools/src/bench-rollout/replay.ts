/**
 * Splits a decision's time by repeating the same batches: with answers of at most one token, which mostly reads
 * prompts, and in full. It also times the vision encoder alone: image processing, and the networks.
 */
import { performance } from 'node:perf_hooks';
import { loadBackbone } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { openAgent } from '@emac/experiment';
import { renderFrame, World, type Game } from '@emac/world';
import type { Batch } from './stopwatch.ts';

export interface DecisionParts {
  /** milliseconds for a question */
  readonly reading: number;
  readonly saying: number;
}

/** The parts of deciding, a mean over all questions of the batches. */
export async function decisionParts(batches: readonly Batch[], beams: number): Promise<DecisionParts> {
  const whole = await timeOf(batches, { beams });
  const first = await timeOf(batches, { beams, maxLength: 1 });
  return { reading: first, saying: whole - first };
}

async function timeOf(
  batches: readonly Batch[],
  speech: { readonly beams: number; readonly maxLength?: number },
): Promise<number> {
  const { student, dispose } = await openAgent('emma-tiny', { speech });
  try {
    await student.decide(batches[0]!.questions, batches[0]!.sampling);
    const start = performance.now();
    for (const { questions, sampling } of batches) await student.decide(questions, sampling);
    const count = batches.reduce((sum, { questions }) => sum + questions.length, 0);
    return (performance.now() - start) / count;
  } finally {
    await dispose();
  }
}

export interface EyeParts {
  /** milliseconds for a picture */
  readonly processing: number;
  readonly networks: number;
}

/** The parts of encoding one picture, medians over the first pictures of the games. */
export async function eyeParts(games: readonly Game[]): Promise<EyeParts> {
  const eye = loadBackbone(modelFolder);
  try {
    const frames = games.map((game) => renderFrame(opened(game).visible()));
    const [processing, networks]: [number[], number[]] = [[], []];
    for (const frame of [frames[0]!, ...frames]) {
      const start = performance.now();
      const pixels = eye.imageProcessor.process(frame);
      const middle = performance.now();
      await eye.features(pixels);
      processing.push(middle - start);
      networks.push(performance.now() - middle);
    }
    return { processing: median(processing.slice(1)), networks: median(networks.slice(1)) };
  } finally {
    await eye.dispose();
  }
}

function opened(game: Game): World {
  const world = new World(game);
  world.reset();
  return world;
}

/** The middle value, the upper one of two. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
