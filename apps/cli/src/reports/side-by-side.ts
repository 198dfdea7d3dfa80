/** A film of one task: the policies' episodes side by side, with their actions below. */
import type { Frame } from '@emac/core';
import type { FilmedTask } from '@emac/experiment';
import { encodeFilm, type Scene } from '@emac/images';

/** pixels between two pictures */
const gap = 4;

/** A GIF; an episode that is over keeps its last picture. All pictures of an environment are of one size. */
export function sideBySideFilm({ columns }: FilmedTask): Uint8Array {
  const longest = Math.max(...columns.map(({ moments }) => moments.length));
  return encodeFilm(Array.from({ length: longest }, (_, step) => sceneAt(columns, step)));
}

function sceneAt(columns: FilmedTask['columns'], step: number): Scene {
  const frames = columns.map(({ moments }) => moments[Math.min(step, moments.length - 1)]!.frame);
  const said = columns.map(({ policy, won, moments }) => {
    if (step >= moments.length) return `${policy}: ${won ? 'won' : 'not won'}`;
    return `${policy}: ${moments[step]!.action ?? 'begins'}`;
  });
  return { frame: inARow(frames), caption: `${step}. ${said.join(' | ')}` };
}

/** Lowest pictures end in black. */
function inARow(frames: readonly Frame[]): Frame {
  const height = Math.max(...frames.map((frame) => frame.height));
  const width = frames.reduce((sum, frame) => sum + frame.width + gap, -gap);
  const data = new Uint8Array(3 * width * height);
  let left = 0;
  for (const frame of frames) {
    const row = 3 * frame.width;
    for (let y = 0; y < frame.height; y++)
      data.set(frame.data.subarray(y * row, (y + 1) * row), 3 * (y * width + left));
    left += frame.width + gap;
  }
  return { width, height, data };
}
