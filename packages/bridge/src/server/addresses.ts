/** Network addresses of an allow list. */
import { BlockList, isIP } from 'node:net';
import { EmacError } from '@emac/core';

/** The addresses and networks in a comma-separated list. */
export function addressesIn(list: string): readonly string[] {
  return list.split(',').map((each) => each.trim());
}

/** A test whether an address is one of these, or in one of these networks. Errors: `usage` for an invalid address. */
export function oneOf(allow: readonly string[]): (address: string) => boolean {
  const allowed = listOf(allow);
  return (address) => isIP(address) !== 0 && allowed.check(address, familyOf(address));
}

function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of addresses) add(list, each);
  return list;
}

function add(list: BlockList, given: string): void {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(given) ?? [];
  const most = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) === 0 || (prefix !== undefined && Number(prefix) > most))
    throw new EmacError(
      'usage',
      `--allow: must be an IP address or a network such as 10.0.0.0/24, got ${JSON.stringify(given)}`,
    );
  if (prefix === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, Number(prefix), familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
