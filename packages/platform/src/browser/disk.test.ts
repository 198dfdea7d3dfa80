import * as node from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createDisk, type Disk } from './disk.ts';

const real = node.mkdtempSync(join(tmpdir(), 'disk-'));
afterAll(() => node.rmSync(real, { recursive: true }));

const paths = ['a', 'b', 'a/c', 'b/c', 'a/c/d'] as const;
const path = fc.constantFrom(...paths);
const bytes = fc.uint8Array({ maxLength: 5 });
const flag = fc.constantFrom('w', 'wx', 'a', 'r+');

type Step = (fs: Disk, root: string) => unknown;

const step: fc.Arbitrary<Step> = fc.oneof(
  path.map(
    (at): Step =>
      (fs, root) =>
        fs.mkdirSync(join(root, at)),
  ),
  path.map(
    (at): Step =>
      (fs, root) =>
        void fs.mkdirSync(join(root, at), { recursive: true }),
  ),
  fc.tuple(path, bytes, flag).map(
    ([at, data, how]): Step =>
      (fs, root) =>
        fs.writeFileSync(join(root, at), data, { flag: how }),
  ),
  fc.tuple(path, path).map(
    ([from, to]): Step =>
      (fs, root) =>
        fs.renameSync(join(root, from), join(root, to)),
  ),
  path.map(
    (at): Step =>
      (fs, root) =>
        fs.rmSync(join(root, at), { recursive: true }),
  ),
  path.map(
    (at): Step =>
      (fs, root) =>
        fs.rmdirSync(join(root, at)),
  ),
  path.map((at): Step => (fs, root) => [...fs.readFileSync(join(root, at))]),
  path.map(
    (at): Step =>
      (fs, root) =>
        fs.readdirSync(join(root, at)).sort(),
  ),
  path.map(
    (at): Step =>
      (fs, root) =>
        fs.existsSync(join(root, at)),
  ),
  path.map(
    (at): Step =>
      (fs, root) =>
        fs.statSync(join(root, at))!.isDirectory(),
  ),
  fc.tuple(path, bytes, fc.nat(8), fc.nat(8)).map(([at, data, position, length]): Step => (fs, root) => {
    const descriptor = fs.openSync(join(root, at), 'r+');
    try {
      fs.writeSync(descriptor, data, 0, data.byteLength, position);
      fs.ftruncateSync(descriptor, length);
      const read = new Uint8Array(6);
      const count = fs.readSync(descriptor, read, 1, 4, 2);
      return [count, ...read, fs.fstatSync(descriptor).size];
    } finally {
      fs.closeSync(descriptor);
    }
  }),
);

function outcome(one: Step, fs: Disk, root: string): unknown {
  try {
    return one(fs, root) ?? null;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code;
  }
}

it('answers as Node does, errors included', () => {
  let count = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const root = join(real, String(count++));
      node.mkdirSync(root);
      const disk = createDisk(() => 0);
      disk.mkdirSync('/root');
      for (const each of steps)
        expect(outcome(each, disk, '/root')).toEqual(outcome(each, node as unknown as Disk, root));
    }),
    { numRuns: 300 },
  );
});

it('says of a folder that holds what is renamed to it that it is not empty', () => {
  const disk = createDisk(() => 0);
  disk.mkdirSync('/a/c', { recursive: true });
  disk.writeFileSync('/a/c/d', 'x');
  expect(() => disk.renameSync('/a/c/d', '/a')).toThrow('ENOTEMPTY');
  expect(() => disk.renameSync('/a/c', '/a')).toThrow('ENOTEMPTY');
});

it('appends where the file ends, and reads on from descriptor to descriptor', () => {
  const disk = createDisk(() => 0);
  const first = disk.openSync('/file', 'a');
  disk.writeSync(first, 'one ');
  const second = disk.openSync('/file', 'a');
  disk.writeSync(second, 'two ');
  disk.writeSync(first, 'three');
  expect(disk.readFileSync('/file', 'utf8')).toBe('one two three');
  const read = disk.openSync('/file', 'r');
  const part = new Uint8Array(4);
  disk.readSync(read, part);
  disk.readSync(read, part);
  expect(new TextDecoder().decode(part)).toBe('two ');
  expect(() => disk.writeSync(read, 'x')).toThrow('EBADF');
});

it('takes addresses of files, as modules name their neighbours', () => {
  const disk = createDisk(() => 0);
  disk.writeFileSync('/a file', 'x');
  expect(disk.readFileSync(new URL('file:///a%20file'), 'utf8')).toBe('x');
});
