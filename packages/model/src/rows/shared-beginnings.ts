/**
 * Rows whose prompts begin alike, joined into one: an episode's history only grows, so the prompt of a step begins with that of the step
 * before. The longest prompt is read once, and every other is a branch of it, with the few tokens in which it differs. Joined rows give
 * the numbers of separate ones, to rounding.
 */
import { visualFirst } from '@emac/backbone';
import { branchLength, rowLength, scoredOf, type Branch, type TokenRow } from './rows.ts';

export interface JoinedRow {
  readonly tokens: TokenRow;
  /** row and response of each response, in the order of `packRows` */
  readonly answers: readonly { readonly row: number; readonly response: number }[];
  /** the rows, the one with the longest prompt first */
  readonly rows: readonly number[];
}

export interface JoinOptions {
  /** rows are joined only if they have the same key: that of their pictures */
  readonly key: (row: number) => string;
  /** positions of a joined row; attention grows with their square */
  readonly longest: number;
}

/** A prompt joins another if it shares all but this many places, or all but this share of them. */
const [mostApart, mostShareApart] = [16, 1 / 4];

/** Every row is in one joined row; rows that share no beginning stay alone. */
export function joinRows(rows: readonly TokenRow[], { key, longest }: JoinOptions): JoinedRow[] {
  const prompts = rows.map(promptOf);
  const order = rows
    .map((_, row) => row)
    .sort((a, b) => prompts[b]!.places.length - prompts[a]!.places.length || a - b);
  const trunks = new Map<string, Trunk[]>();
  for (const row of order) {
    const alike = trunks.get(key(row)) ?? [];
    trunks.set(key(row), alike);
    const best = bestOf(alike, prompts[row]!, { row: rows[row]!, longest });
    if (best) {
      best.trunk.length += branchLength(best.branch);
      best.trunk.branches.push({ row, branch: best.branch });
    } else alike.push({ row, prompt: prompts[row]!, length: rowLength(rows[row]!), branches: [] });
  }
  return [...trunks.values()].flat().map((trunk) => joined(trunk, rows));
}

interface ReadPrompt {
  /** what stands at each place: the id of a text token, −1 − v for visual token v */
  readonly places: Int32Array;
  readonly positions: readonly ArrayLike<number>[];
  readonly next: number;
  /** places up to and including the last visual token */
  readonly seen: number;
}

interface Trunk {
  readonly row: number;
  readonly prompt: ReadPrompt;
  /** positions so far */
  length: number;
  readonly branches: { readonly row: number; readonly branch: Branch }[];
}

function promptOf({ visual, prompt, layout = visualFirst(visual, prompt.length) }: TokenRow): ReadPrompt {
  const places = Int32Array.from(layout.order, (each) =>
    each < visual ? -1 - each : prompt[each - visual]!,
  );
  const { positions, next } = layout;
  return { places, positions, next, seen: places.findLastIndex((each) => each < 0) + 1 };
}

/** The trunk that leaves the shortest rest; null if none shares enough, or none has room. */
function bestOf(
  trunks: readonly Trunk[],
  prompt: ReadPrompt,
  { row, longest }: { readonly row: TokenRow; readonly longest: number },
): { readonly trunk: Trunk; readonly branch: Branch } | null {
  const { places, positions, next, seen } = prompt;
  const { responses } = row;
  const least = Math.max(1, seen, places.length - Math.max(mostApart, places.length * mostShareApart));
  let best: { readonly trunk: Trunk; readonly shared: number } | null = null;
  for (const trunk of trunks) {
    const shared = sharedPlaces(trunk.prompt, prompt);
    if (shared < least || (best && shared <= best.shared)) continue;
    const rest = places.subarray(shared);
    if (trunk.length + branchLength({ rest: [...rest], responses }) <= longest) best = { trunk, shared };
  }
  if (!best) return null;
  const { trunk, shared } = best;
  const rest = [...places.subarray(shared)];
  const restPositions = positions.map((axis) => Array.from(axis).slice(shared));
  return { trunk, branch: { shared, rest, positions: restPositions, next, responses, ...scoredOf(row) } };
}

/** Length of the longest common beginning: equal tokens at equal positions. */
function sharedPlaces(one: ReadPrompt, other: ReadPrompt): number {
  const most = Math.min(one.places.length, other.places.length);
  let place = 0;
  while (
    place < most &&
    one.places[place] === other.places[place] &&
    one.positions.every((axis, number) => axis[place] === other.positions[number]![place])
  )
    place++;
  return place;
}

function joined({ row, branches }: Trunk, rows: readonly TokenRow[]): JoinedRow {
  const inOrder = [...branches].sort((a, b) => a.branch.shared - b.branch.shared || a.row - b.row);
  const answersOf = (of: number) => rows[of]!.responses.map((_, response) => ({ row: of, response }));
  return {
    tokens:
      branches.length === 0 ? rows[row]! : { ...rows[row]!, branches: inOrder.map(({ branch }) => branch) },
    answers: [...inOrder.flatMap((each) => answersOf(each.row)), ...answersOf(row)],
    rows: [row, ...inOrder.map((each) => each.row)],
  };
}
