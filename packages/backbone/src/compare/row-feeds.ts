/** A row of a comparison folder as the network reads it: ids, places and positions of its tokens, and its pictures. */
import { EmacError } from '@emac/core';
import type { Feeds } from '@emac/graph';

import type { Connector, Sight } from '../families/family.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { integers } from '../generation/prompts/integers.ts';
import type { PromptLayout } from '../generation/prompts/prompt-layout.ts';
import { deepFeeds } from '../networks/deep-stack.ts';
import { embeddingTable } from '../streamed/fed-weights.ts';

export interface PreparedRow {
  readonly tokens: readonly number[];
  readonly answer: readonly number[];
  readonly layout: PromptLayout;
  readonly sights: readonly Sight[];
}

/** Ids of a row as transformers has them: an image token for each visual token (−1 for families without one), or the token whose embedding stands there. */
export function idsOf({ tokens, answer, layout, sights }: PreparedRow, files: ModelFiles): number[] {
  const visual = layout.order.length - tokens.length;
  const imageToken = files.config.imageToken ?? -1;
  const isMarked = files.family.vision?.connector(files).fixed === embeddingTable;
  const marks = isMarked ? sights.flatMap(({ order }) => [...(order ?? [])]) : [];
  const idOf = (token: number) => ((marks[token] ?? 0) < 0 ? -1 - marks[token]! : imageToken);
  const prompt = Array.from(layout.order, (each) => (each < visual ? idOf(each) : tokens[each - visual]!));
  return [...prompt, ...answer];
}

/** Errors: `data` for a row of more positions than the model has. */
export function rowFeeds(row: PreparedRow, files: ModelFiles): Feeds {
  const { config, family } = files;
  const { tokens, answer, layout } = row;
  const text = [...tokens, ...answer];
  const prompt = layout.order.length;
  const after = answer.map((_, place) => place);
  const positions = layout.positions.map((axis) => [...axis, ...after.map((place) => layout.next + place)]);
  const last = Math.max(...positions.map((axis) => axis.at(-1) ?? 0));
  if (last >= config.llama.maxPositions)
    throw new EmacError(
      'data',
      `${files.folder}: a row of the comparison must end before position ${config.llama.maxPositions} (max_position_embeddings), ends at ${last}; shorten its text`,
    );
  const axes = config.llama.rotarySections ? [3] : [];
  const total = prompt + answer.length;
  const seen: Feeds = family.vision
    ? {
        ...pictureFeeds(row, family.vision.connector(files)),
        ...deepFeeds(config.llama, deepOf(row.sights), [1, layout.order.length - tokens.length]),
        places: integers([...layout.order, ...after.map((place) => prompt + place)], [1, total]),
      }
    : {};
  return {
    ...seen,
    tokens: integers(text, [1, text.length]),
    position_ids: integers(positions.flat(), [...axes, 1, total]),
    segments: integers(Array<number>(total).fill(0), [1, total]),
    label_positions: integers(
      after.map((place) => prompt - 1 + place),
      [answer.length],
    ),
    labels: integers([...answer], [answer.length]),
  };
}

/** Features of all pictures for a deep stack. */
export function deepOf(sights: readonly Sight[]): Float32Array {
  return joined(sights.flatMap(({ deep }) => deep ?? []));
}

function pictureFeeds({ tokens, layout, sights }: PreparedRow, { inputWidth }: Connector): Feeds {
  const all = joined(sights.map(({ rows }) => rows));
  const count = all.length / inputWidth;
  const visual = layout.order.length - tokens.length;
  return {
    rows: { type: 'float32', shape: [count, inputWidth], data: all },
    row_order: integers(rowOrder(sights, inputWidth, count), [visual]),
  };
}

/** For each visual token its row among the rows of all pictures; `count` + k for a fixed row k. */
function rowOrder(sights: readonly Sight[], inputWidth: number, count: number): number[] {
  let before = 0;
  return sights.flatMap((sight) => {
    const own = sight.rows.length / inputWidth;
    const order = sight.order ?? Int32Array.from({ length: own }, (_, row) => row);
    const start = before;
    before += own;
    return Array.from(order, (row) => (row < 0 ? count - 1 - row : start + row));
  });
}

export function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const part of parts) {
    all.set(part, start);
    start += part.length;
  }
  return all;
}
