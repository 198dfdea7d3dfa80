/** The files of the site that the trainer reads from its disk. */
import { dirname } from 'pathe';
import { createFolder } from '@emac/files';
import { tabDisk } from '@emac/platform/tab';

/** `disk.json`: paths below the trainer's home. */
export interface DiskFiles {
  readonly atStart: readonly string[];
  /** of each model that is loaded when a run has it */
  readonly models: Readonly<Record<string, readonly string[]>>;
}

let home = '';
let listed: DiskFiles = { atStart: [], models: {} };
const loaded = new Set<string>();

/** Fetches the files of the start into `folder`. Errors: `Error` naming one that does not come. */
export async function fillDisk(folder: string): Promise<void> {
  home = folder;
  listed = (await (await fetched('disk.json')).json()) as DiskFiles;
  await take(listed.atStart);
}

/** Fetches the models that these settings name. Errors: as `fillDisk`. */
export async function fillModels(settings: unknown): Promise<void> {
  const text = JSON.stringify(settings);
  const missing = Object.keys(listed.models).filter((name) => text.includes(name) && !loaded.has(name));
  for (const name of missing) {
    await take(listed.models[name]!);
    loaded.add(name);
  }
}

async function take(paths: readonly string[]): Promise<void> {
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
