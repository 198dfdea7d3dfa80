import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  digestOf,
  fixtureLakes,
  fixtureRooms,
  lakeTranscript,
  sokobanTranscript,
} from './walks.test.data.ts';

/** Walks as the published packages saw them; `tools/reference/grid_games_reference.py` made them. */
function digests(file: string): readonly string[] {
  const text = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { digests: readonly string[] }).digests;
}

describe('observations, texts, rewards, facts and ends', () => {
  it("of FrozenLake are Gymnasium's", () => {
    expect(fixtureLakes().map((walk) => digestOf(lakeTranscript(walk)))).toEqual(digests('lakes.json'));
  });

  it("of Sokoban are gym-sokoban's, in RAGEN's rooms, too", () => {
    expect(fixtureRooms().map((walk) => digestOf(sokobanTranscript(walk)))).toEqual(digests('rooms.json'));
  });
});
