/** A tab's. */
export { createDisk } from './browser/disk.ts';
export type { Disk, Keeper } from './browser/disk.ts';
export { beginLog, openLog } from './browser/log.ts';
export type { LogFile, OpenedLog } from './browser/log.ts';
export { Buffer, crc32 } from './browser/bytes.ts';
export { randomHex, startSha256 } from './browser/crypto.ts';
export type { Sha256 } from './browser/crypto.ts';
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
} from './browser/fs.ts';
export type { FileHandle, Stats } from './browser/fs.ts';
export { processId, processorCores } from './browser/os.ts';
export { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from './browser/path.ts';
export { withinTime } from './browser/time-limit.ts';
