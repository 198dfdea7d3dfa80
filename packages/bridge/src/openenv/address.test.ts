import { describe, expect, it } from 'vitest';
import { openEnvAddress } from './address.ts';

describe('the name of a served environment', () => {
  it('is an address, with or without /ws, of a plain or a safe connection', () => {
    const of = (name: string) => {
      const { socket, http } = openEnvAddress(name);
      return [socket, http];
    };
    expect(of('openenv:ws://127.0.0.1:8000')).toEqual(['ws://127.0.0.1:8000/ws', 'http://127.0.0.1:8000']);
    expect(of('openenv:http://h:1/ws')).toEqual(['ws://h:1/ws', 'http://h:1']);
    expect(of('openenv:https://h/space/')).toEqual(['wss://h/space/ws', 'https://h/space']);
  });

  it('has its mapping after #, fields of every reset, and sessions', () => {
    const { mapping, reset, sessions } = openEnvAddress(
      'openenv:ws://h#action=message&text=observation.prompt,metadata.hint&reset.level=3&reset.name=a%20b&sessions=64',
    );
    expect(mapping).toEqual({
      action: 'message',
      text: ['observation.prompt', 'metadata.hint'],
      picture: null,
      actions: null,
      won: null,
    });
    expect([reset, sessions]).toEqual([{ level: 3, name: 'a b' }, 64]);
    expect(openEnvAddress('openenv:ws://h').sessions).toBe(8);
  });

  it.each([
    ['openenv:', /must be openenv: and an address/],
    ['openenv:127.0.0.1:8000', /must be openenv: and an address/],
    ['openenv:ftp://h', /must be openenv: and an address/],
    ['openenv:ws://me:secret@h', /^--env openenv:ws:\/\/h: must not hold a password/],
    ['openenv:ws://h#acton=x', /after # it takes action, text, .* got acton/],
    ['openenv:ws://h#sessions=0', /from 1 to 1024, got 0/],
  ])('%s is refused', (name, rule) => {
    expect(() => openEnvAddress(name)).toThrow(rule);
  });
});
