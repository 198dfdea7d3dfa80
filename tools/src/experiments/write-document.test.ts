import { expect, test } from 'vitest';
import { filled } from './write-document.ts';

test('blocks of a document are replaced, words around them stay', () => {
  const text =
    '# Title\n\n<!-- table: one -->\nold\n<!-- /table -->\n\nwords\n\n<!-- table: two --><!-- /table -->\n';
  const made = filled(text, (name) => `table ${name}`);
  expect(made).toBe(
    '# Title\n\n<!-- table: one -->\n\ntable one\n\n<!-- /table -->\n\nwords\n\n<!-- table: two -->\n\ntable two\n\n<!-- /table -->\n',
  );
  expect(filled(made, (name) => `table ${name}`)).toBe(made);
});

test('an unknown table is named', () => {
  expect(() => filled('<!-- table: other --><!-- /table -->', () => undefined)).toThrow(
    'unknown table other',
  );
});
