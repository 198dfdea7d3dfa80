/** An environment of one's own, whose module is a text on the page; a run keeps it in its folder. */
import { join } from 'pathe';
import { EmacError, messageOf } from '@emac/core';
import { loadedEnvironment, trainedIn, type Host } from '@emac/opening';
import { tabDisk } from '@emac/platform/tab';
import { ownEnvironment } from '../page/catalogue.ts';

/** Runs the module here. Errors: `data` if it fails or exports no environment. */
export async function environmentIn(text: string): Promise<Pick<Host, 'environment'>> {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  try {
    const module = (await import(/* @vite-ignore */ address)) as object;
    return { environment: loadedEnvironment(ownEnvironment, { text, module }) };
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `${ownEnvironment}: failed to load: ${messageOf(thrown)}`, { cause: thrown });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A host whose run gets the module into its folder, if it is of such an environment. */
export function keepingCode({ listener, ...host }: Host, text: string): Host {
  if (!host.environment) return { ...host, ...(listener && { listener }) };
  const run = (folder: string): void => {
    tabDisk.writeFileSync(join(folder, ownEnvironment), text);
    listener?.run?.(folder);
  };
  return { ...host, listener: { ...listener, run } };
}

/** The module in a run's folder; null without one. */
export function codeIn(folder: string): string | null {
  const path = join(folder, ownEnvironment);
  return tabDisk.existsSync(path) ? (tabDisk.readFileSync(path, 'utf8') as string) : null;
}

/** Whether a run is of such an environment. */
export function isOwn(folder: string): boolean {
  return trainedIn(folder) === ownEnvironment;
}
