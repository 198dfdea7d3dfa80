/** Schedulers and scripts read codes and exit statuses: the table below is a promise, written down a second time. */
import { describe, expect, it } from 'vitest';
import { EmacError, exitCodes, invariant, messageOf, notLoaded, type EmacErrorCode } from './error.ts';

// sysexits.h where it fits; 2 and 75 as schedulers use them
const promised: readonly [EmacErrorCode, number][] = [
  ['check-failed', 2],
  ['usage', 64],
  ['data', 65],
  ['missing', 66],
  ['unavailable', 69],
  ['internal', 70],
  ['cannot-create', 73],
  ['io', 74],
  ['interrupted', 75],
  ['auth', 77],
  ['config', 78],
];

describe('EmacError', () => {
  it.each(promised)('with code %s ends the command with status %i', (code, status) => {
    expect(new EmacError(code, 'place: rule, actual').exitCode).toBe(status);
  });

  it('has no other codes, and none that means success, a bug or a signal', () => {
    expect(exitCodes).toEqual(Object.fromEntries(promised));
    const statuses = Object.values(exitCodes);
    expect(new Set(statuses).size).toBe(statuses.length);
    expect(statuses.filter((status) => status <= 1 || status > 127)).toEqual([]);
  });

  it('is an Error that keeps message, code and cause', () => {
    const cause = new Error('disk full');
    const error = new EmacError('io', 'runs/a: cannot be written', { cause });
    expect(error).toBeInstanceOf(Error);
    expect({ name: error.name, code: error.code, message: error.message, cause: error.cause }).toEqual({
      name: 'EmacError',
      code: 'io',
      message: 'runs/a: cannot be written',
      cause,
    });
  });
});

describe('invariant', () => {
  it('throws an internal error if its condition is false, and nothing otherwise', () => {
    expect(() => invariant(1 + 1 === 3, 'sum: must be 3')).toThrow(
      expect.objectContaining({ code: 'internal', message: 'sum: must be 3' }),
    );
    expect(() => invariant(1 + 1 === 2, 'sum: must be 2')).not.toThrow();
  });
});

describe('messageOf', () => {
  it.each([
    [new TypeError('no'), 'no'],
    ['plain text', 'plain text'],
    [undefined, 'undefined'],
    [{ code: 1 }, '[object Object]'],
  ])('reads %o', (thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });
});

it.each([
  [
    'EMFILE',
    'io',
    'sharp cannot be loaded: too many; close other files of this process, or raise the limit with ulimit -n',
  ],
  ['ENOENT', 'unavailable', 'sharp cannot be loaded: too many; install again with npm ci'],
])('says what to do if a part does not load: %s', (code, kind, message) => {
  const cause = Object.assign(new Error('too many'), { code });
  expect(notLoaded('sharp', cause)).toMatchObject({ code: kind, message });
});
