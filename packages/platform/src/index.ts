/** Node's. In a browser's bundle `index.browser.ts` takes this place, with the same names. */
export { createDisk } from './browser/disk.ts';
export type { Disk, Keeper } from './browser/disk.ts';
export { beginLog, openLog } from './browser/log.ts';
export type { LogFile, OpenedLog } from './browser/log.ts';
export { Buffer, crc32 } from './node/bytes.ts';
export { randomHex, startSha256 } from './node/crypto.ts';
export type { Sha256 } from './node/crypto.ts';
export {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openFile,
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
} from './node/fs.ts';
export type { FileHandle, Stats } from './node/fs.ts';
export { processId, processorCores } from './node/os.ts';
export { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from './node/path.ts';
export { withinTime } from './node/time-limit.ts';
