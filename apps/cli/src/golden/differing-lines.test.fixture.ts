/**
 * Lines of `metrics.jsonl` compared across processors: each adds float32 numbers in its own order. Up to a run's first update all make the same decisions on
 * the same parameters: numbers agree to float32's rounding, whole numbers and words exactly. After it, Adam's first steps carry rounding into parameters,
 * because their length is the learning rate however small the gradient. A command or sampled token may then differ: later lines only need the fields of their
 * kind.
 */
type Line = Readonly<Record<string, unknown>>;

/** 2⁻²⁴ a rounding, some thousand of them in a sum: at most 10⁻⁵ was seen; this leaves room */
const relative = 1e-4;

/** differences of numbers around 1, such as log-probabilities, are 0 within this */
const absolute = 1e-5;

/** The differences in words; empty if the lines agree. */
export function differingLines(recorded: string, found: string): string[] {
  const before = parsed(recorded);
  const after = parsed(found);
  const exact = before.findIndex(({ kind }) => kind === 'update') + 1 || before.length;
  const early = before.slice(0, exact).flatMap((line, place) => differingFields(place, line, after[place]));
  const forms = new Set(before.map(formOf));
  const late = after.slice(exact).flatMap((line, place) => {
    const form = formOf(line);
    return forms.has(form) ? [] : [`line ${exact + place}: no line had the fields ${form}`];
  });
  return [...early, ...late];
}

function parsed(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const formOf = (line: Line): string => `${String(line['kind'])}: ${Object.keys(line).sort().join(' ')}`;

function differingFields(place: number, before: Line, after: Line = {}): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !agree(before[name], after[name]) && !isChance(name, before, after))
    .map((name) => `line ${place}: ${name} was ${String(before[name])}, is ${String(after[name])}`);
}

function agree(before: unknown, after: unknown): boolean {
  if (typeof before !== 'number' || typeof after !== 'number') return Object.is(before, after);
  if (Number.isInteger(before) && Number.isInteger(after)) return before === after;
  return Math.abs(after - before) <= absolute + relative * Math.abs(before);
}

/** While a policy equals its reference, the signs of its margins are rounding. */
function isChance(name: string, ...lines: readonly Line[]): boolean {
  return name === 'accuracy' && lines.every(({ margin }) => Math.abs(margin as number) <= absolute);
}
