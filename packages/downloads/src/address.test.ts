/** Possible keys appear in no message, event or file; an invalid address is reported in one sentence. */
import type { EmacErrorCode } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { shownUrl, webAddress } from './address.ts';
import { hubModel } from './hub.ts';

/** Matches an error's code and message; `toThrow` would check the message alone. */
const fault = (code: EmacErrorCode, said: RegExp): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(said) as unknown });

describe('a shown address', () => {
  it.each([
    ['https://host/games.zip', 'https://host/games.zip'],
    ['https://host', 'https://host'],
    ['https://host/@scope/games.zip', 'https://host/@scope/games.zip'],
    ['https://me:pass@host:8443/games.zip', 'https://host:8443/games.zip'],
    ['https://me:p@ss@host/games.zip', 'https://host/games.zip'],
    ['https://host/games.zip?sig=abc&x=1#part', 'https://host/games.zip'],
    ['ftp://me:pass@host/games.zip?token=abc', 'ftp://host/games.zip'],
    ['me:pass@host/games.zip', 'host/games.zip'],
    ['http://me:p?ss@host', 'http://host'],
    ['http://', 'http://'],
    ['json_2.1.1_json', 'json_2.1.1_json'],
  ])('of %s is %s', (address, shown) => {
    expect(shownUrl(address)).toBe(shown);
  });
});

describe('an invalid web address', () => {
  it.each(['http://', 'https://me:p?ss@host', 'ftp://me:p?ss@host/x', ''])('is rejected: %j', (text) => {
    const said = /^(?!.*p\?ss).*must be an address/s;
    expect(() => webAddress(text)).toThrow(fault('usage', said));
  });

  it("is rejected as a server's data after a redirect, without a password", () => {
    const asked = () => webAddress('ftp://me:pass@host/x', new URL('https://a/b'));
    expect(asked).toThrow(fault('data', /https:\/\/a\/b: redirects to "ftp:\/\/host\/x"/));
  });
});

describe('HF_ENDPOINT', () => {
  const endpoint = (given: string) => hubModel('some/model', { HF_ENDPOINT: given })!.endpoint;

  it('names another hub; empty counts as unset', () => {
    expect(endpoint('https://mirror.example/hub//')).toBe('https://mirror.example/hub');
    expect(endpoint('')).toBe('https://huggingface.co');
  });

  it.each([
    'https://me:secret@host',
    'https://secret@host/',
    'https://host/?token=secret',
    'secret',
    'ftp://h',
  ])('%s is rejected in a sentence that repeats no secret', (given) => {
    const said = given === 'secret' ? /^HF_ENDPOINT: must be / : /^(?!.*secret)HF_ENDPOINT: must be /s;
    expect(() => endpoint(given)).toThrow(fault('usage', said));
  });
});
