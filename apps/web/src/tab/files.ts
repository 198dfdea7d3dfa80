/** The files of the site that the trainer reads from its disk. */
import { dirname } from 'pathe';
import { createFolder } from '@emac/files';
import { tabDisk } from '@emac/platform/tab';

/** Fetches the files that `disk.json` lists into `home`. Errors: `Error` naming one that does not come. */
export async function fillDisk(home: string): Promise<void> {
  const paths = (await (await fetched('disk.json')).json()) as readonly string[];
  await Promise.all(
    paths.map(async (path) => {
      const bytes = new Uint8Array(await (await fetched(`disk/${path}`)).arrayBuffer());
      createFolder(dirname(home + path));
      if (!isThere(home + path, bytes)) tabDisk.writeFileSync(home + path, bytes);
    }),
  );
}

async function fetched(path: string): Promise<Response> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: the site answers ${response.status}`);
  return response;
}

/** Files that have not changed are not written again: every write makes the log longer. */
function isThere(path: string, bytes: Uint8Array): boolean {
  if (!tabDisk.existsSync(path)) return false;
  const before = tabDisk.readFileSync(path) as Uint8Array;
  return before.byteLength === bytes.byteLength && before.every((byte, index) => byte === bytes[index]);
}
