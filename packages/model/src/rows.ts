/**
 * Rows for the language model: [visual][prompt][response][response]…, padded on the right. Responses of one row share
 * the prompt: none sees another (segments) and each counts its positions from the prompt's end, so a row with two
 * responses gives the same numbers as two rows (Wang & Hegde, arXiv 2410.20305). A row with one response is the
 * ordinary training sequence.
 */
import type { Value } from '@emac/graph';

export interface TokenRow {
  /** visual tokens before the prompt */
  readonly visual: number;
  /** begin token and text */
  readonly prompt: readonly number[];
  /** target tokens with their end token */
  readonly responses: readonly (readonly number[])[];
}

export interface PackedRows {
  readonly rows: number;
  /** `tokens` [B, T], `segments` and `position_ids` [B, V + T], `label_positions` and `labels` [L], all int64 */
  readonly feeds: Readonly<Record<string, Value>>;
  /** row and response of each label, [L] */
  readonly owners: readonly { readonly row: number; readonly response: number }[];
}

/** Positions that a row takes. */
export function rowLength(row: TokenRow): number {
  return row.responses.reduce((length, response) => length + response.length, row.visual + row.prompt.length);
}

/** Lays out one row or more, each with the same number of visual tokens; `pad` fills up. */
export function packRows(rows: readonly TokenRow[], { pad }: { pad: number }): PackedRows {
  const length = Math.max(...rows.map(rowLength));
  const { visual } = rows[0]!;
  const width = length - visual;
  const tokens = new BigInt64Array(rows.length * width).fill(BigInt(pad));
  const segments = new BigInt64Array(rows.length * length).fill(-1n);
  const positions = new BigInt64Array(rows.length * length);
  const labelPositions: bigint[] = [];
  const labels: bigint[] = [];
  const owners: { row: number; response: number }[] = [];

  rows.forEach((row, index) => {
    let cursor = 0;
    const put = (token: number, segment: number, position: number) => {
      tokens[index * width + cursor] = BigInt(token);
      segments[index * length + visual + cursor] = BigInt(segment);
      positions[index * length + visual + cursor] = BigInt(position);
      cursor++;
    };
    for (let query = 0; query < visual; query++) {
      segments[index * length + query] = 0n;
      positions[index * length + query] = BigInt(query);
    }
    row.prompt.forEach((token, place) => put(token, 0, visual + place));
    const promptEnd = index * length + visual + row.prompt.length - 1;
    row.responses.forEach((response, number) => {
      response.forEach((token, place) => {
        labelPositions.push(BigInt(place === 0 ? promptEnd : index * length + visual + cursor - 1));
        labels.push(BigInt(token));
        owners.push({ row: index, response: number });
        put(token, number + 1, visual + row.prompt.length + place);
      });
    });
  });

  const matrix = (data: BigInt64Array, columns: number): Value => ({
    type: 'int64',
    shape: [rows.length, columns],
    data,
  });
  const vector = (values: readonly bigint[]): Value => ({
    type: 'int64',
    shape: [values.length],
    data: BigInt64Array.from(values),
  });
  return {
    rows: rows.length,
    feeds: {
      tokens: matrix(tokens, width),
      segments: matrix(segments, length),
      position_ids: matrix(positions, length),
      label_positions: vector(labelPositions),
      labels: vector(labels),
    },
    owners,
  };
}

/** What a run costs beside its positions, in positions: below it, smaller groups are not worth their own run. */
const runCost = 128;

export interface GroupOptions {
  /** positions of one group, padding included; a longer row is a group of its own */
  readonly budget: number;
}

/**
 * Indices of rows in groups of similar length, longest first, such that all groups together cost least (positions
 * with padding, plus a cost per run): the best cut of the rows in order of length, found from the front.
 */
export function groupByLength(rows: readonly TokenRow[], { budget }: GroupOptions): number[][] {
  const lengths = rows.map(rowLength);
  const order = rows.map((_, index) => index).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const cuts: { cost: number; start: number }[] = [{ cost: 0, start: 0 }];
  for (let end = 1; end <= order.length; end++) {
    let best = { cost: Infinity, start: end - 1 };
    for (let start = end - 1; start >= 0; start--) {
      const positions = (end - start) * lengths[order[start]!]!;
      if (positions > budget && start < end - 1) break;
      const cost = cuts[start]!.cost + positions + runCost;
      if (cost <= best.cost) best = { cost, start };
    }
    cuts.push(best);
  }
  const groups: number[][] = [];
  for (let end = order.length; end > 0; end = cuts[end]!.start)
    groups.unshift(order.slice(cuts[end]!.start, end));
  return groups;
}

/** Indices of rows in groups of neighbours, in the order given: as many as the budget holds. */
export function groupInOrder(rows: readonly TokenRow[], { budget }: GroupOptions): number[][] {
  const groups: number[][] = [];
  let longest = 0;
  rows.forEach((row, index) => {
    const group = groups.at(-1);
    longest = Math.max(longest, rowLength(row));
    if (group && longest * (group.length + 1) <= budget) group.push(index);
    else {
      groups.push([index]);
      longest = rowLength(row);
    }
  });
  return groups;
}
