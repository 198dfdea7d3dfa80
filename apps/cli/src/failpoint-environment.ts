/**
 * Failpoints from the environment, for tests: `EMAC_FAILPOINT=name[:count[:ENOSPC]]` kills the process when the
 * failpoint is passed for the count-th time, or fails there as a full disk does; `EMAC_FAILPOINT_FD=n` writes the name of
 * each that is passed to that file descriptor, one a line.
 */
import { writeSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { failpoints, onFailpoint } from '@emac/files';

/** Listens where the environment asks for it. Errors: `usage` for a name that there is not. */
export function armFailpoints(env: Readonly<Record<string, string | undefined>>): void {
  const { EMAC_FAILPOINT: wanted, EMAC_FAILPOINT_FD: descriptor } = env;
  if (!wanted && !descriptor) return;
  const [name = '', count = '1', errno] = (wanted ?? '').split(':');
  if (wanted && !failpoints.some((each) => each === name))
    throw new EmacError('usage', `EMAC_FAILPOINT: there is no ${name}; give one of ${failpoints.join(', ')}`);
  let left = Number(count);
  onFailpoint((passed) => {
    if (descriptor) writeSync(Number(descriptor), `${passed}\n`);
    if (passed !== name || --left !== 0) return;
    if (errno) throw Object.assign(new Error(`${errno}: injected at ${name}`), { code: errno });
    process.kill(process.pid, 'SIGKILL');
  });
}
