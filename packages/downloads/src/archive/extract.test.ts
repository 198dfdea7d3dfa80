/** An archive is unpacked completely or not at all, and never writes outside its folder. */
import fs, { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bytesOf } from '../breaking-server.test.support.ts';
import { extractArchive, type ExtractOptions } from './extract.ts';
import { tarGzOf, zipOf, type Member } from './hostile-archives.test.support.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'emac-archive-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const target = () => join(place, 'out');

function extracted(archive: Buffer, options?: ExtractOptions) {
  const path = join(place, 'archive');
  writeFileSync(path, archive);
  return extractArchive(path, target(), options);
}

/** Records the paths of synced folders, in order. */
function foldersSynced(): () => string[] {
  const { openSync } = fs;
  const opened = new Map<number, string>();
  const opening = vi.spyOn(fs, 'openSync').mockImplementation((path, ...more) => {
    const descriptor = openSync(path, ...more);
    opened.set(descriptor, String(path));
    return descriptor;
  });
  const paths: string[] = [];
  const syncing = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    paths.push(opened.get(descriptor)!);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    opening.mockRestore();
    syncing.mockRestore();
    syncBuiltinESMExports();
  });
  return () => paths;
}

const forms = [
  ['zip', zipOf],
  ['tar.gz', tarGzOf],
] as const;

describe.each(forms)('a %s archive', (_form, archiveOf) => {
  const big = bytesOf(300_000);
  const usual: Member[] = [
    { name: 'json_2.1.1/' },
    { name: 'json_2.1.1/train/task/trial/game.tw-pddl', content: big },
    { name: './json_2.1.1/empty' },
    { name: '__MACOSX/json_2.1.1/._game.tw-pddl', content: 'noise' },
    { name: 'json_2.1.1/.DS_Store', content: 'noise' },
  ];

  it("becomes a folder with its files, without a Mac's metadata files", async () => {
    expect(await extracted(archiveOf(usual))).toEqual({ files: 2, bytes: 300_000 });
    expect(readFileSync(join(target(), 'json_2.1.1/train/task/trial/game.tw-pddl')).equals(big)).toBe(true);
    expect(readdirSync(target())).toEqual(['json_2.1.1']);
    expect(readdirSync(join(target(), 'json_2.1.1')).sort()).toEqual(['empty', 'train']);
    expect(readdirSync(place).sort()).toEqual(['archive', 'out']);
  });

  it('is on disk with its files and every folder, innermost first, before it gets its name', async () => {
    const done = foldersSynced();
    await extracted(archiveOf(usual));
    // the folder has a temporary name until it becomes the target
    const inside = done().map((path) => relative(place, path).replace(/^\.tmp-[^/]*/, 'out'));
    expect(inside.slice(0, -6)).toContain('out/json_2.1.1/train/task/trial/game.tw-pddl');
    expect(inside.slice(-6)).toEqual([
      'out/json_2.1.1/train/task/trial',
      'out/json_2.1.1/train/task',
      'out/json_2.1.1/train',
      'out/json_2.1.1',
      'out',
      '',
    ]);
  });

  const link = { name: 'a/link', type: '2', link: '/etc', mode: 0o120777, content: '' };
  it.each<[string, Member[], RegExp]>([
    ['a name that climbs', [{ name: '../evil', content: 'x' }], /evil|relative/],
    ['a name that climbs in the middle', [{ name: 'a/../../evil', content: 'x' }], /evil|relative/],
    ['an absolute name', [{ name: '/tmp/emac-evil', content: 'x' }], /emac-evil|absolute/],
    ['a drive', [{ name: 'C:/evil', content: 'x' }], /C:\/evil|absolute/],
    ['backslashes', [{ name: '..\\evil', content: 'x' }], /evil/],
    ['a symbolic link', [link], /link or device/],
    ['a link and a file through it', [link, { name: 'a/link/evil', content: 'x' }], /link or device/],
    [
      'a file twice',
      [
        { name: 'a', content: '1' },
        { name: 'a', content: '2' },
      ],
      /a twice/,
    ],
    [
      'a file that is also a folder',
      [
        { name: 'a', content: '1' },
        { name: 'a/b', content: '2' },
      ],
      /a\/b twice/,
    ],
  ])('is rejected completely: %s', async (_what, members, message) => {
    const failed = extracted(archiveOf([{ name: 'good', content: 'x' }, ...members]));
    await expect(failed).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(message) as string,
    });
    expect(readdirSync(place)).toEqual(['archive']);
    expect(existsSync(join(place, '..', 'evil'))).toBe(false);
    expect(existsSync('/tmp/emac-evil')).toBe(false);
  });

  it('is rejected if it unpacks to more than the limit', async () => {
    const bomb = archiveOf([{ name: 'bomb', content: Buffer.alloc(5_000_000) }]);
    expect(bomb.length).toBeLessThan(20_000);
    const failed = extracted(bomb, { limits: { entries: 10, bytes: 4_999_999 } });
    await expect(failed).rejects.toMatchObject({ code: 'data' });
    const many = archiveOf(Array.from({ length: 11 }, (_, n) => ({ name: `${n}` })));
    const tooMany = extracted(many, { limits: { entries: 10, bytes: 1000 } });
    await expect(tooMany).rejects.toMatchObject({ code: 'data' });
    expect(readdirSync(place)).toEqual(['archive']);
  });

  it('truncated or changed anywhere, is never a partial folder', async () => {
    const archive = archiveOf(usual);
    const cut = fc.integer({ min: 0, max: archive.length - 1 });
    await fc.assert(
      fc.asyncProperty(cut, fc.option(fc.integer({ min: 1, max: 255 })), async (at, change) => {
        rmSync(target(), { recursive: true, force: true });
        const broken = Buffer.from(change === null ? archive.subarray(0, at) : archive);
        if (change !== null) broken[at]! ^= change;
        const outcome = await extracted(broken).catch((thrown: unknown) => thrown);
        if (!existsSync(target())) expect(outcome).toMatchObject({ code: 'data' });
        // a changed byte may be unused, or part of a name
        else expect(outcome).toMatchObject({ files: expect.any(Number) as number });
        const file = join(target(), 'json_2.1.1/train/task/trial/game.tw-pddl');
        if (existsSync(file)) expect(readFileSync(file).equals(big)).toBe(true);
        expect(readdirSync(place).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
        if (change === null) expect(existsSync(target())).toBe(false);
      }),
      { numRuns: 80, seed: 3 },
    );
  });

  it('does not replace a folder, and stops on request', async () => {
    const stop = new AbortController();
    const progress = () => stop.abort();
    const stopped = extracted(archiveOf(usual), { signal: stop.signal, progress });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(readdirSync(place)).toEqual(['archive']);
    await extracted(archiveOf(usual));
    await expect(extracted(archiveOf(usual))).rejects.toMatchObject({ code: 'cannot-create' });
  });
});

describe('a zip archive', () => {
  it('is rejected if a checksum is wrong or a size is false', async () => {
    const wrong = extracted(zipOf([{ name: 'a', content: 'abc', wrongSum: true }]));
    await expect(wrong).rejects.toMatchObject({ message: expect.stringMatching(/CRC-32/) as string });
    const bomb = zipOf([{ name: 'a', content: Buffer.alloc(1_000_000), saidSize: 10 }]);
    await expect(extracted(bomb)).rejects.toMatchObject({ code: 'data' });
    expect(readdirSync(place)).toEqual(['archive']);
  });
});

describe('a tar.gz archive', () => {
  it.each([
    ['a hard link', '1'],
    ['a device', '3'],
    ['a pipe', '6'],
  ])('is rejected if it holds %s', async (_what, type) => {
    const failed = extracted(tarGzOf([{ name: 'a', type, link: 'b' }]));
    await expect(failed).rejects.toMatchObject({ code: 'data' });
    expect(readdirSync(place)).toEqual(['archive']);
  });
});

it('a file that is no archive is reported as such', async () => {
  const failed = extracted(Buffer.from('<html>Please log in</html>'));
  await expect(failed).rejects.toMatchObject({
    code: 'data',
    message: expect.stringMatching(/neither a zip nor a tar\.gz/) as string,
  });
  await expect(extracted(Buffer.from(''))).rejects.toMatchObject({ code: 'data' });
});
