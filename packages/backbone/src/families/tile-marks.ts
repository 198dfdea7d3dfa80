/**
 * The tokens of a picture in tiles: before each tile a mark of its row and column, a line's end after each row of tiles, then
 * the whole picture between marks of its own, as Idefics3's processor writes them into the text.
 */
import { EmacError } from '@emac/core';

import type { Companions } from '../files/companions.ts';
import { loadTokenizer } from '../files/tokenizer.ts';
import type { FamilyFiles } from './family.ts';

export interface Tiles {
  /** of tiles; 0 without tiles */
  readonly rows: number;
  readonly columns: number;
  /** visual tokens of each tile */
  readonly tokens: number;
}

/** For each token of a picture the row of the connector's output, or −1 − id for a token of the text. */
export type TileMarks = (tiles: Tiles) => Int32Array;

const opened = new WeakMap<Companions, TileMarks>();

/** The tokenizer is read at the first call. Errors of a call: those of `loadTokenizer`; `data` if it has no image token. */
export function tileMarks({ companions, config }: Pick<FamilyFiles, 'companions' | 'config'>): TileMarks {
  const found = opened.get(companions);
  if (found) return found;
  const known = new Map<string, Int32Array>();
  let tokenizer: ReturnType<typeof loadTokenizer> | undefined;
  const marks: TileMarks = ({ rows, columns, tokens }) => {
    const key = `${rows} ${columns} ${tokens}`;
    const order = known.get(key);
    if (order) return order;
    tokenizer ??= loadTokenizer(companions.tokenizer, companions.beginToken);
    let tile = 0;
    const made = tokenizer.encode(markedPicture(rows, columns)).flatMap((id) => {
      if (id !== config.imageToken) return [-1 - id];
      const first = tokens * tile++;
      return Array.from({ length: tokens }, (_, place) => first + place);
    });
    if (tile !== rows * columns + 1)
      throw new EmacError(
        'data',
        `${companions.tokenizer}: must encode <image> as the image token ${config.imageToken}; copy the tokenizer of the published model`,
      );
    known.set(key, Int32Array.from(made));
    return known.get(key)!;
  };
  opened.set(companions, marks);
  return marks;
}

const [around, image] = ['<fake_token_around_image>', '<image>'];

function markedPicture(rows: number, columns: number): string {
  const count = (length: number) => Array.from({ length }, (_, index) => index + 1);
  const lines = count(rows).map((row) =>
    count(columns)
      .map((column) => `${around}<row_${row}_col_${column}>${image}`)
      .join(''),
  );
  const tiles = lines.map((line) => `${line}\n`).join('');
  return `${tiles}${rows > 0 ? '\n' : ''}${around}<global-img>${image}${around}`;
}
