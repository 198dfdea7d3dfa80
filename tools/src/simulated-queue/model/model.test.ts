/** The simulated Redis answers as a real one with BullMQ does. */
import { Random } from '@emac/core';
import { hasRedis, isLong, needsRedis, startRedis, type TestRedis } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawGathering, gathered, squared, type Ending } from './gathering.ts';
import { openedReal, openedSimulated } from './opened.ts';
import { realStage } from './real-stage.ts';
import { onSimulatedStage } from './simulated-stage.ts';
import { transcript, type Opened } from './verbs.ts';

const [sequences, verbs] = [isLong ? 200 : 4, 60];

async function said(opened: Opened, seed: number): Promise<string[]> {
  try {
    return await transcript(Random.fromSeed(`verbs ${seed}`), opened, verbs);
  } finally {
    await opened.close();
  }
}

describe.skipIf(!hasRedis)(`the simulated Redis (${needsRedis})`, () => {
  let redis: TestRedis;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.remove());

  it(`answers ${sequences} sequences of ${verbs} verbs as a real one does`, async () => {
    for (let seed = 0; seed < sequences; seed++) {
      const simulated = await said(await openedSimulated(`verbs ${seed}`), seed);
      expect(simulated).toEqual(await said(await openedReal(redis.url, `q${seed}`), seed));
    }
  });

  // real time: minutes to an hour, by the load
  it.runIf(isLong)(
    'lets 200 gatherings among faults end as real processes and a real Redis do',
    async () => {
      const stages = await realStage();
      try {
        for (let seed = 0; seed < 200; seed++) {
          const schedule = drawGathering(seed);
          const ending: Ending = {
            results: schedule.jobs.map(squared),
            conflicts: [],
            left: 0,
            isBounded: true,
          };
          const simulated = await onSimulatedStage(schedule, (stage) => gathered(stage, schedule));
          expect([seed, simulated]).toEqual([seed, ending]);
          const stage = await stages.open(schedule);
          expect([seed, await gathered(stage, schedule)]).toEqual([seed, ending]);
          await stage.end();
        }
      } finally {
        await stages.close();
      }
    },
    7_200_000,
  );
});
