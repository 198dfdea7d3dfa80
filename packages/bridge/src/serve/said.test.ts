import { describe, expect, it } from 'vitest';
import { saidOf } from './said.ts';

/** Tokens of the given texts, with log-probabilities −1, −2, … */
const said = (texts: readonly string[], cuts: { maxTokens?: number; stop?: readonly string[] } = {}) =>
  saidOf(
    {
      text: texts.join(''),
      tokens: texts.map((_, place) => place),
      logProbabilities: texts.map((_, place) => -(place + 1)),
    },
    texts,
    { maxTokens: Infinity, stop: [], ...cuts },
  );
const token = (text: string, logProbability: number) => ({ text, logProbability });

describe("a client's answer", () => {
  it('is the text without the first blank and the end token', () => {
    expect(said([' go', ' to', ' desk', ''])).toEqual({
      text: 'go to desk',
      tokens: [token('go', -1), token(' to', -2), token(' desk', -3)],
      end: 'stop',
      count: 4,
    });
    expect(said([''])).toEqual({ text: '', tokens: [], end: 'stop', count: 1 });
  });

  it('has not ended if it reached its length limit', () => {
    expect(said([' go', ' to'])).toMatchObject({ text: 'go to', end: 'length', count: 2 });
  });

  it('has ended where the policy ends its answers, without an end token', () => {
    expect(said([' look', '\n'], { stop: ['\n'] })).toMatchObject({ text: 'look', end: 'stop', count: 2 });
    expect(said([' look', ' '], { stop: ['\n'] })).toMatchObject({ end: 'length' });
  });

  it('has the requested number of tokens', () => {
    const texts = [' go', ' to', ' desk', ''];
    expect(said(texts, { maxTokens: 2 })).toMatchObject({ text: 'go to', end: 'length', count: 2 });
    expect(said(texts, { maxTokens: 3 })).toMatchObject({ text: 'go to desk', end: 'stop', count: 4 });
  });

  it('ends before the first stop text, also within a token', () => {
    const texts = [' go', ' to\nlook', ' x', ''];
    expect(said(texts, { stop: ['ook', '\n'] })).toEqual({
      text: 'go to',
      tokens: [token('go', -1), token(' to', -2)],
      end: 'stop',
      count: 4,
    });
    expect(said(texts, { stop: ['go'] })).toMatchObject({ text: '', tokens: [], end: 'stop' });
    expect(said(texts, { stop: ['x'], maxTokens: 2 })).toMatchObject({ end: 'length' });
  });
});
