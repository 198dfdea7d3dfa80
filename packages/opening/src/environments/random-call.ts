/** A random call of a tool, with arguments that its schema allows: what a random player does where nothing lists the actions. */
import { callText, type AskedTool, type Fact, type Random } from '@emac/core';

type Schema = { readonly [name: string]: Fact };

/** A tool and its required arguments; a text is a word of what was seen last. */
export function randomCall(tools: readonly AskedTool[], seen: string, random: Random): string {
  const { name, parameters } = random.pick(tools).function;
  const words =
    seen.match(/[^\s"'`,;()]+(?=[\s"'`,;()]|$)/g)?.map((word) => word.replace(/[.?!:]+$/, '')) ?? [];
  const values = valueOf({ type: 'object', ...parameters }, words, random);
  return callText({ name, arguments: values as Schema });
}

function valueOf(schema: Schema, words: readonly string[], random: Random): Fact {
  const { const: only, enum: some, anyOf, oneOf, type } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(some)) return random.pick(some as readonly Fact[]);
  const either = anyOf ?? oneOf;
  if (Array.isArray(either)) return valueOf(random.pick(either as readonly Schema[]), words, random);
  switch (Array.isArray(type) ? (type as readonly Fact[])[0] : type) {
    case 'object':
      return objectOf(schema, words, random);
    case 'array':
      return [valueOf((schema['items'] ?? {}) as Schema, words, random)];
    case 'string':
      return words.length > 0 ? random.pick(words) : '';
    case 'integer':
    case 'number':
      return numberOf(schema, random);
    case 'boolean':
      return random.integer(2) === 1;
    default:
      return null;
  }
}

function objectOf({ properties, required }: Schema, words: readonly string[], random: Random): Fact {
  const named = (properties ?? {}) as { readonly [name: string]: Schema };
  const wanted = Array.isArray(required) ? (required as readonly string[]) : [];
  return Object.fromEntries(wanted.map((name) => [name, valueOf(named[name] ?? {}, words, random)]));
}

/** A whole one of at most ten, from the least. */
function numberOf({ minimum, maximum }: Schema, random: Random): number {
  const least = Math.ceil(typeof minimum === 'number' ? minimum : Math.min(0, Number(maximum ?? 0)));
  const most = Math.floor(typeof maximum === 'number' ? maximum : least + 9);
  return least + random.integer(Math.max(1, Math.min(10, most - least + 1)));
}
