/** A curriculum over game types: the tasks of a round, its reports, and resuming with the same draws. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaggerState, ProgressEvent } from '@emac/algorithms';
import { Random, type Task } from '@emac/core';
import type { CurriculumState } from '@emac/curriculum';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { trainConfig, type GivenTrainConfig } from '@emac/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { gameCurriculum, gamesOfRound } from './game-curriculum.ts';
import { resume } from '../methods.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

const settings = { ...trainConfig({ phase: 'bc' }).curriculum, formula: 'half', decay: 0.5 } as const;
const list: readonly Task[] = ['look', 'look', 'look', 'heat', 'heat', 'pick'].map((type, place) => ({
  id: `${type}-${place}`,
  type,
}));

describe('a curriculum over the types of games', () => {
  it('draws a type by its wins, and any of its games', () => {
    const choice = gameCurriculum(settings, list)!;
    // success rates s are ½, ½ · ½ᵏ and 1 − ½ · ½ᵏ: after eight of each, heat and pick are practically 0 and 1
    for (let episode = 0; episode < 8; episode++) {
      choice.ended(list[3]!, false);
      choice.ended(list[5]!, true);
    }
    const random = Random.fromSeed(4);
    const drawn = Array.from({ length: 3000 }, (_, turn) => choice.pick(list, random.stream(turn)));
    const share = (place: number) => drawn.filter((each) => each === place).length / drawn.length;
    // the floor: ε / n = 0.1 / 3 for heat, which has two games, and for pick; look has the rest; deviations 0.0033 and
    // 0.0085
    expect(Math.abs(share(5) - 1 / 30)).toBeLessThan(0.017);
    expect(Math.abs(share(3) + share(4) - 1 / 30)).toBeLessThan(0.017);
    for (const place of [0, 1, 2]) expect(Math.abs(share(place) - 28 / 30 / 3)).toBeLessThan(0.045);
  });

  it('draws among those that are left, in proportion', () => {
    const choice = gameCurriculum({ ...settings, formula: 'failures' }, list)!;
    const open = [list[3]!, list[5]!];
    choice.ended(list[3]!, true);
    // failures: weights 1 − s, so 0.25 for heat, 0.5 for pick, however much look has
    const random = Random.fromSeed(9);
    const heat = Array.from({ length: 3000 }, (_, turn) => choice.pick(open, random.stream(turn))).filter(
      (place) => place === 0,
    ).length;
    // a third of 3000, deviation 26
    expect(Math.abs(heat - 1000)).toBeLessThan(5 * 26);
  });

  it('covers half of the list by default, and is off by default', () => {
    expect([gamesOfRound(null, 6), gamesOfRound(null, 7), gamesOfRound(9, 7), gamesOfRound(2, 7)]).toEqual([
      3, 4, 7, 2,
    ]);
    expect(gameCurriculum(settings, list)!.perRound).toBe(3);
    expect(gameCurriculum(trainConfig({ phase: 'bc' }).curriculum, list)).toBeNull();
    expect(gameCurriculum(settings, [{ id: 'a', type: null }])!.measures()).toMatchObject({
      'curriculum/unknown_avg_success_rate': 0.5,
    });
  });
});

const given: GivenTrainConfig = {
  phase: 'bc',
  play: { rounds: 3, gamesPerRound: 6, episodesPerUpdate: 1, maxSteps: 3, skipSolved: false },
  curriculum: { formula: 'half', decay: 0.5, games: 2 },
  optimization: { updatesPerEpisode: 1, batchSize: 2, accumulate: 1 },
  speech: { beams: 1 },
  probe: false,
  evaluation: { episodes: 0 },
};

describe('a run with it', () => {
  const started = (events: readonly ProgressEvent[]) =>
    events.flatMap((event) => (event.kind === 'episode-start' ? [event] : []));

  it('plays so many games a round, reports each to its type, and resumes with the same draws', async () => {
    const events: ProgressEvent[] = [];
    const listener = { training: (event: ProgressEvent) => void events.push(event) };
    const whole = await train({ ...given, out: join(folder, 'whole') }, plainHost({ listener }));
    const played = started(events);
    expect(played.map(({ round }) => round)).toEqual([0, 0, 1, 1, 2, 2]);
    const { training } = loadCheckpoint(resolveCheckpoint(`${whole.folder}@latest`).folder)
      .state as unknown as {
      training: DaggerState;
    };
    const stored = training.choice as CurriculumState;
    const countOf = (type: string) => played.filter(({ taskType }) => taskType === type).length;
    expect(stored.tasks.length).toBeGreaterThan(2);
    expect(stored.counts).toEqual(stored.tasks.map(countOf));
    const rounds = readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, number | string>)
      .filter(({ kind }) => kind === 'round');
    expect(rounds.map(({ played: count }) => count)).toEqual([2, 2, 2]);
    for (const [number, type] of stored.tasks.entries()) {
      expect(rounds.at(-1)![`curriculum/${type}_avg_success_rate`]).toBe(stored.ema[number]);
      expect(rounds.at(-1)![`curriculum/${type}_episodes`]).toBe(stored.counts[number]);
    }
    for (const [name, count] of [
      ['acting', 7],
      ['updating', 6],
    ] as const) {
      const stop = new AbortController();
      let passed = 0;
      onFailpoint((each) => {
        if (each === name && ++passed === count) stop.abort();
      });
      const out = join(folder, name);
      const failed: unknown = await train({ ...given, out }, plainHost({ signal: stop.signal })).catch(
        (thrown: unknown) => thrown,
      );
      expect(failed).toMatchObject({ code: 'interrupted' });
      onFailpoint(null);
      const { folder: stopped } = (failed as { run: { folder: string } }).run;
      await resume(stopped, plainHost());
      const last = [...contentOf(whole.folder).keys()].filter((each) =>
        /state|metrics|safetensors/.test(each),
      );
      for (const each of last)
        expect(contentOf(stopped).get(each), each).toBe(contentOf(whole.folder).get(each));
    }
  });
});
