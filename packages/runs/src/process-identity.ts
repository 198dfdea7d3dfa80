/**
 * Identifies this process, so that others can tell whether it is alive. A process id alone is soon reused, in
 * containers at once. Linux reports a process's start time and id space; on other systems the id must do.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly host: string;
  /** the machine's boot and process id space; '' if unknown */
  readonly space: string;
  readonly pid: number;
  /** clock ticks since boot; '' if unknown */
  readonly start: string;
}

export function ownIdentity(): ProcessIdentity {
  return identityOf(process.pid);
}

/** Of a process of this machine and id space, such as a child. */
export function identityOf(pid: number): ProcessIdentity {
  return { host: hostname(), space: ownSpace(), pid, start: startOf(pid) };
}

/** Whether a process of this machine and id space is alive; null if it is not visible from here. */
export function isAlive(other: ProcessIdentity): boolean | null {
  const own = ownIdentity();
  if (own.space !== other.space || (own.space === '' && own.host !== other.host)) return null;
  if (other.start !== '') return startOf(other.pid) === other.start;
  try {
    process.kill(other.pid, 0);
    return true;
  } catch (thrown) {
    // a process of another user
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownSpace(): string {
  return told(
    () =>
      `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`,
  );
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces and brackets. A zombie has ended. */
function startOf(pid: number): string {
  return told(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  });
}

function told(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
