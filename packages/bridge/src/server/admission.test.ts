import { describe, expect, it } from 'vitest';
import { oneOf } from './addresses.ts';
import { notAdmitted, type Admission } from './admission.ts';

const token = 'a-token-of-good-length';
const open: Admission = { host: '0.0.0.0', token: null, allows: oneOf(['10.0.0.5']) };
const both: Admission = { ...open, token };

/** The client's status; 200 if admitted. */
function told(admission: Admission, address: string | null, headers: Record<string, string> = {}): number {
  const asking = { headers: new Headers({ host: '192.0.2.1', ...headers }), address };
  return notAdmitted(asking, admission)?.status ?? 200;
}

describe('admission', () => {
  const shown = { authorization: `Bearer ${token}` };

  it('by addresses admits this machine, the allowed addresses, and nobody else', () => {
    const statuses = ['127.0.0.1', '::1', '10.0.0.5', '10.0.0.6', null].map((each) => told(open, each));
    expect(statuses).toEqual([200, 200, 200, 403, 403]);
    expect(told(open, '10.0.0.6', shown)).toBe(403);
  });

  it('by token or address admits clients with either', () => {
    expect(told(both, '10.0.0.5')).toBe(200);
    expect(told(both, '10.0.0.6', shown)).toBe(200);
    expect(told(both, '10.0.0.6')).toBe(401);
    expect(told(both, null)).toBe(401);
    // requests through a proxy on this machine have its address
    expect(told(both, '127.0.0.1')).toBe(401);
    expect(told({ ...both, allows: oneOf(['127.0.0.0/8']) }, '127.0.0.1')).toBe(200);
  });

  it('by address needs an address in the Host header, since a name could be rebound to this server', () => {
    const named = { host: 'evil.example' };
    expect(told(both, '10.0.0.5', named)).toBe(421);
    expect(told(both, '10.0.0.5', { ...named, ...shown })).toBe(200);
    expect(told(open, '10.0.0.5', named)).toBe(421);
  });
});
