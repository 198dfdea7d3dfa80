/**
 * What a command that a page asks for may reach: servers of this machine, and files in the board's folder or the working directory. Else
 * whoever has the token could send keys and files of this machine elsewhere.
 */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { EmacError, isLoopback } from '@emac/core';

/** Errors: `usage` for a value that names another machine, or a file elsewhere. `place`: e.g. `--data`. */
export function refuseOutOfReach(place: string, value: string, folders: readonly string[]): void {
  const servers = serversIn(value);
  if (!servers.every(isLoopback))
    throw new EmacError(
      'usage',
      `${place}: a page reaches servers of this machine alone, such as http://127.0.0.1:8000, got ${value}; start the command yourself`,
    );
  if (servers.length > 0 || namesIn(value).every((name) => isInside(name, folders))) return;
  throw new EmacError(
    'usage',
    `${place}: a page names files in the board's folder or its working directory alone, got ${value}; start the command yourself`,
  );
}

/** Whether a text names a server of another machine. */
export function namesOtherMachine(value: string): boolean {
  return !serversIn(value).every(isLoopback);
}

const address = /(?:(?:https?|wss?|rediss?|file|ftp|grpc):|\w[\w+.-]*:\/\/).*/i;

/** The hosts of the addresses in a text, empty for one that cannot be read. */
function serversIn(value: string): string[] {
  // readers of addresses drop these
  const text = value.replace(/[\t\r\n]/g, '');
  return text.split(/[,;{}|\s]+/).flatMap((piece) => {
    const found = address.exec(piece);
    return found ? [hostOf(found[0])] : [];
  });
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return '';
  }
}

/** The whole text, and what it may list: a pattern such as `{a,b}/*.json` has several names. */
function namesIn(value: string): string[] {
  return [value, ...value.split(/[,;:{}@=\s]+/)].filter((name) => name !== '');
}

/** Also once links are followed: a run of others may hold some. */
function isInside(name: string, folders: readonly string[]): boolean {
  if (name.startsWith('~')) return false;
  const path = resolve(name);
  const isIn = (folder: string, at: string) => {
    const way = relative(folder, at);
    return way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
  };
  return (
    folders.some((folder) => isIn(resolve(folder), path)) &&
    folders.some((folder) => isIn(realPath(resolve(folder)), realPath(path)))
  );
}

/** Of the part that exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(realPath(above), relative(above, path));
  }
}
