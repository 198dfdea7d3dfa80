import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askedText, readAsked } from './asked-messages.ts';

it('a request comes back from its text, and equal requests have equal texts', () => {
  const message = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: fc.string() });
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1 }),
      fc.option(fc.nat(), { nil: undefined }),
      (messages, most) => {
        const asked = { messages, ...(most !== undefined && { maxTokens: most }) };
        expect(readAsked(askedText(asked))).toEqual(asked);
        expect(askedText({ ...asked, stop: [] })).toBe(askedText(asked));
      },
    ),
  );
});

it('another text is no request', () => {
  expect(() => readAsked('> go to desk 1')).toThrow(/is not the request of an agent/);
});
