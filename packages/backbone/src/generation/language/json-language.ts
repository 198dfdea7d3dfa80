/**
 * JSON values by a JSON schema as a language. Names of an object stand in the order of the schema, with one blank after `:` and `,` or none. Read are
 * type, properties, required, items, minItems, maxItems, enum, const, anyOf, oneOf, $ref to $defs, and allOf of one. Other keywords that narrow a
 * value are left to whoever reads it, or refused.
 */
import { EmacError } from '@emac/core';
import type { Language, Languages } from './language.ts';

type Schema = Readonly<Record<string, unknown>>;

/** keywords that would narrow a value, and are not read */
const unread = ['pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems', 'patternProperties', 'propertyNames', 'not', 'if', 'dependentRequired', 'dependentSchemas', 'contains', 'prefixItems'] as const; // prettier-ignore

const mostItems = 64;
const mostDigits = 15;

/** Values by a schema; null: any object. Errors: `data` for a schema that cannot be read, and with `isStrict` for keywords that are not. */
export function jsonLanguage(
  made: Languages,
  schema: Schema | null,
  { isStrict }: { readonly isStrict: boolean },
): Language {
  const { literal, sequence, either, many, optional, upTo, character } = made;
  const gap = optional(literal(' '));
  const comma = sequence(literal(','), gap);
  const hex = character('hex', (each) => /^[0-9a-fA-F]$/.test(each));
  const escape = sequence(
    literal('\\'),
    either(
      character('escaped', (each) => '"\\/bfnrt'.includes(each)),
      sequence(literal('u'), hex, hex, hex, hex),
    ),
  );
  const plain = character(
    'plain',
    (each) => each >= ' ' && each !== '"' && each !== '\\' && each !== '\u007f',
  );
  const text = sequence(literal('"'), many(either(plain, escape)), literal('"'));
  const digit = character('digit', (each) => each >= '0' && each <= '9');
  const first = character('first digit', (each) => each >= '1' && each <= '9');
  const digits = upTo(mostDigits, digit);
  const integer = sequence(optional(literal('-')), either(literal('0'), sequence(first, digits)));
  const fraction = sequence(literal('.'), digit, digits);
  const exponent = sequence(
    either(literal('e'), literal('E')),
    optional(either(literal('+'), literal('-'))),
    digit,
    upTo(1, digit),
  );
  const number = sequence(integer, optional(fraction), optional(exponent));
  const listed = (item: Language): Language => sequence(item, many(sequence(comma, item)));
  const array = (item: Language): Language => sequence(literal('['), optional(listed(item)), literal(']'));
  const any: Language = made.later(() =>
    either(text, number, literal('true'), literal('false'), literal('null'), array(any), anyObject),
  );
  const member = (name: Language, value: Language): Language => sequence(name, literal(':'), gap, value);
  const anyObject: Language = sequence(literal('{'), optional(listed(member(text, any))), literal('}'));
  const scalars: Readonly<Record<string, Language>> = {
    string: text,
    number,
    integer,
    boolean: either(literal('true'), literal('false')),
    null: literal('null'),
  };
  const named = new Map<string, Language>();

  const counted = (item: Language, least: number, most: number | null): Language => {
    if (least > mostItems || (most ?? 0) > mostItems)
      throw unreadable(`lists of more than ${mostItems} items are not supported`);
    if (least === 0 && most === null) return array(item);
    const further = sequence(comma, item);
    const needed = Array.from({ length: Math.max(0, least - 1) }, () => further);
    const more = most === null ? many(further) : upTo(most - Math.max(1, least), further);
    const whole = sequence(item, ...needed, more);
    if (most === 0) return literal('[]');
    return sequence(literal('['), least === 0 ? optional(whole) : whole, literal(']'));
  };

  const object = (given: Schema): Language => {
    const properties = Object.entries((given['properties'] ?? {}) as Readonly<Record<string, Schema>>);
    if (properties.length === 0) return given['additionalProperties'] === false ? literal('{}') : anyObject;
    const required = new Set((given['required'] ?? []) as readonly string[]);
    const unknown = [...required].find((name) => !properties.some(([each]) => each === name));
    if (unknown !== undefined) throw unreadable(`requires ${unknown}, which is no property`);
    // what may follow from each property on, with a comma before it and without
    let rest = { before: made.end, within: made.end };
    for (const [name, value] of properties.reverse()) {
      const own = member(literal(JSON.stringify(name)), valueOf(value));
      const taken = sequence(own, rest.within);
      const isNeeded = required.has(name);
      rest = {
        before: isNeeded ? taken : either(taken, rest.before),
        within: isNeeded ? sequence(comma, taken) : either(sequence(comma, taken), rest.within),
      };
    }
    return sequence(literal('{'), rest.before, literal('}'));
  };

  const ofType = (type: unknown, given: Schema): Language => {
    if (type === 'object') return object(given);
    if (type === 'array') {
      const { items, minItems = 0, maxItems = null } = given;
      return counted(isRecord(items) ? valueOf(items) : any, minItems as number, maxItems as number | null);
    }
    const scalar = typeof type === 'string' ? scalars[type] : undefined;
    if (!scalar) throw unreadable(`knows no type ${JSON.stringify(type)}`);
    return scalar;
  };

  const reference = (path: string): Language => {
    const found = named.get(path);
    if (found) return found;
    const target =
      path === '#' ? schema : path.startsWith('#/') ? at(schema, path.slice(2).split('/')) : undefined;
    if (!isRecord(target)) throw unreadable(`has nothing at ${path}`);
    const language: Language = made.later(() => whole.get(path) ?? valueOf(target));
    named.set(path, language);
    whole.set(path, valueOf(target));
    return language;
  };
  const whole = new Map<string, Language>();

  const valueOf = (given: unknown): Language => {
    if (given === true) return any;
    if (!isRecord(given)) throw unreadable(`must be an object, got ${JSON.stringify(given)}`);
    const narrowing = isStrict ? unread.find((key) => key in given) : undefined;
    if (narrowing !== undefined) throw unreadable(`${narrowing} is not supported`);
    if (typeof given['$ref'] === 'string') return reference(given['$ref']);
    if ('const' in given) return literal(JSON.stringify(given['const']));
    if (Array.isArray(given['enum']))
      return either(...given['enum'].map((each) => literal(JSON.stringify(each))));
    const choices = given['anyOf'] ?? given['oneOf'];
    if (Array.isArray(choices)) return either(...choices.map(valueOf));
    const all = given['allOf'];
    if (Array.isArray(all)) {
      if (all.length === 1) return valueOf(all[0]);
      throw unreadable('allOf of several is not supported');
    }
    const type = given['type'];
    if (Array.isArray(type)) return either(...type.map((each) => ofType(each, given)));
    if (type === undefined) return 'properties' in given ? object(given) : any;
    return ofType(type, given);
  };
  return schema === null ? anyObject : valueOf(schema);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
}

function isRecord(given: unknown): given is Schema {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function unreadable(what: string): EmacError {
  return new EmacError('data', `JSON schema: ${what}; give a simpler schema`);
}
