/** A buffer on disk, written at checkpoints and read back after a kill. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { openRecordLog, pack } from '@emac/files';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { openBufferFile } from './buffer-file.ts';
import { createImitationBuffer, type ImitationBuffer } from './replay-buffer.ts';
import { heldBy, label, mixed } from './transitions.test.fixture.ts';

function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emac-buffer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'transitions.bin');
}

const append = (buffer: ImitationBuffer, step: number, keys: string) => buffer.append(label(step, [...keys]));

it('restores the buffer of any checkpoint and then grows to the same bytes, also after evictions', () => {
  const path = temporaryPath();
  const episodes = fc.array(fc.array(fc.constantFrom('', 'x', 'y', 'z', 'xy', 'zyz'), { maxLength: 4 }), {
    maxLength: 8,
  });
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

it('reads saved transitions from the file, and detects damage', () => {
  const path = temporaryPath();
  const buffer = createImitationBuffer();
  const file = openBufferFile(path, buffer);
  append(buffer, 0, 'x');
  buffer.append(mixed(1));
  file.save();
  append(buffer, 2, 'z');
  const before = heldBy(buffer);
  expect(before).toStrictEqual([label(0, ['x']), mixed(1), label(2, ['z'])]);
  const bytes = readFileSync(path);
  writeFileSync(path, new Uint8Array(bytes.length));
  expect(() => buffer.at(0)).toThrow(/it was damaged/);
  expect(() => buffer.keyedAt(1)).toThrow(/it was damaged/);
  expect(() => buffer.features.read('left')).toThrow(/it was damaged/);
  expect(buffer.at(2)).toStrictEqual(label(2, ['z']));
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

it('drops evicted pairs and frames from memory and keeps them in the file', () => {
  const path = temporaryPath();
  const buffer = createImitationBuffer({ capacity: 2 });
  const file = openBufferFile(path, buffer);
  for (const [step, key] of ['x', 'y', 'z', 'x'].entries()) {
    append(buffer, step, key);
    file.save();
  }
  file.close();
  expect(heldBy(buffer).map(({ step }) => step)).toEqual([2, 3]);
  expect([buffer.features.size, buffer.features.has('y')]).toEqual([2, false]);
  const again = createImitationBuffer({ capacity: 10 });
  openBufferFile(path, again, { length: file.length }).close();
  expect(heldBy(again).map(({ step }) => step)).toEqual([0, 1, 2, 3]);
});

it('rejects a file of an older version by its name and leaves it unchanged', () => {
  const path = temporaryPath();
  const log = openRecordLog(path);
  const origin = { episode: 0, gameId: 'task/trial', round: 0, step: 0 };
  log.append(pack({ features: 'f', bits: Uint16Array.of(0) }));
  log.append(pack({ transition: { ...origin, featuresKey: 'f', target: ' look', text: 't' } }));
  log.close();
  const bytes = readFileSync(path);
  expect(() => openBufferFile(path, createImitationBuffer(), { length: bytes.length })).toThrow(
    `${path}, record 0: must have format 2, it has the format of an older version`,
  );
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

it('detects a record with changed content', () => {
  const path = temporaryPath();
  const buffer = createImitationBuffer();
  const file = openBufferFile(path, buffer);
  append(buffer, 0, '');
  file.save();
  file.close();
  const bytes = readFileSync(path);
  // the same length, and still a message: the field `answer` has become `unswer`
  writeFileSync(path, Buffer.from(bytes.toString('latin1').replace('answer', 'unswer'), 'latin1'));
  expect(() => buffer.at(0)).toThrow('ReplayBuffer: the record of transition 0 has changed on disk');
});
