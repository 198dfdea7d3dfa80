/** Data by hash: written once, checked on reading; a full disk gives one sentence. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { faultOf } from './jobs.test.support.ts';
import { sharedFolder } from './shared-folder.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emac-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

// sha256sum of the three letters abc, FIPS 180-2, appendix B.1
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const bytes = new TextEncoder().encode('abc');
const place = () => join(folder, 'data', 'ba', abc);

it('stores bytes under their content hash, once', () => {
  const shared = sharedFolder(join(folder, 'data'));
  expect(shared.has(abc)).toBe(false);
  expect(shared.put(bytes)).toBe(abc);
  expect(shared.has(abc)).toBe(true);
  expect([...shared.get(abc)]).toEqual([97, 98, 99]);
  const { ino } = statSync(place());
  expect(sharedFolder(join(folder, 'data')).put(bytes)).toBe(abc);
  expect(statSync(place()).ino).toBe(ino);
});

it('refuses changed data, missing data and an invalid hash', async () => {
  const shared = sharedFolder(join(folder, 'data'));
  shared.put(bytes);
  writeFileSync(place(), 'abd');
  const get = async (hash: string) => shared.get(hash);
  expect((await faultOf(get(abc))).code).toBe('data');
  expect((await faultOf(get(abc.replace('b', 'c')))).code).toBe('missing');
  expect((await faultOf(get('../../etc/passwd'))).code).toBe('usage');
});

it('reports a full disk, and leaves no partial file', async () => {
  const shared = sharedFolder(join(folder, 'data'));
  onFailpoint(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  onTestFinished(() => onFailpoint(null));
  const { code, message } = await faultOf((async () => shared.put(bytes))());
  expect(code).toBe('io');
  expect(message).toMatch(/^cannot write .*ENOSPC.*free some space/);
  expect(readdirSync(join(folder, 'data', 'ba'))).toEqual([]);
  onFailpoint(null);
  shared.put(bytes);
  expect(readFileSync(place(), 'utf8')).toBe('abc');
});
