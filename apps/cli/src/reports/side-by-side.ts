/** A film of one task: the policies' episodes side by side, with their actions below. */
import { basename } from 'node:path';
import type { Frame } from '@emac/core';
import type { FilmedTask } from '@emac/experiment';
import { encodeFilm, type Scene } from '@emac/images';

/** pixels between two pictures */
const gap = 4;

/** A GIF from the task to the outcomes; an episode that is over keeps its last picture. Smaller pictures than others of their episode end in black. */
export function sideBySideFilm({ task, columns }: FilmedTask): Uint8Array {
  const longest = Math.max(...columns.map(({ moments }) => moments.length));
  const frames = columns.map(({ moments }) => moments.map(({ frame }) => frame));
  const widths = frames.map((each) => Math.max(...each.map(({ width }) => width)));
  const height = Math.max(...frames.flat().map((frame) => frame.height));
  const sceneAt = (step: number): Scene => ({
    frame: inARow(
      frames.map((each) => each[Math.min(step, each.length - 1)]!),
      { widths, height },
    ),
    caption:
      step === 0
        ? `Task: ${task.id}`
        : `${Math.min(step, longest - 1)}. ${columns.map((column) => saidAt(column, step)).join(' | ')}`,
  });
  // one more than steps: the outcome of the longest
  return encodeFilm(Array.from({ length: longest + 1 }, (_, step) => sceneAt(step)));
}

/** Of a run or file its name without folders: captions are short. */
function saidAt({ policy, won, moments }: FilmedTask['columns'][number], step: number): string {
  const name = basename(policy);
  if (step >= moments.length) return `${name}: ${won ? 'won' : 'not won'}`;
  return `${name}: ${moments[step]!.action}`;
}

interface Places {
  /** of each column */
  readonly widths: readonly number[];
  readonly height: number;
}

function inARow(frames: readonly Frame[], { widths, height }: Places): Frame {
  const width = widths.reduce((sum, each) => sum + each + gap, -gap);
  const data = new Uint8Array(3 * width * height);
  let left = 0;
  for (const [column, frame] of frames.entries()) {
    const row = 3 * frame.width;
    for (let y = 0; y < frame.height; y++)
      data.set(frame.data.subarray(y * row, (y + 1) * row), 3 * (y * width + left));
    left += widths[column]! + gap;
  }
  return { width, height, data };
}
