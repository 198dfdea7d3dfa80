import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageText } from './client.ts';
import { gameOf } from './game.ts';
import { publishedMessage } from './message.ts';
import { nestedPicture, toNestedPicture } from './nested-picture.ts';

/** A body in the published client's form. */
function body(fields: Partial<Record<string, string>> = {}): string {
  const all = {
    OBSERVATION: 'You see',
    HISTORY: 'You see',
    INFORMATION: '{}',
    TYPE: '',
    DONE: 'False',
    IMAGE: '[]',
  };
  return Object.entries({ ...all, ...fields })
    .map(([tag, text]) => `[#${tag}]${text}`)
    .join('');
}

describe('messages of the published wire', () => {
  it('are read field by field', () => {
    const information =
      "{'admissible_commands': ['look', 'go to desk 1'], 'extra.gamefile': ['/d/t/r/game.tw-pddl'], 'won': [True]}";
    const read = publishedMessage(
      body({
        INFORMATION: information,
        TYPE: 'pick_and_place_simple-Mug',
        DONE: 'True',
        IMAGE: '[[[1, 2, 3], [4, 5, 6]]]',
      }),
    );
    expect(read).toEqual({
      observation: 'You see',
      type: 'pick_and_place_simple-Mug',
      done: true,
      won: true,
      admissible: ['go to desk 1', 'look'],
      gameFile: '/d/t/r/game.tw-pddl',
      picture: { width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 4, 5, 6) },
    });
  });

  it('are won when done, unless INFORMATION says otherwise', () => {
    expect(publishedMessage(body({ DONE: 'True' })).won).toBe(true);
    expect(publishedMessage(body({ DONE: 'True', INFORMATION: "{'won': False}" })).won).toBe(false);
  });

  it('end a field at the next tag, as the published pattern does', () => {
    const read = publishedMessage(body({ OBSERVATION: 'a [#TYPE] b [#OBSERVATION] c', HISTORY: '[#DONE]' }));
    expect(read.observation).toBe('a [#TYPE] b [#OBSERVATION] c');
  });

  it('accept commands wrapped in one more list', () => {
    const read = publishedMessage(body({ INFORMATION: "{'admissible_commands': [['b', 'a']]}" }));
    expect(read.admissible).toEqual(['a', 'b']);
  });

  it.each([
    ['x' + body(), '[#OBSERVATION] is missing or misplaced'],
    [body().replace('[#TYPE]', ''), '[#TYPE] is missing or misplaced'],
    [body({ DONE: 'true' }), 'True or False'],
    [body({ INFORMATION: '{' }), 'Python literal'],
    [body({ OBSERVATION: '\u001b[31m' }), 'control character'],
    [body({ IMAGE: '[[[1, 2]]]' }), 'a pixel has 3 values'],
    [body({ IMAGE: '[[[1, 2, 256]]]' }), 'from 0 to 255'],
    [body({ IMAGE: '[[[1, 2, 3]], []]' }), 'a list begins with ['],
    [body({ IMAGE: '[[[1, 2, 3]], [[1, 2, 3], [1, 2, 3]]]' }), 'row 1 has 2 pixels'],
    [body({ IMAGE: '[[[1, 2, 3]]] ]' }), 'ends before this'],
  ])('are refused: %j', (text, why) => {
    expect(() => publishedMessage(text)).toThrow(why);
  });

  it('of our own client keep all fields', () => {
    const word = fc.stringMatching(/^[a-z ]{1,20}$/);
    fc.assert(
      fc.property(word, fc.array(fc.string(), { minLength: 1 }), fc.boolean(), (text, admissible, won) => {
        const said = {
          observation: { text, admissible, frames: [] },
          history: text,
          type: 't',
          done: won,
          won,
        };
        const read = publishedMessage(messageText({ id: 'a/b@c.tw-pddl', type: null }, said));
        expect(read).toMatchObject({ observation: text, admissible: [...admissible].sort(), done: won, won });
        expect(gameOf(read).id).toBe('a/b@c.tw-pddl');
      }),
    );
  });
});

describe('nested pictures', () => {
  it('survive a round trip', () => {
    const picture = fc
      .record({ width: fc.integer({ min: 1, max: 5 }), height: fc.integer({ min: 1, max: 5 }) })
      .chain(({ width, height }) => {
        const length = 3 * width * height;
        return fc
          .uint8Array({ minLength: length, maxLength: length })
          .map((data) => ({ width, height, data }));
      });
    fc.assert(
      fc.property(picture, (frame) => {
        expect(nestedPicture(toNestedPicture(frame))).toEqual(frame);
      }),
    );
  });

  it.each(['[]', 'None', 'null', '', ' [ ] '])('may be missing: %j', (text) => {
    expect(nestedPicture(text)).toBeNull();
  });
});

describe('the game of a message', () => {
  it.each([
    ['/x/json_2.1.1/train/look_at_obj_in_light-Mug/trial_1/game.tw-pddl', 'look_at_obj_in_light-Mug/trial_1'],
    ['C:\\data\\task\\trial\\traj_data.json', 'task/trial'],
    ['task/trial/other.tw-pddl', 'task/trial@other.tw-pddl'],
    // the embodied environment names the folder
    ['/x/json_2.1.1/train/look_at_obj_in_light-Mug/trial_1', 'look_at_obj_in_light-Mug/trial_1'],
  ])('is its file: %s', (gameFile, id) => {
    expect(gameOf({ gameFile, type: 'look_at_obj', observation: '' })).toEqual({
      id,
      type: 'look_at_obj_in_light',
    });
  });

  it('is its type and a hash of the first observation, without a file', () => {
    const seen = (observation: string, type = 'pick_two_obj') =>
      gameOf({ gameFile: null, type, observation });
    // printf 'You see' | sha256sum
    expect(seen('You see')).toEqual({ id: 'pick_two_obj/571c93c4c6e2f437', type: 'pick_two_obj_and_place' });
    expect(seen('You see').id).not.toBe(seen('You see it').id);
    expect(seen('a', 'else').type).toBeNull();
  });
});
