/** Files, as Node has them. In a browser's bundle `browser/fs.ts` takes this place. */
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
} from 'node:fs';
export type { Stats } from 'node:fs';
export { open as openFile } from 'node:fs/promises';
export type { FileHandle } from 'node:fs/promises';
