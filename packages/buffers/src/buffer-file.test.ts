/** A buffer on disk, written up to checkpoints and read back after a kill. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { openBufferFile } from './buffer-file.ts';
import { createImitationBuffer, type ImitationBuffer } from './replay-buffer.ts';

function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emac-buffer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'transitions.bin');
}

function append(buffer: ImitationBuffer, step: number, key: string): void {
  const origin = { gameId: 'task/trial', round: 0, episode: 0, step, text: `t${step}` };
  const features = { key, data: Float32Array.of(key.length, 0.5, -2) };
  buffer.append({ ...origin, featuresKey: key, target: `a${step}` }, features);
}

const heldBy = (buffer: ImitationBuffer) =>
  Array.from({ length: buffer.length }, (_, index) => {
    const transition = buffer.at(index);
    return { transition, data: [...buffer.features.read(transition.featuresKey).data] };
  });

it('gives back the buffer of any checkpoint and then grows to the same bytes, also when old ones have left', () => {
  const path = temporaryPath();
  const episodes = fc.array(fc.array(fc.constantFrom('x', 'yy', 'zzz'), { maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(episodes, fc.nat(7), fc.integer({ min: 4, max: 9 }), (list, at, capacity) => {
      rmSync(path, { force: true });
      const buffer = createImitationBuffer({ capacity });
      const file = openBufferFile(path, buffer);
      let kept = { length: file.length, sha256: file.sha256() };
      let before = heldBy(buffer);
      let step = 0;
      list.forEach((keys, episode) => {
        for (const key of keys) append(buffer, step++, key);
        file.save();
        if (episode < at) [kept, before] = [{ length: file.length, sha256: file.sha256() }, heldBy(buffer)];
      });
      file.close();
      const undisturbed = readFileSync(path);

      appendFileSync(path, 'torn');
      const again = createImitationBuffer({ capacity });
      const continued = openBufferFile(path, again, kept);
      expect(heldBy(again)).toEqual(before);
      let next = again.appended;
      expect(next).toBe(list.slice(0, at).flat().length);
      for (const keys of list.slice(at)) {
        for (const key of keys) append(again, next++, key);
        continued.save();
      }
      continued.close();
      expect(heldBy(again)).toEqual(heldBy(buffer));
      expect(readFileSync(path).equals(undisturbed)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('what was saved is read from the file, damage to which is noticed', () => {
  const path = temporaryPath();
  const buffer = createImitationBuffer();
  const file = openBufferFile(path, buffer);
  append(buffer, 0, 'x');
  append(buffer, 1, 'yy');
  file.save();
  append(buffer, 2, 'zzz');
  const before = heldBy(buffer);
  const bytes = readFileSync(path);
  writeFileSync(path, new Uint8Array(bytes.length));
  expect(() => buffer.at(0)).toThrow(/it was damaged/);
  expect(() => buffer.features.read('yy')).toThrow(/it was damaged/);
  expect(buffer.at(2).text).toBe('t2');
  writeFileSync(path, bytes);
  expect(heldBy(buffer)).toEqual(before);
  // both buffers read the same file
  const other = createImitationBuffer();
  openBufferFile(path, other, { length: file.length }).close();
  expect(heldBy(other)).toEqual(before.slice(0, 2));
  file.close();
  rmSync(path);
  expect(() => other.at(0)).toThrow(EmacError);
});

it('loses pairs and frames that have left from memory and keeps them in the file', () => {
  const path = temporaryPath();
  const buffer = createImitationBuffer({ capacity: 2 });
  const file = openBufferFile(path, buffer);
  for (const [step, key] of ['x', 'yy', 'zzz', 'x'].entries()) {
    append(buffer, step, key);
    file.save();
  }
  file.close();
  expect(heldBy(buffer).map(({ transition }) => transition.step)).toEqual([2, 3]);
  expect([buffer.features.size, buffer.features.has('yy')]).toEqual([2, false]);
  const again = createImitationBuffer({ capacity: 10 });
  openBufferFile(path, again, { length: file.length }).close();
  expect(heldBy(again).map(({ transition }) => transition.step)).toEqual([0, 1, 2, 3]);
});
