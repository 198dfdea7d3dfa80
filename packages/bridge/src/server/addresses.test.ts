import { describe, expect, it } from 'vitest';
import { addressesIn, isLoopback, oneOf } from './addresses.ts';

describe('addresses', () => {
  it('of this machine are distinguished from others', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'])
      expect(isLoopback(host), host).toBe(true);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', '::ffff:10.0.0.1', ''])
      expect(isLoopback(host), host).toBe(false);
  });

  it('that are allowed are distinguished from others, also in IPv6 notation', () => {
    const allows = oneOf(addressesIn('10.0.0.5, 192.0.2.0/25 ,2001:db8::/32'));
    for (const address of ['10.0.0.5', '::ffff:10.0.0.5', '192.0.2.127', '2001:db8:1::2'])
      expect(allows(address), address).toBe(true);
    for (const address of ['10.0.0.6', '::ffff:10.0.0.6', '192.0.2.128', '2001:db9::', '', '127.0.0.1'])
      expect(allows(address), address).toBe(false);
  });
});
