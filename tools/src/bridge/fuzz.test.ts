import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

describe('malformed bodies over both wires, and for a served agent', () => {
  it('are answered with a 4xx, and the server continues', async () => {
    for (const { target, statuses, isWell } of await fuzz({ bodies: 400, seed: 1, atOnce: 8 })) {
      expect(isWell, target).toBe(true);
      const refused = [...statuses].filter(([status]) => status >= 400 && status < 500);
      const accepted = statuses.get(200) ?? 0;
      // damage may leave a body well-formed; most does not
      expect(
        refused.reduce((sum, [, count]) => sum + count, accepted),
        target,
      ).toBe(400);
      expect(accepted, target).toBeLessThan(200);
    }
  });
});
