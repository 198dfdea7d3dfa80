import { describe, expect, it } from 'vitest';
import { root } from '../workspace/root.ts';
import { faults } from './faults.ts';
import { placeOf, projectOf, sourcesOf } from './places.ts';

describe('the seeded faults', () => {
  const sources = sourcesOf(root);

  it('are sixty or more, with unique names, of most packages', () => {
    const projects = faults.map((fault) => {
      const place = placeOf(fault, sources);
      return 'file' in place ? projectOf(place.file) : null;
    });
    expect(faults.length).toBeGreaterThanOrEqual(60);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect(new Set(projects).size).toBeGreaterThan(25);
  });

  // if this fails, the line was rewritten: update the fault's text, or choose another place that breaks the same
  it.each(faults.map((fault) => [fault.name, fault] as const))('%s has one place', (_, fault) => {
    expect(placeOf(fault, sources)).toEqual({ file: expect.any(String) as string });
    expect(fault.replacement).not.toBe(fault.text);
  });
});

describe('the place of a fault', () => {
  const sources = new Map([
    ['packages/a/src/one.ts', 'f(x) + f(y)'],
    ['packages/b/src/two.ts', 'f(x) + g(y)'],
  ]);

  it('is the one file with its text', () => {
    expect(placeOf({ text: 'g(y)' }, sources)).toEqual({ file: 'packages/b/src/two.ts' });
    expect(projectOf('packages/b/src/two.ts')).toBe('packages/b');
  });

  it('is reported missing if its text occurs nowhere or more than once', () => {
    const gone = (text: string) => (placeOf({ text }, sources) as { readonly gone: string }).gone;
    expect(gone('h(z)')).toMatch(/^its text occurs nowhere/);
    expect(gone('f(x)')).toBe(
      'its text must occur once, occurs 2 times (packages/a/src/one.ts, packages/b/src/two.ts): use more of the line',
    );
    expect(gone('f(')).toMatch(/^its text must occur once, occurs 3 times/);
  });
});
