/**
 * Rows for the language model: [visual and prompt][response][response]…, padded on the right. Responses of one row share
 * the prompt: segments hide them from each other, and each counts its positions from the prompt's end. So a row with two
 * responses gives the same numbers as two rows (Wang & Hegde, arXiv 2410.20305). A row with one response is the ordinary
 * training sequence.
 *
 * Branches are responses inside the prompt: [beginning][branch][more of the prompt][branch]…. A branch stands right behind the
 * part of the prompt that it follows, so the causal order alone hides the rest of the prompt from it.
 */
import { visualFirst, type PromptLayout } from '@emac/backbone';
import type { Value } from '@emac/graph';

export interface TokenRow {
  /** visual tokens of the prompt */
  readonly visual: number;
  /** ids of the prompt's text */
  readonly prompt: readonly number[];
  /** their places; absent: visual tokens before the text */
  readonly layout?: PromptLayout;
  /** target tokens with their end token */
  readonly responses: readonly (readonly number[])[];
  /** for each response which of its tokens are targets; absent, or null for a response: all */
  readonly scored?: readonly (readonly boolean[] | null)[];
  /** responses to beginnings of the prompt, shortest beginning first; absent: none */
  readonly branches?: readonly Branch[];
}

/** Responses to a prompt that begins like the row's and ends otherwise. */
export interface Branch {
  /** places of the row's prompt that it shares, at least 1 */
  readonly shared: number;
  /** ids of the rest of its own prompt, text alone */
  readonly rest: readonly number[];
  /** for each axis the positions of the rest */
  readonly positions: readonly ArrayLike<number>[];
  /** position of the first token after its prompt */
  readonly next: number;
  readonly responses: readonly (readonly number[])[];
  readonly scored?: TokenRow['scored'];
}

export interface PackedRows {
  readonly rows: number;
  /**
   * `tokens` [B, T], `segments` and `position_ids` [B, V + T] (three axes: [3, B, V + T]), `label_positions` and `labels`
   * [L], all int64; if visual tokens stand inside the text, also `places` [B, V + T] and `visual_places` [B, V]
   */
  readonly feeds: Readonly<Record<string, Value>>;
  /** row of each label, and its response, counted in the order of the row: those of branches first, [L] */
  readonly owners: readonly { readonly row: number; readonly response: number }[];
}

/** Number of positions in a row. */
export function rowLength(row: TokenRow): number {
  const own = row.responses.reduce(
    (length, response) => length + response.length,
    row.visual + row.prompt.length,
  );
  return (row.branches ?? []).reduce((length, branch) => length + branchLength(branch), own);
}

/** Number of positions of a branch: each of its responses follows a copy of the rest. */
export function branchLength({ rest, responses }: Pick<Branch, 'rest' | 'responses'>): number {
  return responses.reduce((length, response) => length + rest.length + response.length, 0);
}

export interface PackOptions {
  /** padding token */
  readonly pad: number;
  /** visual tokens stand inside the text */
  readonly within?: boolean;
  /** axes of positions; default 1 */
  readonly axes?: number;
}

/** Lays out one or more rows, each with the same number of visual tokens. */
export function packRows(
  rows: readonly TokenRow[],
  { pad, within = false, axes = 1 }: PackOptions,
): PackedRows {
  const length = Math.max(...rows.map(rowLength));
  const { visual } = rows[0]!;
  const width = length - visual;
  const run: Run = {
    length,
    visual,
    tokens: new BigInt64Array(rows.length * width).fill(BigInt(pad)),
    segments: new BigInt64Array(rows.length * length).fill(-1n),
    positions: Array.from({ length: axes }, () => new BigInt64Array(rows.length * length)),
    places: new BigInt64Array(rows.length * length),
    visualPlaces: new BigInt64Array(rows.length * visual),
    labelPositions: [],
    labels: [],
    owners: [],
  };
  rows.forEach((row, index) => layOut(row, index, run));
  const prefix = axes > 1 ? [axes] : [];
  return {
    rows: rows.length,
    feeds: {
      tokens: int64(run.tokens, [rows.length, width]),
      segments: int64(run.segments, [rows.length, length]),
      position_ids: int64(joined(run.positions), [...prefix, rows.length, length]),
      label_positions: vector(run.labelPositions),
      labels: vector(run.labels),
      ...(within && {
        places: int64(run.places, [rows.length, length]),
        visual_places: int64(run.visualPlaces, [rows.length, visual]),
      }),
    },
    owners: run.owners,
  };
}

/** The inputs of one run, row after row. */
interface Run {
  /** positions of a row, and how many of them are visual tokens */
  readonly length: number;
  readonly visual: number;
  readonly tokens: BigInt64Array;
  readonly segments: BigInt64Array;
  readonly positions: readonly BigInt64Array[];
  readonly places: BigInt64Array;
  readonly visualPlaces: BigInt64Array;
  readonly labelPositions: bigint[];
  readonly labels: bigint[];
  readonly owners: { readonly row: number; readonly response: number }[];
}

function layOut(row: TokenRow, index: number, run: Run): void {
  const { length, visual, tokens, segments, positions, places, visualPlaces } = run;
  const layout = row.layout ?? visualFirst(visual, row.prompt.length);
  const start = index * length;
  const width = length - visual;
  let [cursor, text, segment, response] = [start, 0, 0, 0];
  const putPosition = (of: number, position: (axis: number) => number): number => {
    segments[cursor] = BigInt(of);
    positions.forEach((axis, number) => (axis[cursor] = BigInt(position(number))));
    return cursor++;
  };
  const putToken = (token: number, of: number, position: (axis: number) => number): number => {
    tokens[index * width + text] = BigInt(token);
    places[cursor] = BigInt(start + visual + text++);
    return putPosition(of, position);
  };
  const putLabel = (token: number, before: number): void => {
    run.labelPositions.push(BigInt(before));
    run.labels.push(BigInt(token));
    run.owners.push({ row: index, response });
  };
  const putResponses = (branch: Omit<Branch, 'shared'>, end: number): void => {
    for (const [number, each] of branch.responses.entries()) {
      const scored = branch.scored?.[number] ?? null;
      segment++;
      let before = end;
      branch.rest.forEach((token, place) => {
        before = putToken(token, segment, (axis) => onAxis(branch.positions, axis)[place]!);
      });
      each.forEach((token, place) => {
        if (scored === null || scored[place]) putLabel(token, before);
        before = putToken(token, segment, () => branch.next + place);
      });
      response++;
    }
  };
  const branches = [...(row.branches ?? [])];
  const { responses } = row;
  layout.order.forEach((each, place) => {
    const position = (axis: number) => onAxis(layout.positions, axis)[place]!;
    let at: number;
    if (each < visual) {
      places[cursor] = BigInt(start + each);
      visualPlaces[index * visual + each] = BigInt(cursor);
      at = putPosition(0, position);
    } else at = putToken(row.prompt[each - visual]!, 0, position);
    while (branches[0]?.shared === place + 1) putResponses(branches.shift()!, at);
    if (place === layout.order.length - 1)
      putResponses({ rest: [], positions: [], next: layout.next, responses, ...scoredOf(row) }, at);
  });
  for (; cursor < start + length; cursor++) places[cursor] = BigInt(cursor);
}

/** Which tokens of responses are targets, where that is not all. */
export function scoredOf({ scored }: Pick<TokenRow, 'scored'>): Pick<TokenRow, 'scored'> {
  return scored ? { scored } : {};
}

/** One axis stands for all that do not exist. */
function onAxis(positions: readonly ArrayLike<number>[], axis: number): ArrayLike<number> {
  return positions[axis] ?? positions[0]!;
}

const int64 = (data: BigInt64Array, shape: readonly number[]): Value => ({ type: 'int64', shape, data });

const vector = (values: readonly bigint[]): Value => int64(BigInt64Array.from(values), [values.length]);

function joined(parts: readonly BigInt64Array[]): BigInt64Array {
  if (parts.length === 1) return parts[0]!;
  const all = new BigInt64Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.forEach((part, index) => all.set(part, index * part.length));
  return all;
}

/** Fixed cost of a run, in positions: smaller savings do not justify another run. */
const runCost = 128;

export interface GroupOptions {
  /** positions of one group, padding included; a longer row is its own group */
  readonly budget: number;
}

/**
 * Indices of rows in groups of similar length, longest first, with the least total cost (positions with padding, plus a
 * cost per run): the best split of the rows sorted by length, by dynamic programming from the front.
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

/** Indices of rows in groups of neighbours, in the given order: as many as fit the budget. */
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
