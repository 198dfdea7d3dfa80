/**
 * Rendering of a stranger's chat template within limits, counted in steps and characters, so that a slow machine refuses nothing
 * that a fast one takes. A step is a node that is evaluated; long texts and lists cost further steps. No value may have more characters than `mostCharacters`,
 * however often it holds the same list, since writing it out would take as many.
 */
import * as jinja from '@huggingface/jinja';

const { Environment, Interpreter, parse, tokenize } = jinja as unknown as Library;

/** of a template's source */
const mostSource = 1_000_000;
const mostSteps = 2_000_000;
/** of a value */
const mostCharacters = 16_000_000;
const mostItems = 100_000;
/** what an item of a list counts besides its own characters */
const itemCharacters = 8;
/** characters of a text, and items of a list, for which one step is counted */
const perStep = { characters: 100, items: 10 } as const;
/** steps for an item of a loop, whose scope takes half a kilobyte while the loop lasts */
const stepsOfLoop = 10;

export type BoundedTemplate = (variables: Readonly<Record<string, unknown>>) => string;

/** Errors: an `Error` for a template that cannot be parsed; rendering too, also beyond a limit. */
export function boundedTemplate(source: string): BoundedTemplate {
  if (source.length > mostSource)
    throw new Error(`it has ${source.length} characters, at most ${mostSource} are read`);
  const program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
  return (variables) => {
    const scope = new Environment();
    for (const [name, value] of Object.entries({ ...constants, ...variables })) scope.set(name, value);
    return String(new BoundedInterpreter(scope).run(program).value);
  };
}

const constants = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  raise_exception: (message: string): never => {
    throw new Error(message);
  },
  range,
};

/** Python's. Errors: an `Error` for a step of 0, or too many numbers. */
function range(first: number, last?: number, step = 1): number[] {
  const [start, stop] = last === undefined ? [0, first] : [first, last];
  if (step === 0) throw new Error('range() must have a step other than 0');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= mostItems)) throw new Error(`range() may have ${mostItems} numbers, has ${length}`);
  return Array.from({ length }, (_, place) => start + place * step);
}

/** The library's parts, whose declarations Node's resolution does not find. */
interface Library {
  readonly Environment: new () => Scope;
  readonly Interpreter: new (scope: Scope) => {
    run(program: unknown): Value;
    evaluate(node: Node | undefined, scope: Scope): Value;
  };
  parse(tokens: unknown): unknown;
  tokenize(source: string, options: { lstrip_blocks: boolean; trim_blocks: boolean }): unknown;
}

interface Scope {
  set(name: string, value: unknown): unknown;
}

interface Node {
  readonly type: string;
}

interface Value {
  readonly type: string;
  readonly value: unknown;
}

class BoundedInterpreter extends Interpreter {
  private steps = 0;
  private within: string | undefined;
  private readonly known = new WeakMap<Container, Extent>();

  override evaluate(node: Node | undefined, scope: Scope): Value {
    const outer = this.within;
    this.count(1);
    this.within = node?.type;
    const value = super.evaluate(node, scope);
    this.within = outer;
    this.countValue(value, outer === 'For');
    return value;
  }

  private count(steps: number): void {
    this.steps += steps;
    if (this.steps > mostSteps) throw new Error(`it takes over ${mostSteps} steps`);
  }

  private countValue(value: Value, isInLoop: boolean): void {
    if (typeof value.value === 'string') this.count(value.value.length / perStep.characters);
    else if (!isContainer(value.value)) return;
    else {
      const items = 'size' in value.value ? value.value.size : value.value.length;
      if (items > mostItems) throw new Error(`a list may have ${mostItems} items, has ${items}`);
      this.count(isInLoop ? items * stepsOfLoop : items / perStep.items);
    }
    if (this.extentOf(value).characters > mostCharacters)
      throw new Error(`a value may have ${mostCharacters} characters, one has more`);
  }

  private extentOf({ type, value }: Value): Extent {
    if (typeof value === 'string') return { characters: value.length, isFixed: true };
    if (!isContainer(value)) return { characters: itemCharacters, isFixed: true };
    const known = this.known.get(value);
    if (known) return known;
    let characters = 0;
    let isFixed = type !== 'NamespaceValue';
    for (const [key, item] of value.entries()) {
      this.count(1 / perStep.items);
      const extent = this.extentOf(item);
      isFixed &&= extent.isFixed;
      characters += itemCharacters + (typeof key === 'string' ? key.length : 0) + extent.characters;
      // enough to refuse it
      if (characters > mostCharacters) break;
    }
    const found = { characters, isFixed };
    if (isFixed) this.known.set(value, found);
    return found;
  }
}

interface Extent {
  readonly characters: number;
  /** holds no namespace, which alone can change */
  readonly isFixed: boolean;
}

type Container = readonly Value[] | ReadonlyMap<string, Value>;

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || value instanceof Map;
}
