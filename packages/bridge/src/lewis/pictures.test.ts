import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeJpeg, encodePng } from '@emac/images';
import { drawView } from '@emac/lewis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPictures, RefusedPicture } from './pictures.ts';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'emac-pictures-')));
const folder = join(place, 'served');
const outside = join(place, 'served-not');
const view = 'drawn/kite/blue-dotted-white/3';
const frame = drawView(view);
let dataUrl = '';

beforeAll(async () => {
  const png = await encodePng(frame);
  dataUrl = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  for (const each of [folder, join(folder, 'pet', 'rex'), outside]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, 'pet', 'rex', '0.png'), png);
  writeFileSync(join(folder, 'pet', 'rex', 'a..b.jpg'), await encodeJpeg(frame));
  writeFileSync(join(folder, 'notes.txt'), 'no picture');
  writeFileSync(join(outside, 'secret.png'), png);
  symlinkSync(join(outside, 'secret.png'), join(folder, 'link.png'));
  symlinkSync(outside, join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'pet'), join(folder, 'animal'));
  symlinkSync(folder, join(place, 'also'));
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
});
afterAll(() => rmSync(place, { recursive: true }));

describe('openPictures', () => {
  it('gives drawn views, files below the folder and data URLs', async () => {
    const pictures = openPictures({ folder });
    for (const name of [view, 'pet/rex/0.png', join(folder, 'pet/rex/0.png'), 'animal/rex/0.png', dataUrl])
      expect(await pictures.frame(name)).toEqual(frame);
    expect(await pictures.frame('pet/rex/a..b.jpg')).toMatchObject({ width: 64, height: 64 });
  });

  it('has one name per file', async () => {
    const pictures = openPictures({ folder: join(place, 'also') });
    const names = [
      'pet/rex/0.png',
      './pet//rex/0.png',
      'animal/rex/0.png',
      join(place, 'also/pet/rex/0.png'),
    ];
    for (const name of names) expect(await pictures.nameOf(name)).toBe(join(folder, 'pet', 'rex', '0.png'));
    expect(await pictures.nameOf(view)).toBe(view);
  });

  it.each([
    ['a path elsewhere', () => '/etc/passwd'],
    ['a neighbour whose name begins alike', () => join(outside, 'secret.png')],
    ['the folder itself', () => folder],
    ['a folder', () => 'pet'],
    ['a way out', () => '../served-not/secret.png'],
    ['a way out and back', () => 'pet/../pet/rex/0.png'],
    ['a way out in a whole path', () => `${folder}/../served-not/secret.png`],
    ['a way out with backslashes', () => '..\\served-not\\secret.png'],
    ['a link to a file outside', () => 'link.png'],
    ['a link to a folder outside', () => 'elsewhere/secret.png'],
    ['a file address', () => pathToFileURL(join(folder, 'pet/rex/0.png')).href],
    ['file: without slashes', () => 'file:pet/rex/0.png'],
    ['a web address', () => 'http://127.0.0.1:9/secret.png'],
    ['an address in capitals', () => 'HTTPS://example.com/0.png'],
    ['a zero byte', () => 'pet/rex/0.png\0.jpg'],
    ['a pipe', () => 'pipe.png'],
    ['nothing', () => ''],
    ['what does not exist', () => 'pet/rex/1.png'],
    ['no drawn view', () => 'drawn/ball/pink-plain-no/0'],
    ['a home folder', () => '~/0.png'],
    ['other data', () => 'data:text/html;base64,AAAA'],
    ['a very long path', () => 'a/'.repeat(100_000)],
  ])('rejects %s with the same message', async (_, name) => {
    const pictures = openPictures({ folder });
    for (const look of [() => pictures.nameOf(name()), () => pictures.frame(name())]) {
      const refusal = await look().catch((thrown: unknown) => thrown);
      expect(refusal).toBeInstanceOf(RefusedPicture);
      // it does not reveal whether the file exists
      expect((refusal as Error).message).toMatch(/: is not served here; a picture is a drawn view/);
    }
  });

  it('refuses undecodable and oversized pictures', async () => {
    const { frame: read, nameOf } = openPictures({ folder });
    await expect(read('notes.txt')).rejects.toThrow('picture "notes.txt": picture: must be PNG or JPEG');
    await expect(read('data:image/png;base64,AAAA')).rejects.toThrow('must be PNG or JPEG');
    const large = `data:image/png;base64,${'A'.repeat(12 * 1024 * 1024)}`;
    await expect(nameOf(large)).rejects.toThrow('may have 8388608 bytes');
  });

  it('serves no files without a folder, and no drawn views if disabled', async () => {
    const drawn = openPictures({ folder: null });
    await expect(drawn.nameOf('/etc/passwd')).rejects.toThrow(RefusedPicture);
    await expect(drawn.nameOf('pet/rex/0.png')).rejects.toThrow(RefusedPicture);
    const files = openPictures({ folder, drawn: false });
    await expect(files.frame(view)).rejects.toThrow(RefusedPicture);
    expect(() => openPictures({ folder: join(place, 'nowhere') })).toThrow(
      'must be a folder, it does not exist',
    );
  });
});
