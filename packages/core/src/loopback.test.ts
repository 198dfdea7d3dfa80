import { expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

it.each([
  ...['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST'],
  ...['::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '[::FFFF:7f01:2]'],
])('%s is reached by this machine only', (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each([
  ...[
    '',
    '0.0.0.0',
    '10.0.0.1',
    '127.0.0.1.example',
    '127.0.0',
    '127.0.0.256',
    '0127.0.0.1',
    'localhost.example',
  ],
  ...[
    '::',
    '[::]',
    '::2',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '::1%lo',
    '::1]',
    '::1/8',
    '[127.0.0.1:80]',
  ],
])('%j may be reached by others, or is no address', (host) => {
  expect(isLoopback(host)).toBe(false);
});
