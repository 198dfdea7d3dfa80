/** Calls that a tool's schema allows: random ones, for a random player, and the shortest, which an answer must have room for. */
import { callText, type AskedTool, type Fact, type Random } from '@emac/core';

type Schema = { readonly [name: string]: Fact };

interface Choosing {
  /** texts to choose from */
  readonly words: readonly string[];
  readonly pick: <Value extends Fact>(some: readonly Value[]) => Value;
}

/** A tool with its required arguments, all drawn; a text is a word of what was seen last. */
export function randomCall(tools: readonly AskedTool[], seen: string, random: Random): string {
  const words = seen.split(/[\s"'`,;()]+/).map((word) => word.replace(/[.?!:]+$/, ''));
  const texts = words.filter((word) => word !== '');
  return callOf(random.pick(tools), {
    words: texts.length > 0 ? texts : [''],
    pick: (some) => random.pick(some),
  });
}

/** The call with the shortest JSON, up to minima that its schema sets for texts. */
export function shortestCall(tool: AskedTool): string {
  const length = (value: Fact) => JSON.stringify(value).length;
  return callOf(tool, {
    words: [''],
    pick: (some) => some.reduce((best, each) => (length(each) < length(best) ? each : best)),
  });
}

function callOf({ function: { name, parameters } }: AskedTool, choosing: Choosing): string {
  return callText({ name, arguments: objectOf(parameters, choosing) });
}

function valueOf(schema: Schema, choosing: Choosing): Fact {
  const { const: only, enum: some, anyOf, oneOf, type } = schema;
  const { words, pick } = choosing;
  if (only !== undefined) return only;
  if (Array.isArray(some)) return pick(some as readonly Fact[]);
  const either = anyOf ?? oneOf;
  if (Array.isArray(either))
    return pick((either as readonly Schema[]).map((each) => valueOf(each, choosing)));
  switch (Array.isArray(type) ? (type as readonly Fact[])[0] : type) {
    case 'object':
      return objectOf(schema, choosing);
    case 'array':
      return listOf(schema, choosing);
    case 'string':
      return pick(words);
    case 'integer':
    case 'number':
      return pick(numbersIn(schema));
    case 'boolean':
      return pick([false, true]);
    default:
      return null;
  }
}

/** The required ones alone. */
function objectOf({ properties, required }: Schema, choosing: Choosing): Schema {
  const named = (properties ?? {}) as { readonly [name: string]: Schema };
  const wanted = Array.isArray(required) ? (required as readonly string[]) : [];
  return Object.fromEntries(wanted.map((name) => [name, valueOf(named[name] ?? {}, choosing)]));
}

/** With one value, or none where that is allowed. */
function listOf({ items, minItems }: Schema, choosing: Choosing): Fact {
  const one = [valueOf((items ?? {}) as Schema, choosing)];
  return Number(minItems ?? 0) > 0 ? one : choosing.pick<Fact>([[], one]);
}

/** At most ten whole ones, from the least. */
function numbersIn({ minimum, maximum }: Schema): number[] {
  const least = Math.ceil(typeof minimum === 'number' ? minimum : Math.min(0, Number(maximum ?? 0)));
  const most = Math.floor(typeof maximum === 'number' ? maximum : least + 9);
  return Array.from({ length: Math.max(1, Math.min(10, most - least + 1)) }, (_, index) => least + index);
}
