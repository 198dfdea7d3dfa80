import { Random, type Frame } from '@emac/core';
import { decodeImage } from '@emac/images';
import { builtinGame, parseGame, renderFrame, World } from '@emac/world';
import { Decoder } from 'sixel';
import { describe, expect, it } from 'vitest';
import { formOfTerminal, pictureText } from './terminal-pictures.ts';

/** Red over blue on the left, green over white on the right. */
const frame: Frame = {
  width: 2,
  height: 2,
  data: Uint8Array.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]),
};

const noise = Random.fromSeed(0);

/** Noise, because a PNG cannot compress it. */
const large: Frame = {
  width: 100,
  height: 60,
  data: Uint8Array.from({ length: 18_000 }, () => noise.integer(256)),
};

describe('a frame in a terminal', () => {
  it.each([
    [{ TERM: 'xterm-kitty' }, 'kitty'],
    [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
    [{ TERM_PROGRAM: 'iTerm.app', COLORTERM: 'truecolor' }, 'iterm'],
    [{ TERM_PROGRAM: 'WezTerm' }, 'iterm'],
    [{ TERM: 'foot' }, 'sixel'],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'blocks'],
    [{ TERM: 'tmux-256color', KITTY_WINDOW_ID: '1', TMUX: 'x' }, 'none'],
    [{ TERM: 'xterm' }, 'none'],
    [{}, 'none'],
  ] as const)('is shown for %j as %s', (env, form) => {
    expect(formOfTerminal(env)).toBe(form);
  });

  it('in half blocks has the upper pixel before the lower one', async () => {
    expect(await pictureText(frame, 'blocks')).toBe(
      '\u001b[38;2;255;0;0;48;2;0;0;255m▀\u001b[38;2;0;255;0;48;2;255;255;255m▀\u001b[0m\n',
    );
  });

  it('is a PNG of the same pixels for kitty, in pieces, and for iTerm2', async () => {
    const sent = await pictureText(large, 'kitty');

    const pieces = [...sent.matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g)];
    expect(pieces.length).toBeGreaterThan(1);
    for (const [, , piece] of pieces) expect(piece!.length).toBeLessThanOrEqual(4096);
    expect(pieces.map(([, control]) => control)).toEqual([
      'a=T,f=100,q=2,m=1',
      ...pieces.slice(2).map(() => 'm=1'),
      'm=0',
    ]);
    const decoded = (text: string) => decodeImage(Buffer.from(text, 'base64'));
    expect(await decoded(pieces.map(([, , piece]) => piece).join(''))).toEqual(large);
    const [, size, content] = /^\u001b\]1337;File=inline=1;size=(\d+):([^\u0007]*)\u0007\n$/.exec(
      await pictureText(large, 'iterm'),
    )!;
    expect(Buffer.from(content!, 'base64')).toHaveLength(Number(size));
    expect(await decoded(content!)).toEqual(large);
  });

  it('is nearly the same picture in sixel’s 256 colours', async () => {
    const { id, file } = builtinGame('valid_unseen', 0);
    const real = renderFrame(new World(parseGame(file, { id })).visible());
    const text = await pictureText(real, 'sixel');
    const [, body] = /^\u001bP[\d;]*q([^\u001b]*)\u001b\\\n$/.exec(text)!;
    const decoder = new Decoder();
    decoder.init();
    decoder.decodeString(body!);
    expect([decoder.width, decoder.height]).toEqual([real.width, real.height]);
    const pixels = new Uint8Array(Uint32Array.from(decoder.data32).buffer);
    const errors = [...real.data].map((value, place) => {
      const [pixel, channel] = [Math.floor(place / 3), place % 3];
      return Math.abs(value - pixels[pixel * 4 + channel]!);
    });
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(4);
    expect(errors.reduce((most, error) => Math.max(most, error), 0)).toBeLessThan(32);
  });
});
