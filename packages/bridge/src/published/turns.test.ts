import { describe, expect, it } from 'vitest';
import type { PublishedMessage } from './message.ts';
import { openTurns } from './turns.ts';

const never = new AbortController().signal;

function message(type: string): PublishedMessage {
  return { observation: 'o', type, done: false, won: false, admissible: null, gameFile: null, picture: null };
}

describe('messages that wait for an answer', () => {
  it('count as the same when sent again, and get the same answer', async () => {
    const turns = openTurns();
    const answers = [turns.post(message('t'), 'sum', never), turns.post(message('t'), 'sum', never)];
    const turn = (await turns.take(never))!;
    expect(turns.isThere()).toBe(false);
    turn.reply('look');
    expect(await Promise.all(answers)).toEqual(['look', 'look']);
  });

  it("give way to another episode's first message once their client is gone", async () => {
    const turns = openTurns();
    const gone = new AbortController();
    const old = turns.post(message('t'), 'one', gone.signal);
    const taken = (await turns.take(never))!;
    expect(() => turns.post(message('u'), 'two', never)).toThrow('has not been answered');
    gone.abort();
    void turns.post(message('u'), 'two', never);
    expect([await old, turns.isThere()]).toEqual(['SKIP', true]);
    // too late, and sent to nobody
    taken.reply('look');
    expect((await turns.take(never))!.message.type).toBe('u');
  });

  it('are not put back before a message that replaced them', async () => {
    const turns = openTurns();
    const gone = new AbortController();
    void turns.post(message('t'), 'one', gone.signal);
    const taken = (await turns.take(never))!;
    gone.abort();
    void turns.post(message('u'), 'two', never);
    turns.putBack(taken);
    expect((await turns.take(never))!.message.type).toBe('u');
  });

  it('do not give way to any other message', () => {
    const turns = openTurns();
    void turns.post(message('t'), 'one', never);
    expect(() => turns.post(message(''), 'two', never)).toThrow('has not been answered');
  });

  it('may repeat the same message once it is answered', async () => {
    const turns = openTurns();
    const first = turns.post(message(''), 'sum', never);
    (await turns.take(never))!.reply('look');
    await first;
    void turns.post(message(''), 'sum', never);
    expect(turns.isThere()).toBe(true);
  });

  it('are told to leave when the run is over', async () => {
    const turns = openTurns();
    const waiting = turns.post(message('t'), 'one', never);
    turns.finish();
    expect([await waiting, await turns.post(message('u'), 'two', never)]).toEqual(['SKIP', 'SKIP']);
  });
});
