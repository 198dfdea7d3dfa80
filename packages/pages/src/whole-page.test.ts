import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataIn, escaped, jsonScript } from './whole-page.ts';

const hostile = `</script><img src=x onerror="alert('1')">&`;

describe('text from a game or a model', () => {
  it('is text in a page, never markup', () => {
    expect(escaped(hostile)).toBe(
      '&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;',
    );
  });

  it('cannot end a script with data, and survives a round trip', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const markup = jsonScript('x', [value, hostile, '<!--', '\u2028']);
        const [begin, end] = ['<script type="application/json" id="x">', '</script>'];
        expect(markup.startsWith(begin) && markup.endsWith(end)).toBe(true);
        const json = markup.slice(begin.length, -end.length);
        expect(json).not.toContain('<');
        expect(dataIn(jsonScript('data', [value, hostile]))).toEqual(
          JSON.parse(JSON.stringify([value, hostile])),
        );
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify([value, hostile, '<!--', '\u2028'])));
      }),
    );
  });
});
