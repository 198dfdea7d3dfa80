/** The pictures of a session: PNG files, named by their content, each sent once. */
import type { Observation } from '@emac/core';
import { sha256 } from '@emac/files';
import { encodePng } from '@emac/images';

export interface ShownPictures {
  /** The name of an observation's picture; null without one. */
  named(observation: Observation): Promise<string | null>;
  /** The file of a name. */
  file(name: string): Uint8Array;
  /** The file of a name as a data URL. */
  url(name: string): string;
  /** As data URLs: all, or those that were not taken before. */
  unsent(isWhole: boolean): Record<string, string>;
}

/** Keeps them until the session ends. */
export function shownPictures(): ShownPictures {
  const files = new Map<string, Uint8Array>();
  const sent = new Set<string>();
  return {
    async named({ frames: [frame] }) {
      if (!frame) return null;
      const png = await encodePng(frame);
      const name = sha256(png);
      files.set(name, png);
      return name;
    },
    file: (name) => files.get(name)!,
    url: (name) => dataUrl(files.get(name)!),
    unsent(isWhole) {
      const names = [...files.keys()].filter((name) => isWhole || !sent.has(name));
      for (const name of names) sent.add(name);
      return Object.fromEntries(names.map((name) => [name, dataUrl(files.get(name)!)]));
    },
  };
}

function dataUrl(png: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}
