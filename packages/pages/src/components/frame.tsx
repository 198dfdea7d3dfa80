/** What stands around every page: where one is, and the way back. */
import type { ComponentChildren } from 'preact';

export interface FrameProps {
  /** address of the list of runs; null where there is none */
  readonly home: string | null;
  /** after the name, e.g. of the run */
  readonly trail?: string;
  /** the page that one came from; null: unknown */
  readonly back?: { readonly address: string; readonly name: string } | null;
  /** with the way to the page that starts runs */
  readonly isStarting?: boolean;
  readonly children: ComponentChildren;
}

export function Frame({ home, trail, back = null, isStarting = false, children }: FrameProps) {
  return (
    <>
      <header class="top">
        <a class="brand" href={home ?? '#'}>
          EMAC
        </a>
        {home !== null && <a href={home}>runs</a>}
        {back !== null && <a href={back.address}>{back.name}</a>}
        {isStarting && <a href="/start">start a run</a>}
        {trail !== undefined && <span class="soft">{trail}</span>}
      </header>
      <main>{children}</main>
    </>
  );
}

/** In place of what could not be loaded, or is on its way. */
export function Waiting({ fault }: { readonly fault: string | null }) {
  return <p class="soft">{fault ?? 'Loading …'}</p>;
}
