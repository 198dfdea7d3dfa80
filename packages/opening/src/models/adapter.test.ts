/** A starting adapter keeps its own settings, except the requested dropout. */
import { families, type Adapter } from '@emac/backbone';
import { Random } from '@emac/core';
import type { TrainConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { adapterStart } from './adapter.ts';
import type { OpenModel } from './model.ts';
import type { ProjectionStart } from './projection-start.ts';

const settings: Adapter['settings'] = {
  rank: 2,
  alpha: 4,
  dropout: 0.1,
  targets: ['q_proj', 'v_proj'],
  rankStabilized: false,
};
const adapter: Adapter = { settings, parameters: new Map() };
const start: ProjectionStart = {
  projection: { kind: 'linear', hidden: null, parameters: new Map() },
  adapter,
  visionNorm: null,
  games: [],
  form: null,
  note: null,
};
const asked = { parts: 'lora', rank: null, alpha: null, dropout: null, targets: null } as const;
// sizes are read only if an adapter is drawn
const model = { files: { folder: 'emma', family: families[0] } } as OpenModel;
const given = { start, model, random: Random.fromSeed(0) };
const started = (trained: Partial<TrainConfig['trained']>) =>
  adapterStart({ trained: { ...asked, ...trained } as TrainConfig['trained'] }, given);

describe('an adapter from which training starts', () => {
  it('keeps its settings unless others are given', () => {
    expect(started({})).toEqual(adapter);
  });

  it('drops as much as is asked for', () => {
    expect(started({ dropout: 0.3 })!.settings).toEqual({ ...settings, dropout: 0.3 });
    expect(started({ dropout: 0 })!.settings).toEqual({ ...settings, dropout: 0 });
  });

  it('is refused with another rank', () => {
    expect(() => started({ rank: 3 })).toThrow(
      '--lora-rank: training starts from an adapter whose rank is 2',
    );
  });

  it('stays unchanged, dropout included, if it is not trained', () => {
    expect(started({ parts: 'projection', dropout: 0.3 })).toBe(adapter);
  });
});
