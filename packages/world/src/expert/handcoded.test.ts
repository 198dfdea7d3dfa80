import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGoal } from './goal.ts';
import { handcodedCommand, handcodedExpert } from './handcoded.ts';

const kitchen = 'a countertop 1, a drawer 1, a fridge 1, a garbagecan 1, a microwave 1, and a sinkbasin 1';

function initial(task: string, receptacles = kitchen): string {
  return `-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see ${receptacles}.\n\nYour task is to: ${task}.`;
}

/** The command after turns written as `command → observation`. */
function next(task: string, turns: readonly string[], receptacles?: string): string | null {
  return handcodedCommand({ initial: initial(task, receptacles), turns: turns.map(turnOf) });
}

function turnOf(line: string): { command: string; observation: string } {
  const [command = '', observation = ''] = line.split(' → ');
  return { command, observation };
}

const refused = 'Nothing happens.';
const atCounter =
  'go to countertop 1 → You arrive at countertop 1. On the countertop 1, you see a fork 1, and a mug 1.';
const tookMug = 'take mug 1 from countertop 1 → You pick up the mug 1 from the countertop 1.';
const atFridge = 'go to fridge 1 → You arrive at fridge 1. The fridge 1 is closed.';
const atSink = 'go to sinkbasin 1 → You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.';
const cleaned = 'clean mug 1 with sinkbasin 1 → You clean the mug 1 using the sinkbasin 1.';

describe('the hand-coded expert', () => {
  it('takes visible objects, treats them, opens closed receptacles and puts objects in', () => {
    const story = [
      atCounter,
      tookMug,
      atSink,
      cleaned,
      atFridge,
      'open fridge 1 → You open the fridge 1. The fridge 1 is open. In it, you see nothing.',
    ];
    const commands = story.map((_, index) => next('put a clean mug in fridge', story.slice(0, index + 1)));
    expect(commands).toEqual([
      'take mug 1 from countertop 1',
      'go to sinkbasin 1',
      'clean mug 1 with sinkbasin 1',
      'go to fridge 1',
      'open fridge 1',
      'move mug 1 to fridge 1',
    ]);
  });

  it('speaks the dialect that the texts show', () => {
    const old = [
      atCounter,
      tookMug,
      'go to garbagecan 1 → You arrive at loc 7. On the garbagecan 1, you see nothing.',
    ];
    expect(next('put a mug in garbagecan', old)).toBe('put mug 1 in/on garbagecan 1');
    expect(
      next(
        'put a mug in garbagecan',
        old.map((line) => line.replace('loc 7', 'garbagecan 1')),
      ),
    ).toBe('move mug 1 to garbagecan 1');
  });

  it('takes the dialect from the admissible commands and skips missing ones', () => {
    const history = {
      initial: initial('put a mug on countertop'),
      turns: [{ command: 'x', observation: 'You are carrying: a mug 1.' }],
    };
    const admissible = ['go to drawer 1', 'put mug 1 in/on countertop 1'];
    expect(handcodedCommand(history, { admissible })).toBe('put mug 1 in/on countertop 1');
  });

  it('takes a refused "go to" for standing there already', () => {
    const turns = [atSink, `go to countertop 1 → ${refused}`];
    expect(next('look at mug under the desklamp', turns, 'a countertop 1, and a sinkbasin 1')).toBe(
      'examine countertop 1',
    );
    const seen = [...turns, 'examine countertop 1 → On the countertop 1, you see a mug 1.'];
    expect(next('look at mug under the desklamp', seen, 'a countertop 1, and a sinkbasin 1')).toBe(
      'take mug 1 from countertop 1',
    );
  });

  it('puts a wrong object down where it fits before it continues', () => {
    const turns = [
      atCounter,
      'take fork 1 from countertop 1 → You pick up the fork 1 from the countertop 1.',
    ];
    expect(next('put a mug in fridge', turns)).toBe('move fork 1 to countertop 1');
  });

  it('goes to the nearest lamp with the object in hand and uses it', () => {
    const room = 'a bed 1, a desk 2, and a desk 1';
    const turns = [
      'go to desk 1 → You arrive at desk 1. On the desk 1, you see a book 1, and a desklamp 1.',
      'take book 1 from desk 1 → You pick up the book 1 from the desk 1.',
    ];
    expect(next('examine the book with the desklamp', turns, room)).toBe('use desklamp 1');
    const away = [...turns, 'go to bed 1 → You arrive at bed 1. On the bed 1, you see nothing.'];
    expect(next('examine the book with the desklamp', away, room)).toBe('go to desk 1');
  });

  it('brings two objects to the same receptacle, without moving ones already there', () => {
    const room = 'a shelf 2, a shelf 1, and a drawer 1';
    const turns = [
      'go to shelf 1 → You arrive at shelf 1. On the shelf 1, you see a cd 1.',
      'go to drawer 1 → You arrive at drawer 1. On the drawer 1, you see a cd 2.',
    ];
    expect(next('put two cd in shelf', turns, room)).toBe('take cd 2 from drawer 1');
    const holding = [...turns, 'take cd 2 from drawer 1 → You pick up the cd 2 from the drawer 1.'];
    expect(next('find two cd and put them in shelf', holding, room)).toBe('go to shelf 1');
  });

  it('heats again after a cooled object was heated before', () => {
    const hot = [
      atCounter,
      tookMug,
      'go to microwave 1 → You arrive at microwave 1. The microwave 1 is closed.',
      'heat mug 1 with microwave 1 → You heat the mug 1 using the microwave 1.',
    ];
    expect(next('put a hot mug in drawer', hot)).toBe('go to drawer 1');
    expect(
      next('put a hot mug in drawer', [
        ...hot,
        atFridge,
        'cool mug 1 with fridge 1 → You cool the mug 1 using the fridge 1.',
      ]),
    ).toBe('go to microwave 1');
  });

  it('explains why it cannot help', async () => {
    const reason = async (task: string, turns: readonly string[] = [], receptacles = kitchen) =>
      handcodedExpert().label({
        task: { id: 'g', type: null },
        memories: [],
        admissible: null,
        history: { initial: initial(task, receptacles), turns: turns.map(turnOf) },
      });
    expect(await reason('wash the dishes')).toEqual({
      kind: 'unusable',
      reason: 'the task follows no template: wash the dishes',
    });
    expect(await reason('put a clean mug in fridge', [], 'a fridge 1')).toMatchObject({
      reason: 'there is no sinkbasin here',
    });
    expect(await reason('put a mug in sofa')).toMatchObject({ reason: 'there is no sofa here' });
    // No receptacle class of ALFWorld takes a teddy bear: once in the hand it cannot be put down.
    const stuck = await reason('put a mug in fridge', ['x → You are carrying: a teddybear 1.']);
    expect(stuck).toMatchObject({ reason: 'no place here accepts the held teddybear 1' });
  });

  it('never repeats a command just refused', () => {
    const lines = [
      atCounter,
      tookMug,
      atFridge,
      atSink,
      cleaned,
      `go to drawer 1 → ${refused}`,
      'open fridge 1 → You open the fridge 1. The fridge 1 is open. In it, you see a mug 2.',
      'close fridge 1 → You close the fridge 1.',
      'x → garbage a b 1, a',
      'x → ',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { maxLength: 15 }), (before) => {
        const turns = before.map(turnOf);
        const tried: string[] = [];
        for (;;) {
          const command = handcodedCommand({ initial: initial('put a clean mug in fridge'), turns });
          if (command === null) break;
          expect(tried).not.toContain(command);
          tried.push(command);
          turns.push({ command, observation: refused });
        }
        expect(tried.at(-1)).toBe('look');
      }),
      { numRuns: 100 },
    );
  });
});

describe('task sentences', () => {
  it.each([
    ['put a mug in fridge', { kind: 'place', object: 'mug', receptacle: 'fridge', state: null, count: 1 }],
    ['put some mug on desk', { kind: 'place', object: 'mug', receptacle: 'desk', state: null, count: 1 }],
    [
      'put a clean mug in desk',
      { kind: 'place', object: 'mug', receptacle: 'desk', state: 'clean', count: 1 },
    ],
    [
      'clean some mug and put it in desk',
      { kind: 'place', object: 'mug', receptacle: 'desk', state: 'clean', count: 1 },
    ],
    ['put a hot mug in desk', { kind: 'place', object: 'mug', receptacle: 'desk', state: 'hot', count: 1 }],
    [
      'heat some mug and put it in desk',
      { kind: 'place', object: 'mug', receptacle: 'desk', state: 'hot', count: 1 },
    ],
    ['put a cool mug in desk', { kind: 'place', object: 'mug', receptacle: 'desk', state: 'cool', count: 1 }],
    [
      'cool some mug and put it in desk',
      { kind: 'place', object: 'mug', receptacle: 'desk', state: 'cool', count: 1 },
    ],
    ['put two cd in safe', { kind: 'place', object: 'cd', receptacle: 'safe', state: null, count: 2 }],
    [
      'find two cd and put them in safe',
      { kind: 'place', object: 'cd', receptacle: 'safe', state: null, count: 2 },
    ],
    ['look at cd under the desklamp', { kind: 'look', object: 'cd', lamp: 'desklamp' }],
    ['examine the cd with the desklamp', { kind: 'look', object: 'cd', lamp: 'desklamp' }],
    ['bring me a cd', null],
  ])('reads "%s"', (sentence, goal) => {
    expect(readGoal(sentence)).toEqual(goal);
  });
});
