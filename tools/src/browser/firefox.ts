/** Finds an installed Firefox; playwright-core drives it by WebDriver BiDi, the protocol of unchanged Firefox. */
import { existsSync } from 'node:fs';
import { firefox, type Browser } from 'playwright-core';

const usual = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** The browser's program: `FIREFOX_PATH` if set, else the usual paths on Linux; null if there is none. */
export function firefoxPath(): string | null {
  const given = process.env['FIREFOX_PATH'];
  if (given !== undefined && given !== '') return given;
  return usual.find((path) => existsSync(path)) ?? null;
}

/** Starts it without a window. Errors: if there is none, with the remedy. */
export async function openFirefox(): Promise<Browser> {
  const executablePath = firefoxPath();
  if (executablePath === null)
    throw new Error('Firefox is missing: install it, or set FIREFOX_PATH to its program');
  const browser = await firefox.launch({ executablePath, channel: 'moz-firefox' });
  adapt((browser as unknown as WithImplementation)._connection.toImpl(browser)._connection._transport);
  return browser;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

interface Transport {
  send(message: Message): void;
  onmessage(message: object): void;
}

interface WithImplementation {
  readonly _connection: {
    toImpl(browser: Browser): { readonly _connection: { readonly _transport: Transport } };
  };
}

/**
 * Where playwright-core 1.65 expects a later Firefox than 153: a command for every new context that it does not know yet, and downloads
 * whose events have a name.
 */
function adapt(transport: Transport): void {
  const [send, onmessage] = [transport.send.bind(transport), transport.onmessage.bind(transport)];
  transport.send = (message) => {
    if (message.method !== 'emulation.setMediaFeaturesOverride') return send(message);
    queueMicrotask(() => transport.onmessage({ id: message.id, type: 'success', result: {} }));
  };
  transport.onmessage = (message: Message) => {
    const isDownload = message.method?.startsWith('browsingContext.download') ?? false;
    onmessage(isDownload ? { ...message, params: named(message.params!) } : message);
  };
}

function named(params: NonNullable<Message['params']>): object {
  return { download: params['url'], ...params };
}
