/** Invalid settings are found before the first request, and reported without showing a secret. */
import { EmacError } from '@emac/core';

export interface GivenSettings {
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

const openaiBaseUrl = 'https://api.openai.com/v1';

/** The key and address to use; throws EmacError('auth') without a key or address, EmacError('usage') for other errors. */
export function checkedSettings({ model, apiKey, baseUrl }: GivenSettings): {
  apiKey: string;
  baseUrl: string;
} {
  const key = apiKey?.trim() || undefined;
  if (key === undefined && !baseUrl)
    throw new EmacError(
      'auth',
      'language model: there is neither a key nor an address; set OPENAI_API_KEY, or give --expert-base-url or OPENAI_BASE_URL for a server that needs no key',
    );
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new EmacError(
      'auth',
      'language model: the key holds blanks or characters that no key has; set OPENAI_API_KEY to the key alone',
    );
  if (model.trim() === '')
    throw new EmacError('usage', 'language model: there is no model name; give --expert-model');
  if (baseUrl) checkAddress(baseUrl);
  return { apiKey: key ?? 'none', baseUrl: baseUrl || openaiBaseUrl };
}

function checkAddress(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new EmacError(
      'usage',
      'language model: the address is not an http or https address; give one such as http://127.0.0.1:8000/v1',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new EmacError(
      'usage',
      'language model: the address holds a user name, a password or a query; give the key in OPENAI_API_KEY instead',
    );
}
