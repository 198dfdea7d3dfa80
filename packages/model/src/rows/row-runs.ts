/**
 * Runs rows through a row graph, in groups of similar length, one run per group. Grouping orders the computation and
 * bounds memory; a row's results do not depend on the other rows.
 */
import { leastTableRows, type NetworkSession } from '@emac/backbone';
import { EmacError, isTemperature, leastTemperature, type Features, type ScoredRow } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';
import type { RowNetworkOptions } from './row-graphs.ts';
import { groupByLength, groupInOrder, packRows, type PackedRows, type TokenRow } from './rows.ts';
import { joinRows, type JoinedRow } from './shared-beginnings.ts';
import type { VisualTokens } from './visual-tokens.ts';

export interface StudentRow {
  readonly images: readonly Features[];
  readonly tokens: TokenRow;
  /** temperature of each response; absent: 1 */
  readonly temperatures?: readonly number[];
  /** for each response, the tokens it was chosen from; absent: all */
  readonly possible?: ScoredRow['possible'];
}

/** For each response of a row with `answers`. Errors: `usage` for an invalid temperature. */
export function temperaturesOf({ temperature = 1, answers }: ScoredRow): readonly number[] {
  if (isTemperature(temperature)) return answers.map(() => temperature);
  throw new EmacError(
    'usage',
    `student: a row's temperature must be at least ${leastTemperature}, got ${temperature}`,
  );
}

/** What rows need of a network: temperatures, or choices from lists. */
export function demandsOf(
  rows: readonly StudentRow[],
): Required<Pick<RowNetworkOptions, 'tempered' | 'restricted'>> {
  return {
    tempered: rows.some(({ temperatures = [] }) => temperatures.some((each) => each !== 1)),
    restricted: rows.some(({ possible = [] }) => possible.some((each) => each)),
  };
}

/** Rows of one run. */
export interface RowGroup extends Pick<PackedRows, 'owners'> {
  /** indices among all rows */
  readonly members: readonly number[];
  /** for each sequence of the run the first of its members, whose pictures are those of all: one sequence per member, per response, or for members that begin alike */
  readonly sequences: readonly number[];
  /** positions of the run, padding included */
  readonly positions: number;
}

export interface RowRuns {
  readonly visual: VisualTokens | null;
  readonly session: NetworkSession;
  /** a group's feeds beside `visual` and those of `packRows` */
  readonly feeds?: (group: RowGroup) => Feeds;
  readonly take: (group: RowGroup, results: Readonly<Record<string, Value>>) => void;
}

export interface RowLayout {
  /** any valid token id: padding is masked */
  readonly pad: number;
  /** rows of the language model's head */
  readonly vocabulary: number;
  /** positions of one run, visual tokens and padding included */
  readonly positionsPerRun: number;
  /** visual tokens stand inside the text, or positions have several axes */
  readonly within?: boolean;
  readonly axes?: number;
  /** responses of a row share its prompt; else each follows a copy of it */
  readonly sharedPrompts: boolean;
  /** rows that begin alike become one, read once */
  readonly sharedBeginnings: boolean;
  /** rows run with rows of similar length; else in the given order */
  readonly groupedByLength: boolean;
}

/** Runs rows group by group, one after the other. */
export async function runRows(
  layout: RowLayout,
  rows: readonly StudentRow[],
  { visual, session, feeds, take }: RowRuns,
): Promise<void> {
  const { tempered, restricted } = demandsOf(rows);
  const all = joinedRows(layout, rows);
  for (const places of groups(layout, all)) {
    const joined = places.map((place) => all[place]!);
    const members = joined.flatMap((each) => each.rows);
    const memberOf = new Map(members.map((row, member) => [row, member]));
    const sequences = joined.flatMap((each) =>
      sequencesOf(each, layout).map((sequence) => ({ ...sequence, member: memberOf.get(each.rows[0]!)! })),
    );
    const packed = packRows(
      sequences.map(({ tokens }) => tokens),
      layout,
    );
    const owners = packed.owners.map(({ row, response }) => {
      const answer = sequences[row]!.answers[response]!;
      return { row: memberOf.get(answer.row)!, response: answer.response };
    });
    const images = sequences.map(({ member }) => rows[members[member]!]!.images);
    const group = {
      members,
      owners,
      sequences: sequences.map(({ member }) => member),
      positions: packed.feeds['segments']!.data.length,
    };
    const results = await session.run({
      ...packed.feeds,
      ...(tempered ? temperatureFeeds(rows, group) : {}),
      ...(restricted ? restrictionFeeds(rows, group, layout) : {}),
      ...visual?.feeds(images),
      ...feeds?.(group),
    });
    take(group, results);
  }
}

/** The reciprocal of each label's temperature, [L]. */
function temperatureFeeds(rows: readonly StudentRow[], { members, owners }: RowGroup): Feeds {
  const data = Float32Array.from(
    owners,
    ({ row, response }) => 1 / (rows[members[row]!]!.temperatures?.[response] ?? 1),
  );
  return { label_coldness: { type: 'float32', shape: [data.length], data } };
}

/** What is added to each label's logits, [L, vocabulary]. */
function restrictionFeeds(
  rows: readonly StudentRow[],
  { members, owners }: RowGroup,
  { vocabulary }: RowLayout,
): Feeds {
  const next = new Map<string, number>();
  const possible = owners.map(({ row, response }) => {
    const place = next.get(`${row} ${response}`) ?? 0;
    next.set(`${row} ${response}`, place + 1);
    return rows[members[row]!]!.possible?.[response]?.[place] ?? null;
  });
  return {
    label_allowed: {
      type: 'float32',
      shape: [owners.length, vocabulary],
      data: restrictions(possible, vocabulary),
    },
  };
}

/** Added to the logit of an impossible token: its probability is 0, and 0 times it is 0. */
const impossible = -1e30;

/** [L, vocabulary]: 0 at the possible tokens of each label, or everywhere for null. */
function restrictions(labels: readonly (readonly number[] | null)[], vocabulary: number): Float32Array {
  const data = new Float32Array(labels.length * vocabulary);
  labels.forEach((possible, label) => {
    if (!possible) return;
    const row = data.subarray(label * vocabulary, (label + 1) * vocabulary).fill(impossible);
    for (const token of possible) row[token] = 0;
  });
  return data;
}

/** Positions of a row of several: attention, which grows with their square, stays small beside the rest. */
const longestJoined = leastTableRows;

/** Rows that begin alike as one; else every row as it is. */
function joinedRows({ sharedBeginnings }: RowLayout, rows: readonly StudentRow[]): JoinedRow[] {
  const tokens = rows.map((row) => row.tokens);
  if (sharedBeginnings)
    return joinRows(tokens, {
      key: (row) => JSON.stringify(rows[row]!.images.map(({ key }) => key)),
      longest: longestJoined,
    });
  return tokens.map((each, row) => {
    return { tokens: each, rows: [row], answers: each.responses.map((_, response) => ({ row, response })) };
  });
}

/** Rows of one run have equally many visual tokens. */
function groups({ positionsPerRun, groupedByLength }: RowLayout, rows: readonly JoinedRow[]): number[][] {
  const group = groupedByLength ? groupByLength : groupInOrder;
  return alike(rows, ({ tokens }) => String(tokens.visual)).flatMap((places) =>
    group(
      places.map((place) => rows[place]!.tokens),
      { budget: positionsPerRun },
    ).map((members) => members.map((member) => places[member]!)),
  );
}

/** Indices of items grouped by key, in order of first occurrence. */
export function alike<T>(items: readonly T[], key: (item: T) => string): number[][] {
  const places = new Map<string, number[]>();
  items.forEach((item, place) => {
    const found = places.get(key(item));
    if (found) found.push(place);
    else places.set(key(item), [place]);
  });
  return [...places.values()];
}

/** A joined row's sequences: one, or with unshared prompts one for each response. */
function sequencesOf(
  { tokens, answers }: JoinedRow,
  { sharedPrompts }: RowLayout,
): Pick<JoinedRow, 'tokens' | 'answers'>[] {
  if (sharedPrompts) return [{ tokens, answers }];
  return answers.map((answer) => ({
    tokens: {
      ...tokens,
      responses: [tokens.responses[answer.response]!],
      ...(tokens.scored && { scored: [tokens.scored[answer.response]!] }),
    },
    answers: [answer],
  }));
}

/**
 * Runs rows through a graph with an output `visual_gradient` [B, V, D]; → the gradients of all rows' visual tokens, row
 * after row [V, D], each the sum over its row's sequences.
 */
export async function visualGradients(
  layout: RowLayout,
  rows: readonly StudentRow[],
  runs: RowRuns & { readonly visual: VisualTokens },
): Promise<Float32Array> {
  const sizes = rows.map(({ images }) => runs.visual.sizeOf(images));
  let total = 0;
  const ends = sizes.map((size) => (total += size));
  const all = new Float32Array(total);
  await runRows(layout, rows, {
    ...runs,
    take: (group, results) => {
      const gradient = floats(results, 'visual_gradient');
      let from = 0;
      for (const member of group.sequences) {
        const index = group.members[member]!;
        const length = sizes[index]!;
        const sum = all.subarray(ends[index]! - length, ends[index]);
        for (let place = 0; place < length; place++) sum[place]! += gradient[from + place]!;
        from += length;
      }
      runs.take(group, results);
    },
  });
  return all;
}

/** The numbers of a float32 output. */
export function floats(results: Readonly<Record<string, Value>>, name: string): Float32Array {
  return results[name]!.data as Float32Array;
}
