/**
 * What the board's server says has changed. A browser opens six connections to a server for all its tabs, so the visible windows of a
 * board share one: the window that holds a lock hears the server and tells the others, and a hidden one takes no part. Windows with
 * different passes share nothing: a restarted board refuses the earlier pass. Where the browser has no locks (an address without https that is not this machine's), each visible window has a connection of its own.
 */

export interface Followed {
  /** with names of results; null: anything may have changed meanwhile */
  readonly changed: (names: readonly string[] | null) => void;
  /** those that pages asked for */
  readonly commands: () => void;
}

type Heard =
  { readonly kind: 'changed'; readonly names: readonly string[] | null } | { readonly kind: 'commands' };
type Hear = (heard: Heard) => void;

/** of the lock and of the channel between windows with this address, which holds their pass */
const sharedName = (address: string) => `emac board events ${address}`;

/** Follows the stream at this address while the window is visible, until the returned function is called. */
export function followEvents(address: string, { changed, commands }: Followed): () => void {
  let leave: (() => void) | null = null;
  let isBehind = false;
  const hear: Hear = (heard) => (heard.kind === 'commands' ? commands() : changed(heard.names));
  const look = () => {
    if (document.visibilityState !== 'visible') {
      leave?.();
      leave = null;
      isBehind = true;
      return;
    }
    leave ??= 'locks' in navigator ? takePart(address, hear) : streamed(address, hear);
    if (isBehind) changed(null);
    isBehind = false;
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    leave?.();
  };
}

/** Hears the window that holds the lock, or holds it. Returns how to leave. */
function takePart(address: string, hear: Hear): () => void {
  const { locks } = navigator;
  const shared = sharedName(address);
  const channel = new BroadcastChannel(shared);
  const leaving = new AbortController();
  channel.addEventListener('message', ({ data }: MessageEvent<Heard>) => hear(data));
  const tell: Hear = (heard) => {
    channel.postMessage(heard);
    hear(heard);
  };
  const hold = (isLate: boolean) =>
    new Promise<void>((release) => {
      // the browser gives up a refused stream: another window may hold the lock then
      const close = streamed(address, tell, { isLate, refused: release });
      leaving.signal.addEventListener('abort', () => {
        close();
        channel.close();
        release();
      });
    });
  void locks
    .request(shared, { ifAvailable: true }, (lock) => (lock && !leaving.signal.aborted ? hold(false) : null))
    // between two holders a message may be lost
    .then(() => locks.request(shared, { signal: leaving.signal }, () => hold(true)))
    .catch(() => channel.close());
  return () => leaving.abort();
}

interface Stream {
  /** something may have changed before it */
  readonly isLate?: boolean;
  /** Called once the server has refused it. */
  readonly refused?: () => void;
}

/** A connection of its own. Returns how to close it. */
function streamed(address: string, hear: Hear, { isLate = false, refused }: Stream = {}): () => void {
  const events = new EventSource(address);
  let isBehind = isLate;
  events.addEventListener('changed', ({ data }: MessageEvent<string>) =>
    hear({ kind: 'changed', names: (JSON.parse(data) as { readonly names: readonly string[] }).names }),
  );
  events.addEventListener('commands', () => hear({ kind: 'commands' }));
  events.addEventListener('error', () => {
    isBehind = true;
    if (events.readyState === EventSource.CLOSED) refused?.();
  });
  events.addEventListener('open', () => {
    if (isBehind) hear({ kind: 'changed', names: null });
    isBehind = false;
  });
  return () => events.close();
}
