/** `node:url` of a tab. */
export function fileURLToPath(address: string | URL): string {
  return decodeURIComponent(new URL(address).pathname);
}

export function pathToFileURL(path: string): URL {
  return new URL(`file://${path.split('/').map(encodeURIComponent).join('/')}`);
}
