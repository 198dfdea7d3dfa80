/** The policy's prompts in training on games. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgressEvent } from '@emac/algorithms';
import { createImitationBuffer, openBufferFile } from '@emac/buffers';
import { plainHost } from '@emac/opening';
import { textOf } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();

/** Two failed attempts at one game: the first's lesson, and the rounds whose stored prompts contain it. */
async function taught(policyMemory: boolean) {
  const lessons: string[] = [];
  const listener = {
    training: (event: ProgressEvent) =>
      void (event.kind === 'lesson' && event.round === 0 && lessons.push(event.lesson)),
  };
  const run = await train(
    {
      phase: 'bc',
      out: join(folder, String(policyMemory)),
      play: { rounds: 2, gamesPerRound: 1, maxSteps: 2, policyMemory },
      samples: { selection: { keep: 'all' } },
      optimization: { updatesPerEpisode: 0 },
      speech: { beams: 1, observe: 'both' },
      probe: false,
      evaluation: { episodes: 0 },
    },
    plainHost({ listener }),
  );
  expect(lessons).toHaveLength(1);
  const prompts = promptsIn(join(run.folder, 'buffers', 'transitions.bin'));
  return prompts.map(({ round, text }) => ({ round, hasLesson: text.includes(lessons[0]!) }));
}

function promptsIn(path: string) {
  const buffer = createImitationBuffer();
  openBufferFile(path, buffer, { length: statSync(path).size }).close();
  return Array.from({ length: buffer.length }, (_, index) => {
    const { round, prompt } = buffer.at(index);
    return { round, text: textOf(prompt) };
  });
}

describe('lessons from failed attempts', () => {
  it('are read by the policy in the next round if set, and only there', async () => {
    for (const policyMemory of [true, false]) {
      const prompts = await taught(policyMemory);
      expect(new Set(prompts.map(({ round }) => round))).toEqual(new Set([0, 1]));
      for (const { round, hasLesson } of prompts) expect(hasLesson).toBe(policyMemory && round === 1);
    }
  });
});
