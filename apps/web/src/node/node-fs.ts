/** `node:fs` of a tab: its disk. */
import { tabDisk } from '@emac/platform/tab';

export {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from '@emac/platform';

let count = 0;

/** A new folder whose path begins so. */
export function mkdtempSync(prefix: string): string {
  while (tabDisk.existsSync(`${prefix}${count}`)) count++;
  tabDisk.mkdirSync(`${prefix}${count}`);
  return `${prefix}${count}`;
}

export const constants = {};
