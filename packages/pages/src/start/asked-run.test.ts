import { expect, it } from 'vitest';
import type { AskedRun } from '../data/start.ts';
import { askedAddress, askedRun, flagsIn, withFields, withFlag } from './asked-run.ts';

const run: AskedRun = {
  kind: 'train',
  method: 'ppo',
  environment: 'MiniGrid-Empty-5x5-v0',
  policy: null,
  from: 'mine/first',
  flags: { lr: '1e-3', traces: true, 'run-name': 'a=b' },
};

it('an address keeps the asked run', () => {
  expect(askedAddress(run)).toEqual({
    method: ['ppo'],
    environment: ['MiniGrid-Empty-5x5-v0'],
    policy: [],
    from: ['mine/first'],
    set: ['lr=1e-3', 'traces', 'run-name=a=b'],
  });
  expect(askedRun(askedAddress(run))).toEqual(run);
  expect(askedRun({ environment: [''] })).toMatchObject({ method: 'bc', environment: null, flags: {} });
});

it('what has no effect is not asked for', () => {
  const field = { help: '', group: '', form: null, choices: [], default: null, isRequired: false };
  expect(withFields(run, [{ ...field, flag: 'lr' }]).flags).toEqual({ lr: '1e-3' });
  expect(withFlag(run.flags, 'traces', null)).toEqual({ lr: '1e-3', 'run-name': 'a=b' });
});

it('a run is asked for again with the flags of its command', () => {
  expect(flagsIn(['--lr 0.001', '--traces', '--world-command a b'])).toEqual({
    lr: '0.001',
    traces: true,
    'world-command': 'a b',
  });
});
