/** Pictures of a world by name, and changed ones of the moment: players of the Lewis game ask for pictures by name. */
import type { Frame } from '@emac/core';

export interface ShownFrames {
  readonly frame: (name: string) => Promise<Frame>;
  /** A name for this picture of a view: the view's own if it is unchanged. It holds until the view is named again. */
  named(view: string, picture: Frame): Promise<string>;
}

export function shownFrames(world: (name: string) => Promise<Frame>): ShownFrames {
  const changed = new Map<string, Frame>();
  return {
    frame: async (name) => changed.get(name) ?? world(name),
    async named(view, picture) {
      const { data } = await world(view);
      if (data.length === picture.data.length && data.every((value, at) => value === picture.data[at]))
        return view;
      const name = `${view}, changed`;
      changed.set(name, picture);
      return name;
    },
  };
}
