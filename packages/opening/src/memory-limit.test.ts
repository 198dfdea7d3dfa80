import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { plainHost, type Host } from './host.ts';
import { limitedHost } from './limited-host.ts';
import { limitOf, memoryLimit, shareOf } from './memory-limit.ts';

/** A process that holds so many megabytes, of which `garbage` can be collected; its pages are back after three pauses. */
function machine(held: number, garbage = 0) {
  const state = { held: 1e6 * held, garbage: 1e6 * garbage, freed: 0, pauses: 0 };
  return {
    state,
    reading: {
      lower: ['--batch-size', '--context-memory'],
      held: () => ({ total: state.held, heap: 10e6, buffers: 20e6 }),
      collect: () => {
        Object.assign(state, { freed: state.garbage, garbage: 0, pauses: 0 });
      },
      pause: () => {
        if (++state.pauses === 3) state.held -= state.freed;
      },
    },
  };
}

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  return null;
}

describe('memoryLimit', () => {
  it('refuses a limit below what is held before any work', () => {
    expect(thrownBy(() => memoryLimit(90e6, machine(108).reading))).toMatchObject({
      code: 'usage',
      message: '--max-memory 90 MB: the command alone holds 108 MB; give more',
    });
  });

  it('fires over the limit, with the holders and what to lower', () => {
    const { state, reading } = machine(100);
    const memory = memoryLimit(500e6, reading);
    memory.check();
    expect([memory.signal.aborted, memory.fault]).toEqual([false, null]);
    state.held = 620e6;
    memory.check();
    expect(memory.signal.aborted).toBe(true);
    expect(memory.fault).toMatchObject({
      code: 'io',
      message:
        '--max-memory 500 MB: 620 MB are held (objects 10 MB, their buffers 20 MB, models and threads of own code 590 MB); lower --batch-size, --context-memory, or give more',
    });
  });

  it('names no flag where the command has none', () => {
    const { state, reading } = machine(100);
    const memory = memoryLimit(500e6, { ...reading, lower: [] });
    state.held = 620e6;
    memory.check();
    expect(memory.fault!.message).toMatch(/ 590 MB\); give more$/);
  });

  it('collects garbage before it fires, and waits until the system has its pages', () => {
    const { state, reading } = machine(100);
    const memory = memoryLimit(500e6, reading);
    Object.assign(state, { held: 620e6, garbage: 130e6 });
    memory.check();
    expect(memory.fault).toBe(null);
  });

  it('collects garbage before it refuses', () => {
    const { state, reading } = machine(100);
    const memory = memoryLimit(1000e6, reading);
    Object.assign(state, { held: 900e6, garbage: 700e6 });
    memory.require({ what: 'the weights of m', bytes: 300e6, lower: 'give a smaller --model' });
    expect(state.held).toBe(200e6);
  });

  it('refuses an allocation of known size beside what is held', () => {
    const memory = memoryLimit(2e9, machine(500).reading);
    const need = { what: 'the weights of m', lower: 'give a smaller --model' };
    memory.require({ ...need, bytes: 1.5e9 });
    expect(thrownBy(() => memory.require({ ...need, bytes: 1.6e9 }))).toMatchObject({
      code: 'usage',
      message:
        '--max-memory 2 GB: the weights of m would take 1.6 GB beside the 500 MB held now; give a smaller --model, or give more',
    });
  });
});

it('a limited host stops after the step that went over, and hears what its own listener hears', () => {
  const { state, reading } = machine(100);
  const memory = memoryLimit(500e6, reading);
  const heard: string[] = [];
  const own: Host = { ...plainHost(), listener: { note: (line) => void heard.push(line) } };
  const host = limitedHost(own, memory);
  host.listener!.note!('begun');
  host.listener!.advance!();
  expect(host.signal!.aborted).toBe(false);
  state.held = 501e6;
  host.listener!.advance!();
  expect([host.signal!.aborted, heard]).toEqual([true, ['begun']]);
  const stop = new EmacError('interrupted', 'stopped on request');
  expect(limitOf(memory, stop)).toBe(memory.fault);
  const other = new EmacError('data', 'damaged');
  expect([limitOf(memory, other), limitOf(null, stop)]).toEqual([other, stop]);
});

it('caches keep a part of the limit, and never more than without one', () => {
  const memory = memoryLimit(800e6, machine(100).reading);
  const share = { usual: 256e6, part: 1 / 8 };
  expect([shareOf(undefined, share), shareOf(memory, share)]).toEqual([256e6, 100e6]);
  expect(shareOf(memory, { usual: 50e6, part: 1 / 8 })).toBe(50e6);
});
