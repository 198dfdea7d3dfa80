/**
 * Lines of `metrics.jsonl` compared across processors, which add float32 numbers in another order. Up to the first update of a run
 * all are the same decisions on the same parameters: numbers agree to float32's rounding, whole numbers and words exactly. From
 * there on Adam's first steps, whose length is the learning rate however small a gradient is, carry rounding into parameters, and
 * a command or a drawn token may be another one: later lines must have the fields of lines of their kind and no more is asked.
 */
type Line = Readonly<Record<string, unknown>>;

/** 2⁻²⁴ a rounding, some thousand of them in a sum: 10⁻⁵ is the most to be seen, and this leaves room */
const relative = 1e-4;

/** differences of numbers of the size of 1, such as log-probabilities, are 0 no more exactly than this */
const absolute = 1e-5;

/** What is different, in words; none where the lines agree. */
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

/** Where a policy is its own reference yet, the signs of its margins are those of rounding. */
function isChance(name: string, ...lines: readonly Line[]): boolean {
  return name === 'accuracy' && lines.every(({ margin }) => Math.abs(margin as number) <= absolute);
}
