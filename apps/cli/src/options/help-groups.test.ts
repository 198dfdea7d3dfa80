import { describe, expect, it } from 'vitest';
import { collectSettings } from '../settings/collect-settings.ts';
import { evalSettings } from '../settings/eval-settings.ts';
import { helpGroups } from './help-groups.ts';
import { ppoSettings } from '../settings/ppo-settings.ts';
import { toggle } from './option.ts';
import { trainSettings } from '../settings/train-settings.ts';

describe('groups of help', () => {
  it('begin with the essentials in the given order, then follow the configuration', () => {
    const table = { ...trainSettings, extra: toggle('of the command alone') };
    const groups = new Map(helpGroups(table, ['seed', 'games']).map(({ title, flags }) => [title, flags]));
    expect([...groups][0]).toEqual(['Essentials', ['seed', 'games']]);
    expect(groups.get('Optimization')).toContain('lr');
    expect(groups.get('Episodes')).toContain('rounds');
    expect(groups.get('Episodes')).not.toContain('games');
    expect(groups.get('Expert')).toEqual(['expert', 'expert-noise', 'imitate-thoughts']);
    expect(groups.get('Expert: language model')).toContain('expert-model');
    expect(groups.get('More')).toContain('extra');
  });

  it.each([
    ['train', trainSettings],
    ['eval', evalSettings],
    ['collect', collectSettings],
    ['ppo', ppoSettings],
  ])('hold every flag of %s once', (_name, table) => {
    const flags = helpGroups(table, ['out', 'no such flag']).flatMap((group) => group.flags);
    expect([...flags].sort()).toEqual(Object.keys(table).sort());
  });
});
