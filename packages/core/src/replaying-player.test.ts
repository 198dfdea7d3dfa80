import { describe, expect, it } from 'vitest';
import type { History } from './history.ts';
import { replayingPlayer } from './replaying-player.ts';
import type { StepEnvironment } from './step-environment.ts';

/** Counts up to three; counts every step of every environment. */
function counter() {
  let stepped = 0;
  const begin = (): StepEnvironment<number> => {
    let at = 0;
    return {
      id: 'counter',
      actions: ['on'],
      reset: () => ({ won: false }),
      step: () => {
        at++;
        stepped++;
        return { reward: 0, terminated: at === 3, truncated: false, info: { won: at === 3 } };
      },
      text: () => String(at),
      observe: () => ({}),
      frame: () => ({ width: 1, height: 1, data: new Uint8Array(3) }),
      state: () => at,
      restore: (state) => void (at = state),
    };
  };
  const player = replayingPlayer({
    begin,
    actionOf: (command) => (command === 'on' ? 0 : null),
    label: (made) => ({ kind: 'action', command: `after ${made.text()}` }),
  });
  return { player, stepped: () => stepped };
}

const task = { id: 'counter/0', type: null };
const asked = (...commands: readonly string[]) => ({
  task,
  history: {
    initial: '',
    turns: commands.map((command) => ({ command, observation: '' })),
  } satisfies History,
  memories: [],
  admissible: null,
});

describe('a replaying player', () => {
  it('continues from its last position, one step each', async () => {
    const { player, stepped } = counter();
    for (const [count, commands] of [[], ['on'], ['on', 'on']].entries()) {
      expect(await player.label(asked(...commands))).toEqual({ kind: 'action', command: `after ${count}` });
      expect(stepped()).toBe(count);
    }
  });

  it('needs no earlier call, for example after a run was resumed', async () => {
    expect(await counter().player.label(asked('on', 'on'))).toEqual({ kind: 'action', command: 'after 2' });
  });

  it('labels two attempts at one task, each by its own commands', async () => {
    const { player } = counter();
    const said = async (...commands: string[]) => player.label(asked(...commands));
    await Promise.all([said(), said()]);
    expect(await said('on')).toMatchObject({ command: 'after 1' });
    // an invalid command changes nothing
    expect(await said('dance')).toMatchObject({ command: 'after 0' });
    expect(await said('on', 'on')).toMatchObject({ command: 'after 2' });
    expect(await said('dance', 'on')).toMatchObject({ command: 'after 1' });
  });

  it('gives no label after the end', async () => {
    expect(await counter().player.label(asked('on', 'on', 'on'))).toMatchObject({ kind: 'unusable' });
  });
});
