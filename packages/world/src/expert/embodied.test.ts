/** The hand-coded expert on the texts of ALFWorld's embodied environment, as its controllers word them. */
import { describe, expect, it } from 'vitest';
import { isEmbodied } from './goal.ts';
import { handcodedCommand } from './handcoded.ts';
import { readObservation } from './observation.ts';

const kitchen = 'a countertop 1, a countertop 2, a fridge 1, a microwave 1, and a sinkbasin 1';

/** Numbered upwards, and no full stop behind the task. */
function initial(task: string, receptacles = kitchen): string {
  return `-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see ${receptacles}.\n\nYour task is to: ${task}`;
}

/** The command after turns written as `command → observation`. */
function next(task: string, turns: readonly string[], admissible?: readonly string[]): string | null {
  const history = {
    initial: initial(task),
    turns: turns.map((line) => {
      const [command = '', observation = ''] = line.split(' → ');
      return { command, observation };
    }),
  };
  return handcodedCommand(history, admissible ? { admissible } : {});
}

const atCounter =
  'go to countertop 1 → You arrive at loc 0. On the countertop 1, you see a mug 1, and a sliced-apple 1.';
const tookMug = 'take mug 1 from countertop 1 → You pick up the mug 1 from the countertop 1.';
const atFridge = 'go to fridge 1 → You arrive at loc 2. The fridge 1 is closed. ';
const opened = 'open fridge 1 → You open the fridge 1. The fridge 1 is open. In it, you see a egg 1.';

describe('the hand-coded expert in the embodied environment', () => {
  it('knows it by the task without a full stop', () => {
    expect(isEmbodied(initial('put a mug in fridge'))).toBe(true);
    expect(isEmbodied(`${initial('put a mug in fridge')}.`)).toBe(false);
    expect(isEmbodied('You are in a room.')).toBe(false);
  });

  it('plays a game to its end', () => {
    const story = [
      atCounter,
      tookMug,
      'go to sinkbasin 1 → You arrive at loc 4. On the sinkbasin 1, you see nothing.',
      'clean mug 1 with sinkbasin 1 → You clean the mug 1 using the sinkbasin 1.',
      atFridge,
      opened,
      'put mug 1 in/on fridge 1 → You put the mug 1 in/on the fridge 1.',
    ];
    const commands = story.map((_, index) => next('put a clean mug in fridge', story.slice(0, index)));
    // its first place to look is free: mugs are most likely on a countertop
    expect(commands.slice(1)).toEqual(story.slice(1).map((line) => line.split(' → ')[0]));
    expect(commands[0]).toMatch(/^go to /);
  });

  it('says "put", which every version accepts, whatever the admissible commands', () => {
    const guessed = ['go to countertop 1', 'move mug 1 to fridge 1', 'look', 'help'];
    expect(next('put a mug in fridge', [atCounter, tookMug, atFridge, opened], guessed)).toBe(
      'put mug 1 in/on fridge 1',
    );
    const refused = 'put mug 1 in/on fridge 1 → Nothing happens.';
    expect(next('put a mug in fridge', [atCounter, tookMug, atFridge, opened, refused])).not.toMatch(/^put/);
  });

  it('recognizes putting down, in every wording', () => {
    for (const word of ['in/on', 'to', 'in', 'on'])
      expect(readObservation(`You put the mug 1 ${word} the desk 1.`)).toEqual([
        { kind: 'put', object: 'mug 1', receptacle: 'desk 1', dialect: 'put' },
      ]);
  });

  it('sees that a revisited receptacle is open', () => {
    const text = 'You arrive at loc 2. The fridge 1 is open. On the fridge 1, you see a egg 1.';
    expect(readObservation(text)).toEqual([
      { kind: 'arrived', dialect: 'put' },
      { kind: 'contents', receptacle: 'fridge 1', door: true, objects: ['egg 1'] },
    ]);
    expect(next('put a egg in countertop', [`go to fridge 1 → ${text}`])).toBe('take egg 1 from fridge 1');
  });

  it('continues if the simulator finds no way, and knows that it has not moved', () => {
    const lost = [atCounter, tookMug, 'go to fridge 1 → Nothing happens.'];
    expect(next('put a mug in fridge', lost)).not.toBe('go to fridge 1');
    const elsewhere = [
      ...lost,
      'go to countertop 2 → You arrive at loc 1. On the countertop 2, you see nothing.',
    ];
    expect(next('put a mug in fridge', elsewhere)).toBe('go to fridge 1');
    const back = [
      ...elsewhere,
      'go to countertop 1 → You arrive at loc 0. On the countertop 1, you see nothing.',
    ];
    expect(next('put a mug in fridge', back)).toBe('go to fridge 1');
  });

  it('does not change place by examining from afar', () => {
    const examined = [atCounter, tookMug, 'examine microwave 1 → On the microwave 1, you see nothing.'];
    expect(next('put a hot mug in countertop', examined)).toBe('go to microwave 1');
  });

  it('opens closed receptacles, even with things in front of their doors', () => {
    const before = [atFridge, 'examine fridge 1 → On the fridge 1, you see a bowl 1.'];
    expect(next('put a bowl in countertop', before)).toBe('open fridge 1');
  });
});
