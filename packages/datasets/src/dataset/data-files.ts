/**
 * The files of a dataset: one file, a folder's, or those that a pattern names. A folder's files are told apart by how their names begin, as on the
 * hub: `train`, and `val`, `valid`, `validation` or `dev` for what is held out; `test` is read by neither. Files with other names are for training. Files are read in
 * the order of their names.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { EmacError } from '@emac/core';
import { isFolder, isThere, whileReading } from '@emac/files';

/** endings of the files that can be read */
const endings = ['.jsonl', '.json', '.parquet'];

const beginnings = {
  training: /^train(?![a-z])/,
  held: /^(val|valid|validation|dev)(?![a-z])/,
  other: /^test(?![a-z])/,
};

/** A dataset's file or pattern; of a folder its held-out records, if these are asked for and there, else those to learn from. */
export function datasetFile(path: string, isHeldOut = false): string {
  if (!isFolder(path)) return path;
  const held = join(path, 'val.json');
  if (isHeldOut && isThere(held)) return held;
  const own = join(path, 'train.json');
  if (isThere(own)) return own;
  const { training, validation } = splitsIn(path);
  const files = isHeldOut && validation.length > 0 ? validation : training;
  return files.length === 0 ? own : files.length === 1 ? files[0]! : patternOf(files);
}

/** The files behind a name. Errors: `missing` naming the flag. */
export function filesNamed(path: string, flag: string): readonly string[] {
  if (isThere(path) || !isPattern(path)) {
    if (!isThere(path)) throw new EmacError('missing', `${flag} ${path}: does not exist`);
    return [path];
  }
  const found = alternatives(path).flatMap(matching).sort();
  if (found.length === 0) throw new EmacError('missing', `${flag} ${path}: names no file`);
  return found;
}

/** Whether a name stands for several files. */
export function isPattern(path: string): boolean {
  return /[*?{]/.test(path);
}

function splitsIn(folder: string): { readonly training: string[]; readonly validation: string[] } {
  const nested = join(folder, 'data');
  const files = [folder, ...(isFolder(nested) ? [nested] : [])].flatMap((place) =>
    namesIn(place).flatMap((name) => (isData(name) ? [join(place, name)] : [])),
  );
  const named = (beginning: RegExp) => files.filter((file) => beginning.test(basename(file)));
  const [validation, other] = [named(beginnings.held), named(beginnings.other)];
  const train = named(beginnings.training);
  const rest = files.filter((file) => !validation.includes(file) && !other.includes(file));
  return { training: (train.length > 0 ? train : rest).sort(), validation: validation.sort() };
}

function isData(name: string): boolean {
  return name !== 'collection.json' && endings.some((ending) => name.endsWith(ending));
}

/** One pattern for files of a folder: `FOLDER/{a.jsonl,b.jsonl}`. */
function patternOf(files: readonly string[]): string {
  const folder = dirname(files[0]!);
  const names = files.filter((file) => dirname(file) === folder).map((file) => basename(file));
  return join(folder, `{${names.join(',')}}`);
}

/** `a/{b,c}.json` is `a/b.json` and `a/c.json`. */
function alternatives(path: string): string[] {
  const found = /\{([^{}]*)\}/.exec(path);
  if (!found) return [path];
  const [before, after] = [path.slice(0, found.index), path.slice(found.index + found[0].length)];
  return found[1]!.split(',').flatMap((each) => alternatives(`${before}${each}${after}`));
}

/** `*` and `?` stand for characters of a name, not for a folder's separator. */
function matching(path: string): string[] {
  const parts = path.split(/[/\\]/);
  let places = [path.startsWith(sep) ? sep : ''];
  for (const part of parts.filter((each) => each !== '')) {
    const under = (place: string) => (place === '' ? part : join(place, part));
    places = /[*?]/.test(part)
      ? places.flatMap((place) => {
          const wanted = expressionOf(part);
          const names = isFolder(place === '' ? '.' : place) ? namesIn(place === '' ? '.' : place) : [];
          return names
            .filter((name) => wanted.test(name) && !name.startsWith('.'))
            .map((name) => join(place, name));
        })
      : places.map(under).filter(isThere);
  }
  return places.filter((place) => !isFolder(place));
}

function expressionOf(part: string): RegExp {
  const escaped = part.replace(/[.+^$()|[\]\\{}]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
}

function namesIn(folder: string): string[] {
  return whileReading(folder, () => readdirSync(folder)).sort();
}
