import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frame } from '@emac/core';
import { objectPictures } from './object-pictures.ts';
import { drawnReceptacles } from './receptacle-pictures.ts';
import { renderFrame } from './render-frame.ts';
import type { VisibleObject, VisibleReceptacle, VisibleState } from './visible-state.ts';

const plain = { hot: false, cool: false, clean: false, sliced: false, on: false };
const object = (name: string, number = 1, state: Partial<VisibleObject> = {}): VisibleObject => ({
  ...plain,
  name: `${name} ${number}`,
  class: name,
  ...state,
});
const receptacle = (name: string, contents: VisibleObject[] = [], more: Partial<VisibleReceptacle> = {}) => ({
  name: `${name} 1`,
  class: name,
  openable: false,
  open: false,
  contents,
  ...more,
});
const facing = (...receptacles: VisibleReceptacle[]): VisibleState => ({
  facing: receptacles,
  held: null,
  room: 'kitchen',
});

/** Pixels that differ, as [count, left, right, top, bottom]. */
function difference(a: Frame, b: Frame) {
  let [count, left, right, top, bottom] = [0, Infinity, -1, Infinity, -1];
  for (let pixel = 0; pixel < a.width * a.height; pixel++) {
    const at = pixel * 3;
    if (a.data[at] === b.data[at] && a.data[at + 1] === b.data[at + 1] && a.data[at + 2] === b.data[at + 2])
      continue;
    const [x, y] = [pixel % a.width, Math.floor(pixel / a.width)];
    [count, left, right] = [count + 1, Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { count, left, right, top, bottom };
}

const objectClasses = [...objectPictures.keys()];
const anyObject = fc
  .record({
    class: fc.constantFrom(...objectClasses),
    number: fc.integer({ min: 1, max: 30 }),
    hot: fc.boolean(),
    cool: fc.boolean(),
    clean: fc.boolean(),
    sliced: fc.boolean(),
    on: fc.boolean(),
  })
  .map(({ number, ...rest }): VisibleObject => ({ ...rest, name: `${rest.class} ${number}` }));
const anyReceptacle = fc
  .record({
    class: fc.constantFrom('cabinet', 'drawer', 'fridge', 'microwave', 'safe', 'countertop', 'shelf', 'bed'),
    number: fc.integer({ min: 1, max: 30 }),
    door: fc.constantFrom('none', 'open', 'closed'),
    contents: fc.array(anyObject, { maxLength: 9 }),
  })
  .map(({ class: name, number, door, contents }): VisibleReceptacle => ({
    name: `${name} ${number}`,
    class: name,
    openable: door !== 'none',
    open: door === 'open',
    contents: door === 'closed' ? [] : contents,
  }));
const anyState = fc.record({
  facing: fc.array(anyReceptacle, { maxLength: 4 }),
  held: fc.option(anyObject),
  room: fc.option(fc.constantFrom('kitchen', 'livingroom', 'bedroom', 'bathroom')),
}) as fc.Arbitrary<VisibleState>;

describe('renderFrame', () => {
  it('gives RGB bytes of the size asked for, 224 × 224 by default', () => {
    const frame = renderFrame(facing());
    expect([frame.width, frame.height, frame.data.length]).toEqual([224, 224, 224 * 224 * 3]);
    expect(renderFrame(facing(), { width: 320, height: 160 }).data.length).toBe(320 * 160 * 3);
    expect(() => renderFrame(facing(), { width: 10 })).toThrow(/from 56/);
  });

  it('draws equal states equally and different states differently', () => {
    fc.assert(
      fc.property(anyState, anyState, (a, b) => {
        const [first, second] = [renderFrame(a), renderFrame(b)];
        expect(Buffer.compare(renderFrame(a).data, first.data)).toBe(0);
        const same = JSON.stringify(a) === JSON.stringify(b);
        expect(Buffer.compare(first.data, second.data) === 0).toBe(same);
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it('shows every change of a state or a number, however full the receptacle is', () => {
    const change = fc.constantFrom<(state: VisibleObject) => VisibleObject>(
      (it) => ({ ...it, hot: !it.hot }),
      (it) => ({ ...it, cool: !it.cool }),
      (it) => ({ ...it, clean: !it.clean }),
      (it) => ({ ...it, sliced: !it.sliced }),
      (it) => ({ ...it, on: !it.on }),
      (it) => ({ ...it, name: `${it.class} 31` }),
    );
    fc.assert(
      fc.property(fc.array(anyObject, { minLength: 1, maxLength: 30 }), change, (contents, alter) => {
        const before = renderFrame(facing(receptacle('countertop', contents)));
        const last = alter(contents.at(-1)!);
        const after = renderFrame(facing(receptacle('countertop', [...contents.slice(0, -1), last])));
        expect(difference(before, after).count).toBeGreaterThan(4);
      }),
      { numRuns: 60, seed: 2 },
    );
  });

  it('tells closed, open and empty, and not openable apart', () => {
    for (const name of drawnReceptacles) {
      const frames = [
        renderFrame(facing(receptacle(name, [], { openable: true }))),
        renderFrame(facing(receptacle(name, [], { openable: true, open: true }))),
        renderFrame(facing(receptacle(name))),
      ] as const;
      expect(difference(frames[0], frames[1]).count, name).toBeGreaterThan(100);
      expect(difference(frames[0], frames[2]).count, name).toBeGreaterThan(100);
      expect(difference(frames[1], frames[2]).count, name).toBeGreaterThan(100);
    }
  });

  it('tells which of two receptacles holds an object', () => {
    const apple = object('apple');
    const left = renderFrame(
      facing(receptacle('shelf', [apple]), receptacle('shelf', [], { name: 'shelf 2' })),
    );
    const right = renderFrame(facing(receptacle('shelf'), receptacle('shelf', [apple], { name: 'shelf 2' })));
    expect(difference(left, right).count).toBeGreaterThan(50);
  });

  it('has a picture of its own for every class, far from every other even at half size', () => {
    const small = { width: 112, height: 112 };
    const frames = objectClasses.map((name) => renderFrame(facing(receptacle('bed', [object(name)])), small));
    frames.forEach((frame, index) => {
      for (let other = 0; other < index; other++)
        expect(
          difference(frame, frames[other]!).count,
          `${objectClasses[index]} ${objectClasses[other]}`,
        ).toBeGreaterThan(75);
    });
    const receptacles = drawnReceptacles.map((name) => renderFrame(facing(receptacle(name)), small));
    receptacles.forEach((frame, index) => {
      for (let other = 0; other < index; other++)
        expect(difference(frame, receptacles[other]!).count).toBeGreaterThan(125);
    });
  });

  it('draws objects at least 28 pixels wide while there are up to sixteen', () => {
    const row = objectClasses.slice(0, 16).map((name) => object(name));
    const before = renderFrame(facing(receptacle('countertop', row.slice(0, 15))));
    const change = difference(before, renderFrame(facing(receptacle('countertop', row))));
    expect(change.right - change.left + 1).toBeGreaterThanOrEqual(28);
    expect(change.bottom - change.top + 1).toBeGreaterThanOrEqual(28);
  });

  it('shows what is held in the lower right corner and nowhere else', () => {
    const empty = renderFrame(facing(receptacle('desk', [object('book')])));
    const holding = renderFrame({ ...facing(receptacle('desk', [object('book')])), held: object('mug', 2) });
    const { left, top, count } = difference(empty, holding);
    expect(count).toBeGreaterThan(2000);
    expect(left).toBeGreaterThanOrEqual(148);
    expect(top).toBeGreaterThanOrEqual(180);
  });

  it('has a view of its own for the middle of each kind of room', () => {
    const kinds = ['kitchen', 'livingroom', 'bedroom', 'bathroom', null] as const;
    const frames = kinds.map((room) => renderFrame({ facing: [], held: null, room }));
    frames.forEach((frame, index) => {
      for (let other = 0; other < index; other++)
        expect(difference(frame, frames[other]!).count).toBeGreaterThan(20_000);
      expect(difference(frame, renderFrame(facing(receptacle('bed')))).count).toBeGreaterThan(10_000);
    });
  });

  it('draws classes and names it does not know', () => {
    const odd = renderFrame(
      facing(receptacle('spaceship', [object('gizmo'), { ...object('widget'), name: 'widget' }])),
    );
    expect(difference(odd, renderFrame(facing(receptacle('spaceship')))).count).toBeGreaterThan(1000);
  });
});
