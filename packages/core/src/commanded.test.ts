import { describe, expect, it } from 'vitest';
import { commandedEpisodes } from './commanded.ts';
import { withoutFrames, type Observation } from './observation.ts';
import type { StepEnvironment } from './step-environment.ts';

/** Counts from its seed; at 3 it ends with reward 1. Counts every step and every picture of all its worlds. */
function counter() {
  const uses = { steps: 0, pictures: 0 };
  const make = (): StepEnvironment<number> => {
    let count = NaN;
    const info = () => ({ won: count === 3, count });
    return {
      id: 'counter',
      actions: ['more', 'less'],
      reset: (seed) => ((count = Number(seed)), info()),
      step: (action) => {
        count += action === 0 ? 1 : -1;
        uses.steps++;
        return { reward: count === 3 ? 1 : 0, terminated: count === 3, truncated: false, info: info() };
      },
      text: () => `at ${count}`,
      observe: () => ({ count: { shape: [1], data: Int32Array.of(count) } }),
      frame: () => (uses.pictures++, { width: 1, height: 1, data: Uint8Array.of(count, 0, 0) }),
      state: () => count,
      restore: (state) => void (count = state),
    };
  };
  const episodes = commandedEpisodes({
    start: ({ id }) => ({ made: make(), seed: Number(id) }),
    commands: ['less', 'more'],
    actionOf: (command) => [0, 1].find((action) => ['more', 'less'][action] === command) ?? null,
    label: (made) => ({ kind: 'action', command: `after ${made.text()}` }),
  });
  return { ...episodes, uses };
}

const task = { id: '0', type: null };

describe('an episode by commands', () => {
  it('takes them in words, and repeats its last step after the end', async () => {
    const episode = await counter().begin({ id: '2', type: null }, 'any');
    expect(episode.first).toEqual({
      text: 'at 2',
      frames: [{ width: 1, height: 1, data: Uint8Array.of(2, 0, 0) }],
      arrays: { count: { shape: [1], data: Int32Array.of(2) } },
      admissible: ['less', 'more'],
    });
    const last = await episode.step('more');
    expect(last).toMatchObject({ reward: 1, terminated: true, truncated: false, info: { won: true } });
    expect(last.observation.text).toBe('at 3');
    expect(await episode.step('less')).toBe(last);
  });

  it('rejects an unknown command without taking a step', async () => {
    const { begin, uses } = counter();
    const episode = await begin(task, 'any');
    await episode.step('less');
    const refused = await episode.step('jump');
    expect(refused).toMatchObject({ reward: 0, terminated: false, info: { count: -1, refused: true } });
    expect(refused.observation.text).toBe('at -1');
    expect((await episode.step('more')).info).toEqual({ won: false, count: 0 });
    expect(uses.steps).toBe(2);
  });

  it('renders a frame when it is first read, also after later steps', async () => {
    const { begin, uses } = counter();
    const episode = await begin(task, 'any');
    const down = await episode.step('less');
    const refused = await episode.step('jump');
    const up = await episode.step('more');
    expect(uses.pictures).toBe(0);
    const drawn = ({ frames }: Observation) => frames[0]!.data[0];
    // 0, then one less as a byte, then 0 again
    expect([episode.first, up.observation, down.observation, refused.observation].map(drawn)).toEqual([
      0, 0, 255, 255,
    ]);
    expect(down.observation.frames).toBe(down.observation.frames);
    expect(uses.pictures).toBe(3);
    expect(withoutFrames(up.observation).frames).toEqual([]);
    expect(uses.pictures).toBe(3);
  });
});

describe('the scripted player of commands', () => {
  const asked = (...commands: readonly string[]) => {
    const turns = commands.map((command) => ({ command, observation: '' }));
    return { task, history: { initial: '', turns }, memories: [], admissible: null };
  };

  it('continues from its last position, one step each', async () => {
    const { player, uses } = counter();
    for (const [count, commands] of [[], ['more'], ['more', 'more']].entries()) {
      expect(await player.label(asked(...commands))).toEqual({
        kind: 'action',
        command: `after at ${count}`,
      });
      expect(uses.steps).toBe(count);
    }
  });

  it('needs no earlier call, for example after a run was resumed', async () => {
    expect(await counter().player.label(asked('more', 'more'))).toMatchObject({ command: 'after at 2' });
  });

  it('labels two attempts at one task, each by its own commands', async () => {
    const { player } = counter();
    const labelAt = async (...commands: string[]) => player.label(asked(...commands));
    await Promise.all([labelAt(), labelAt()]);
    expect(await labelAt('more')).toMatchObject({ command: 'after at 1' });
    // an invalid command changes nothing
    expect(await labelAt('dance')).toMatchObject({ command: 'after at 0' });
    expect(await labelAt('more', 'more')).toMatchObject({ command: 'after at 2' });
    expect(await labelAt('dance', 'more')).toMatchObject({ command: 'after at 1' });
  });

  it('gives no label after the end', async () => {
    expect(await counter().player.label(asked('more', 'more', 'more'))).toMatchObject({ kind: 'unusable' });
  });
});
