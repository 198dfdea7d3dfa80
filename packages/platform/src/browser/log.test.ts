import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDisk, type Disk } from './disk.ts';
import { beginLog, openLog, type LogFile } from './log.ts';

/** A file in memory; `most` bytes at most. */
function logFile(
  content: Uint8Array = new Uint8Array(0),
  most = Infinity,
): LogFile & { content: Uint8Array } {
  return {
    content,
    getSize() {
      return this.content.byteLength;
    },
    read(bytes, { at }) {
      const part = this.content.subarray(at, at + bytes.byteLength);
      bytes.set(part);
      return part.byteLength;
    },
    write(bytes, { at }) {
      const end = Math.min(most, at + bytes.byteLength);
      const grown = new Uint8Array(Math.max(end, this.content.byteLength));
      grown.set(this.content);
      grown.set(bytes.subarray(0, end - at), at);
      this.content = grown;
      return end - at;
    },
    truncate(length) {
      this.content = this.content.slice(0, length);
    },
    flush() {},
  };
}

function opened(file: LogFile): Disk {
  const disk = createDisk(() => 7);
  const open = file.getSize() === 0 ? beginLog : openLog;
  disk.keepIn(open(file, disk.tree, () => 0));
  return disk;
}

function content(disk: Disk, path = '/'): unknown {
  return disk.readdirSync(path).map((name) => {
    const below = `${path}${String(name)}`;
    return disk.statSync(below)!.isDirectory()
      ? [name, content(disk, `${below}/`)]
      : [name, disk.readFileSync(below, 'utf8')];
  });
}

/** Throws where a write does not fit whole. */
function throwing(file: LogFile & { content: Uint8Array }): LogFile {
  return {
    getSize: () => file.getSize(),
    read: (bytes, at) => file.read(bytes, at),
    write(bytes, at) {
      const before = file.content;
      if (file.write(bytes, at) === bytes.byteLength) return bytes.byteLength;
      file.content = before;
      throw new DOMException('the quota has been exceeded', 'QuotaExceededError');
    },
    truncate: (length) => file.truncate(length),
    flush() {},
  };
}

const changes: readonly ((disk: Disk) => void)[] = [
  (disk) => disk.mkdirSync('/run'),
  (disk) => disk.writeFileSync('/run/new', 'first'),
  (disk) => disk.renameSync('/run/new', '/run/kept'),
  (disk) => disk.writeFileSync('/run/kept', ' and more', { flag: 'a' }),
  (disk) => disk.writeFileSync('/run/gone', 'x'.repeat(3_000_000)),
  (disk) => disk.rmSync('/run/gone'),
  (disk) => disk.writeFileSync('/run/last', 'Ω'),
];

it('gives the same disk again after a reload', () => {
  const file = logFile();
  const disk = opened(file);
  for (const change of changes) change(disk);
  const again = opened(logFile(file.content));
  expect(content(again)).toEqual([
    [
      'run',
      [
        ['kept', 'first and more'],
        ['last', 'Ω'],
      ],
    ],
  ]);
  again.writeFileSync('/run/later', 'y');
  expect(opened(logFile(file.content)).existsSync('/run/later')).toBe(false);
});

it('gives the disk as it was at some earlier operation, if its end is lost', () => {
  const file = logFile();
  const disk = opened(file);
  const states = [content(disk)];
  const small = changes.filter((_, index) => index !== 4 && index !== 5);
  for (const change of small) {
    const before = file.content.byteLength;
    change(disk);
    // every operation of the change counts as a state
    for (let end = before + 1; end <= file.content.byteLength; end++)
      states.push(content(opened(logFile(file.content.slice(0, end)))));
  }
  const seen = new Set(states.map((state) => JSON.stringify(state)));
  // empty; run; new empty; new; kept; kept and more; last empty; last
  expect(seen.size).toBe(8);
});

it('ends at a damaged byte', () => {
  const file = logFile();
  const disk = opened(file);
  for (const change of changes.slice(0, 3)) change(disk);
  const before = content(disk);
  const { byteLength } = file.content;
  changes[3]!(disk);
  fc.assert(
    fc.property(fc.integer({ min: byteLength, max: file.content.byteLength - 1 }), (at) => {
      const damaged = file.content.slice();
      damaged[at]! ^= 1;
      expect(content(opened(logFile(damaged)))).toEqual(before);
    }),
  );
});

it.each([
  ['that writes less', (file: LogFile & { content: Uint8Array }): LogFile => file],
  ['that throws as browsers do', throwing],
])('names a full disk %s, and keeps what fitted', (_, over) => {
  const file = logFile(undefined, 200);
  const disk = createDisk(() => 7);
  disk.keepIn(beginLog(over(file), disk.tree, () => 0));
  disk.writeFileSync('/a', 'small');
  expect(() => disk.writeFileSync('/b', 'x'.repeat(300))).toThrow('ENOSPC');
  expect(disk.readFileSync('/a', 'utf8')).toBe('small');
  expect(opened(logFile(file.content)).readFileSync('/a', 'utf8')).toBe('small');
});

it('begins anew with what is there, and says whether that was written whole', () => {
  const disk = createDisk(() => 7);
  for (const change of changes) change(disk);
  const file = logFile();
  disk.keepIn(beginLog(file, disk.tree, () => 0));
  const { byteLength } = file.content;
  expect(byteLength).toBeLessThan(500);
  // a file that was open before goes on in the new log
  disk.writeFileSync('/run/last', '!', { flag: 'a' });
  const again = createDisk(() => 7);
  expect(openLog(file, again.tree, () => 0).isWhole).toBe(true);
  expect(content(again)).toEqual([
    [
      'run',
      [
        ['kept', 'first and more'],
        ['last', 'Ω!'],
      ],
    ],
  ]);
  again.writeFileSync('/other', 'y');
  expect(again.readFileSync('/run/last', 'utf8')).toBe('Ω!');
  const torn = logFile(file.content.slice(0, byteLength - 1));
  expect(openLog(torn, createDisk(() => 7).tree, () => 0).isWhole).toBe(false);
});

it('says what is free now, after what it has written', () => {
  const disk = createDisk(() => 7);
  const log = beginLog(logFile(), disk.tree, () => 1000);
  disk.keepIn(log);
  const before = log.free;
  disk.writeFileSync('/a', 'x'.repeat(100));
  expect(before - log.free).toBeGreaterThan(100);
  expect(log.length).toBeGreaterThan(100);
});

it('keeps the root, and opens a log that asks to remove it', () => {
  const disk = createDisk(() => 7);
  const file = logFile();
  const log = beginLog(file, disk.tree, () => 1000);
  disk.keepIn(log);
  disk.writeFileSync('/a', 'x');
  expect(() => disk.rmSync('/', { recursive: true })).toThrow('EBUSY');
  expect(() => disk.renameSync('/', '/b')).toThrow('EBUSY');
  log.record({ op: 'remove', path: '/' }, 0);
  expect(content(opened(logFile(file.content)))).toEqual([['a', 'x']]);
});
