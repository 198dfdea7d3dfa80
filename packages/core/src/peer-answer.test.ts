import { expect, it } from 'vitest';
import { cappedAnswer, isWithinLevels } from './peer-answer.ts';

const chunks = (parts: readonly string[], type: string): Response => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  return new Response(body, { status: 201, headers: { 'content-type': type } });
};

it.each([
  ['application/json', ['123', '45'], null],
  ['application/json', ['123', '456'], 'larger than 5 bytes'],
  // four bytes and the empty line that ends an event
  ['text/event-stream', ['a:1', '\n\n', 'b:2\n\n', 'c:3\r\n\r\n'.slice(0, 5)], null],
  ['text/event-stream', ['a\n', 'b\n', 'c\n'], 'larger than 5 bytes'],
  ['text/event-stream; charset=utf-8', ['a:1234'], 'larger than 5 bytes'],
])('an answer of %s in parts %j', async (type, parts, refusal) => {
  const capped = cappedAnswer(chunks(parts, type), 5);
  expect([capped.status, capped.headers.get('content-type')]).toEqual([201, type]);
  if (refusal === null) expect(await capped.text()).toBe(parts.join(''));
  else await expect(capped.text()).rejects.toThrow(refusal);
});

it('an answer without a body is unchanged', () => {
  const answer = new Response(null, { status: 204 });
  expect(cappedAnswer(answer, 5)).toBe(answer);
});

it('counts levels of lists and objects', () => {
  expect(isWithinLevels([{ a: [1] }], 3)).toBe(true);
  expect(isWithinLevels([{ a: [1] }], 2)).toBe(false);
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(isWithinLevels(deep)).toBe(false);
});
