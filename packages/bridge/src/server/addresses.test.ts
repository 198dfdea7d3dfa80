import { describe, expect, it } from 'vitest';
import { addressesIn, oneOf } from './addresses.ts';

describe('addresses', () => {
  it('that are allowed are distinguished from others, also in IPv6 notation', () => {
    const allows = oneOf(addressesIn('10.0.0.5, 192.0.2.0/25 ,2001:db8::/32'));
    for (const address of ['10.0.0.5', '::ffff:10.0.0.5', '192.0.2.127', '2001:db8:1::2'])
      expect(allows(address), address).toBe(true);
    for (const address of ['10.0.0.6', '::ffff:10.0.0.6', '192.0.2.128', '2001:db9::', '', '127.0.0.1'])
      expect(allows(address), address).toBe(false);
  });
});
