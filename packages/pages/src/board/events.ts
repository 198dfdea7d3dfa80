/**
 * What the board's server says has changed. A browser opens six connections to a server for all its tabs, so a hidden tab
 * keeps none.
 */

export interface Followed {
  /** with names of results; null: anything may have changed meanwhile */
  readonly changed: (names: readonly string[] | null) => void;
  /** those that pages asked for */
  readonly commands: () => void;
}

/** Follows while the tab is visible, until the returned function is called. */
export function followEvents({ changed, commands }: Followed): () => void {
  let events: EventSource | null = null;
  let isBehind = false;
  const open = () => {
    events = new EventSource('/events');
    events.addEventListener('changed', ({ data }: MessageEvent<string>) =>
      changed((JSON.parse(data) as { readonly names: readonly string[] }).names),
    );
    events.addEventListener('commands', commands);
    events.addEventListener('error', () => (isBehind = true));
    events.addEventListener('open', () => {
      if (isBehind) changed(null);
      isBehind = false;
    });
  };
  const close = () => {
    events?.close();
    events = null;
  };
  const look = () => {
    if (document.visibilityState === 'visible') {
      if (events === null) open();
      return;
    }
    isBehind = true;
    close();
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    close();
  };
}
