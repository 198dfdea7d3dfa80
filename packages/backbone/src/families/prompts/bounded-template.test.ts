import { describe, expect, it } from 'vitest';

import { boundedTemplate } from './bounded-template.ts';

/** `count` times the text that is twice as long each time. */
const doubled = (start: string, next: string, end: string) =>
  `{% set ns = namespace(x=${start}) %}{% for i in range(60) %}{% set ns.x = ${next} %}{% endfor %}${end}`;

describe('a chat template', () => {
  it('writes what Jinja2 writes for the names that it has there', () => {
    const source =
      '{{ range(2) }}{{ range(5, 1, -2) }}{{ True }}{{ none is none }}{% if x %}{{ x|length }}{% endif %}';
    expect(boundedTemplate(source)({ x: [1, 2] })).toBe('[0, 1][5, 3]truetrue2');
    expect(() => boundedTemplate('{{ raise_exception("so") }}')({})).toThrow(/^so$/);
  });

  it.each([
    [
      'a long range',
      '{% for i in range(10**9) %}{{ i }}{% endfor %}',
      /range\(\) may have 100000 numbers, has 1000000000/,
    ],
    ['a range of a power', '{% for i in range(9**9) %}{% endfor %}', /range\(\) may have/],
    [
      'nested loops',
      `${'{% for i in range(1000) %}'.repeat(9)}x${'{% endfor %}'.repeat(9)}`,
      /over 2000000 steps/,
    ],
    [
      'nested loops over long lists',
      `${'{% for i in range(100000) %}'.repeat(60)}x${'{% endfor %}'.repeat(60)}`,
      /over 2000000 steps/,
    ],
    [
      'a text that doubles',
      doubled('"ab"', 'ns.x + ns.x', '{{ ns.x }}'),
      /a value may have 16000000 characters/,
    ],
    [
      'a list that doubles',
      doubled('[1]', 'ns.x + ns.x', '{{ ns.x|length }}'),
      /a list may have 100000 items, has 131072/,
    ],
    [
      'a list that holds the one before twice',
      doubled('[1]', '[ns.x, ns.x]', '{{ ns.x|tojson }}'),
      /a value may have 16000000 characters/,
    ],
    [
      'a list that holds one twenty-two times before it grows',
      '{% set a = namespace() %}{% set b = namespace() %}{% set a.x = [b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b] %}{% set b.x = range(100000) %}{{ a }}',
      /a value may have 16000000 characters/,
    ],
    ['a namespace in itself', '{% set a = namespace() %}{% set a.x = a %}{{ a }}', /Maximum call stack/],
    ['nested brackets', `{{ ${'['.repeat(100_000)} }}`, /Maximum call stack/],
    ['a long source', 'a'.repeat(1_000_001), /it has 1000001 characters, at most 1000000 are read/],
  ])('ends with an error for %s', (_, source, message) => {
    expect(() => boundedTemplate(source)({})).toThrow(message);
  });
});
