/** Errors of a tab's disk, with the names that Node gives to those of the operating system. */
const words = {
  EBADF: 'bad file descriptor',
  EBUSY: 'resource busy or locked',
  EEXIST: 'file already exists',
  EISDIR: 'illegal operation on a directory',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EINVAL: 'invalid argument',
  ENOSPC: 'no space left on device',
} as const;

export type Errno = keyof typeof words;

/** `code`, `syscall` and `path` as Node sets them. */
export function fault(code: Errno, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${words[code]}, ${syscall} '${path}'`), { code, syscall, path });
}
