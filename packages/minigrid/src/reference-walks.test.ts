import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { miniGridIds } from './catalogue.ts';
import { digestOf, fixtureWalks, transcriptOf } from './transcript.test.data.ts';

/** Walks through every id as minigrid 3.1.0 saw them; `tools/reference/minigrid_reference.py` made it. */
const { digests } = JSON.parse(readFileSync(new URL('../fixtures/walks.json', import.meta.url), 'utf8')) as {
  digests: Readonly<Record<string, readonly string[]>>;
};

describe('observations, missions, rewards, ends and frames', () => {
  it('were recorded for every id', () => {
    expect(Object.keys(digests)).toEqual(miniGridIds);
  });

  it.each(miniGridIds)("are the published package's on three walks through %s", (id) => {
    expect(fixtureWalks(id).map((walk) => digestOf(transcriptOf(walk)))).toEqual(digests[id]);
  });
});
