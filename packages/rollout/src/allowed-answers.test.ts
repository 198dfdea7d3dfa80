/** A student that is kept to the commands which its world accepts. */
import { Random, type WorldSource } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent, blank, commands } from './bag-of-words.test.fixture.ts';
import { collectEpisode } from './dataset-collection.ts';
import { evaluate } from './evaluate.ts';
import { presetSettings } from './presets.ts';
import { fetchExpert, smallWorld, texts } from './small-world.test.fixture.ts';

/** Says the last thing it may, else something that no world accepts; keeps what it might say. */
function obedient() {
  const asked: (readonly string[] | undefined)[] = [];
  const act = (_text: string, _features: unknown, allowed?: readonly string[]) => {
    asked.push(allowed);
    return Promise.resolve(allowed?.at(-1) ?? 'dance');
  };
  return { ...bagOfWordsStudent(Random.fromSeed(0)), asked, act, features: () => Promise.resolve(blank) };
}

const answers = commands.map((command) => ` ${command}`);

/** A world that does not say what it accepts. */
function silent(source: WorldSource): WorldSource {
  return {
    next: async () => {
      const episode = await source.next();
      if (!episode) return null;
      const { admissible: _kept, ...rest } = episode;
      return rest;
    },
  };
}

const evaluated = { texts, maxSteps: 2, checkpoint: '', trainedOn: new Set<string>() };

describe('admissible commands only', () => {
  it('gives the student at each step what the world accepts, in evaluation', async () => {
    const student = obedient();
    const told: string[] = [];
    const onStep = ({ command }: { command: string }) => void told.push(command);
    const world = () => smallWorld(['fetch/a']).pass();
    await evaluate({ ...evaluated, student, world: world(), admissibleOnly: true, onStep });
    expect(student.asked).toEqual([answers, answers]);
    expect(told).toEqual([commands.at(-1), commands.at(-1)]);
    const free = obedient();
    await evaluate({ ...evaluated, student: free, world: world() });
    expect(free.asked).toEqual([undefined, undefined]);
  });

  it('does the same while training games are played', async () => {
    const student = obedient();
    const settings = {
      ...presetSettings('tiny', 'bc'),
      maxSteps: 2,
      stopRepeating: false,
      admissibleOnly: true,
    };
    const parts = { student, texts, settings, expert: fetchExpert(), random: Random.fromSeed(0) };
    const episode = (await smallWorld(['fetch/a']).pass().next())!;
    await collectEpisode({ ...parts, phase: 'bc' }, episode, 0);
    expect(student.asked).toEqual([answers, answers]);
  });

  it('is refused in a world that does not say what it accepts', async () => {
    const world = silent(smallWorld().pass());
    await expect(
      evaluate({ ...evaluated, student: obedient(), world, admissibleOnly: true }),
    ).rejects.toMatchObject({ code: 'unavailable' });
  });
});
