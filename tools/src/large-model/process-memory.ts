/** Memory of this process as Linux counts it, mapped files included, in GB (10⁹ bytes). */
import { readFileSync } from 'node:fs';

function field(name: 'VmHWM' | 'VmRSS'): number {
  const kilobytes = new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(
    readFileSync('/proc/self/status', 'utf8'),
  )?.[1];
  return (Number(kilobytes) * 1024) / 1e9;
}

/** the most that was ever resident */
export const peakMemory = (): number => field('VmHWM');
export const residentMemory = (): number => field('VmRSS');
