/**
 * Failpoints from the environment, for tests: `EMAC_FAILPOINT=name[:count[:ENOSPC]]` kills the process at the count-th pass of the failpoint, or fails there
 * like a full disk. `EMAC_FAILPOINT_FD=n` writes each passed failpoint's name to that file descriptor, one a line.
 */
import { writeSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { failpoints, onFailpoint } from '@emac/files';

/** Activates the failpoints of the environment, if any. Errors: `usage` for an unknown name. */
export function armFailpoints(env: Readonly<Record<string, string | undefined>>): void {
  const { EMAC_FAILPOINT: wanted, EMAC_FAILPOINT_FD: descriptor } = env;
  if (!wanted && !descriptor) return;
  const [name = '', count = '1', errno] = (wanted ?? '').split(':');
  if (wanted && !failpoints.some((each) => each === name))
    throw new EmacError('usage', `EMAC_FAILPOINT: must be one of ${failpoints.join(', ')}, got ${name}`);
  let left = Number(count);
  onFailpoint((passed) => {
    if (descriptor) writeSync(Number(descriptor), `${passed}\n`);
    if (passed !== name || --left !== 0) return;
    if (errno) throw Object.assign(new Error(`${errno}: injected at ${name}`), { code: errno });
    process.kill(process.pid, 'SIGKILL');
  });
}
