/** The short form: one small run, and a proof that the harness finds what it looks for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { struckAt } from './call-faults.ts';
import type { Recorded, Tree } from './changes.ts';
import { Disk } from './disk.ts';
import { subjects } from './subjects.ts';
import {
  checked,
  finished,
  imagesOf,
  recorded,
  resumedAgain,
  type Bench,
  type Image,
  type Recordings,
} from './trial.ts';

const random = () => Random.fromSeed('crashes');
const bytes = (text: string) => new TextEncoder().encode(text);

describe('a disk without power', () => {
  const made: Recorded[] = [
    { path: 'a', change: { kind: 'enter', place: { folder: 0, name: 'a' }, node: 1, isFolder: false } },
    { path: 'a', change: { kind: 'write', file: 1, offset: 0, bytes: bytes('xy') } },
  ];
  const after = (changes: readonly Recorded[]): string[] => {
    const disk = new Disk();
    for (const { change } of changes) disk.apply(change);
    const images = [...disk.images(random(), 400)].map((tree) =>
      [...tree]
        .map(([path, content]) => `${path}=${content ? Buffer.from(content).toString() : 'folder'}`)
        .join(' '),
    );
    return [...new Set(images)].sort();
  };

  it('may lose a file, its content, or nothing', () => {
    expect(after(made)).toEqual(['', 'a=', 'a=\0\0', 'a=xy']);
  });

  it('keeps the content of a synced file, not its name', () => {
    expect(after([...made, { path: 'a', change: { kind: 'sync', node: 1 } }])).toEqual(['', 'a=xy']);
  });

  it('keeps both once the folder is synced as well', () => {
    const synced = [1, 0].map((node): Recorded => ({ path: '', change: { kind: 'sync', node } }));
    expect(after([...made, ...synced])).toEqual(['a=xy']);
  });

  it('renames in one step: the old file or the new one, whole if it was synced', () => {
    const changes: Recorded[] = [
      ...made,
      { path: 'a', change: { kind: 'sync', node: 1 } },
      { path: 'b', change: { kind: 'enter', place: { folder: 0, name: 'b' }, node: 2, isFolder: false } },
      { path: 'b', change: { kind: 'write', file: 2, offset: 0, bytes: bytes('old') } },
      ...[2, 0].map((node): Recorded => ({ path: '', change: { kind: 'sync', node } })),
      {
        path: 'b',
        change: { kind: 'rename', from: { folder: 0, name: 'a' }, to: { folder: 0, name: 'b' }, node: 1 },
      },
    ];
    expect(after(changes)).toEqual(['a=xy b=old', 'b=xy']);
  });
});

describe('a run of ppo', () => {
  let bench: Bench;
  let made: Recordings;
  let images: Image[];
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-crashes-'));
    bench = { subject: subjects.find(({ name }) => name === 'ppo')!, folder, queue: null };
    made = await recorded(bench);
    images = [...imagesOf(made.changes, { random: random(), drawn: 1 })];
  });
  afterAll(() => rmSync(bench.folder, { recursive: true }));

  const faultsIn = (some: readonly Image[], of = made) =>
    some.flatMap((image) => checked(bench, image, of.expectations));
  const every = <T>(step: number, all: readonly T[]) => all.filter((_, place) => place % step === 0);

  it('loses nothing that it promised, whatever a power cut keeps', () => {
    expect(images.length).toBeGreaterThan(800);
    expect(faultsIn(every(6, images))).toEqual([]);
  });

  it('ends in the bytes of the undisturbed run', async () => {
    const drawn = random();
    for (let done = 0; done < 4; done++)
      expect(await finished(bench, drawn.pick(images), made.expectations)).toEqual([]);
  });

  it('may crash a second time while it is resumed', async () => {
    const image = images[Math.floor(images.length / 2)]!;
    const again = (await resumedAgain(bench, image, made.expectations))!;
    const later = [...imagesOf(again.changes, { random: random(), drawn: 1, start: image.tree })];
    expect(faultsIn(every(12, later), again)).toEqual([]);
  });

  it.each([
    ['ENOSPC', 60],
    ['EIO', 333],
    ['EMFILE', 40],
    ['EINTR', 150],
    ['short', 30],
  ] as const)('resumes after %s at call %i', async (fault, nth) => {
    expect(await struckAt(bench, made.expectations, { fault, nth })).toEqual({ isStruck: true, faults: [] });
  });

  describe('whose writing lacks a step is caught', () => {
    function* without(isLost: (path: string) => boolean): Generator<Image> {
      const changes = made.changes.filter(({ change, path }) => !(change.kind === 'sync' && isLost(path)));
      // changes are counted as the whole recording counts them
      const places = made.changes.flatMap((each, place) => (changes.includes(each) ? [place + 1] : []));
      for (const { tree, changes: count } of imagesOf(changes, { random: random(), drawn: 1 }))
        yield { tree, changes: places[count - 1]! };
    }
    const isCaught = (some: Iterable<Image>): boolean => {
      for (const image of some) if (faultsIn([image]).length > 0) return true;
      return false;
    };

    it.each([
      ['the fsync of a growing file', (path: string) => path.endsWith('/metrics.jsonl')],
      ["the fsync of a checkpoint's files", (path: string) => /checkpoints\/\.tmp-[^/]+\/[^/]+$/.test(path)],
      ['the fsync of the folder that holds a run', (path: string) => path === ''],
      ['the fsync of the folder of checkpoints', (path: string) => path.endsWith('/checkpoints')],
      ['the fsync of a replaced file', (path: string) => /\/\.tmp-run\.json/.test(path)],
    ])('without %s', (_step, isLost) => {
      expect(isCaught(without(isLost))).toBe(true);
    });

    it('with a manifest that agrees with a torn file', () => {
      const isCheckpointFile = (path: string) => /checkpoints\/\.tmp-[^/]+\/[^/]+$/.test(path);
      const agreeing = [...without(isCheckpointFile)].flatMap((image) => {
        const tree = sealedAgain(image.tree);
        return tree ? [{ ...image, tree }] : [];
      });
      expect(isCaught(agreeing.reverse())).toBe(true);
    });
  });
});

/** The tree with manifests made anew for what is there, as if nobody checked them; null if they agree already. */
function sealedAgain(tree: Tree): Tree | null {
  let isChanged = false;
  const sealed = new Map(tree);
  for (const [path, content] of tree) {
    if (!path.endsWith('/MANIFEST.json') || !content) continue;
    const folder = path.slice(0, -'MANIFEST.json'.length);
    try {
      const { sha256: _old, ...body } = JSON.parse(Buffer.from(content).toString()) as {
        files: object;
        sha256: string;
      };
      const files = Object.fromEntries(
        Object.keys(body.files).map((name) => {
          const data = tree.get(folder + name) ?? new Uint8Array(0);
          return [name, { size: data.length, sha256: sha256(data) }];
        }),
      );
      const fresh = { ...body, files };
      const text = bytes(`${canonicalJson({ ...fresh, sha256: sha256(canonicalJson(fresh)) }, 2)}\n`);
      isChanged ||= !Buffer.from(text).equals(content);
      sealed.set(path, text);
    } catch {
      // the manifest itself is torn
    }
  }
  return isChanged ? sealed : null;
}
