import { taskTypes, type TaskType } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { commandInDialect, dialectOf } from './dialect.ts';
import { fewShotExamples } from './few-shot.ts';

interface Example {
  readonly receptacles: readonly string[];
  readonly task: string;
  readonly turns: readonly { command: string; observation: string }[];
}

function parse(text: string): Example {
  const [room, task, ...rest] = text.trimEnd().split('\n');
  const receptacles = [...room!.matchAll(/ a ([a-z]+ \d+)[,.]/g)].map((match) => match[1]!);
  const turns = [];
  for (let at = 0; at < rest.length; at += 2)
    turns.push({ command: rest[at]!.replace(/^> /, ''), observation: rest[at + 1]! });
  return { receptacles, task: task!, turns };
}

/** A strict reader of one example: every command must be possible where it stands. */
function play({ receptacles, turns }: Example): void {
  let place = '';
  let holds = '';
  let seen = '';
  const open = new Set<string>();
  for (const { command, observation } of turns) {
    if (command.startsWith('think: ')) {
      expect(observation).toBe('OK.');
      continue;
    }
    const go = /^go to (.+)$/.exec(command);
    const take = /^take (.+) from (.+)$/.exec(command);
    const move = /^move (.+) to (.+)$/.exec(command);
    const change = /^(clean|heat|cool) (.+) with (sinkbasin|microwave|fridge) 1$/.exec(command);
    const opening = /^open (.+)$/.exec(command);
    const use = /^use (.+)$/.exec(command);
    if (go) {
      expect(receptacles).toContain(go[1]);
      expect(go[1]).not.toBe(place);
      place = go[1]!;
      const view = open.has(place)
        ? `The ${place} is open. In it, you see `
        : `(The ${place} is closed|On the ${place}, you see )`;
      expect(observation).toMatch(new RegExp(`^You arrive at ${place}\\. ${view}`));
      seen = observation;
    } else if (opening) {
      expect([opening[1], seen]).toEqual([place, `You arrive at ${place}. The ${place} is closed.`]);
      expect(observation).toMatch(
        new RegExp(`^You open the ${place}\\. The ${place} is open\\. In it, you see `),
      );
      open.add(place);
      seen = observation;
    } else if (take) {
      expect([take[2], holds]).toEqual([place, '']);
      expect(seen).toContain(`a ${take[1]}`);
      expect(observation).toBe(`You pick up the ${take[1]} from the ${place}.`);
      holds = take[1]!;
    } else if (move) {
      expect([move[1], move[2]]).toEqual([holds, place]);
      expect(seen).not.toContain('is closed');
      expect(observation).toBe(`You move the ${holds} to the ${place}.`);
      holds = '';
    } else if (change) {
      expect([change[2], `${change[3]} 1`]).toEqual([holds, place]);
      expect(observation).toBe(`You ${change[1]} the ${holds} using the ${place}.`);
    } else {
      expect(use, command).not.toBeNull();
      expect(seen).toContain(`a ${use![1]}`);
      expect(observation).toBe(`You turn on the ${use![1]}.`);
    }
  }
}

const taskSentence: Readonly<Record<TaskType, RegExp>> = {
  pick_and_place_simple: /put (a|some) /,
  look_at_obj_in_light: /look at .* under the|examine the .* with the/,
  pick_clean_then_place_in_recep: /clean/,
  pick_heat_then_place_in_recep: /heat|hot/,
  pick_cool_then_place_in_recep: /cool/,
  pick_two_obj_and_place: /two/,
};

describe('fewShotExamples', () => {
  it.each(taskTypes)('has an episode of %s that follows the rules of the world', (type) => {
    const [text] = fewShotExamples(type);
    expect(text!.endsWith('\n')).toBe(true);
    const example = parse(text!);
    expect(example.task).toMatch(taskSentence[type]);
    expect(example.receptacles).toEqual([...example.receptacles].sort(inListOrder));
    expect(example.turns.some(({ command }) => command.startsWith('think: '))).toBe(true);
    play(example);
  });

  it.each(taskTypes)('speaks of %s in the put dialect when asked to', (type) => {
    const [text] = fewShotExamples(type, { dialect: 'put' });
    expect(text).not.toMatch(/^(> move|You move)/m);
    expect(text).not.toMatch(/You arrive at [a-z]+ \d+\. (?!The|On)/);
    expect(text!.match(/^You arrive at loc \d+\. /gm)).toHaveLength(text!.match(/^> go to /gm)!.length);
    if (type !== 'look_at_obj_in_light') expect(text).toMatch(/^> put .+ \d+ in\/on .+ \d+\nYou put the /m);
  });

  it('leaves thoughts and their answers out when asked to', () => {
    for (const type of taskTypes) {
      const [text] = fewShotExamples(type, { thoughts: false });
      expect(text).not.toMatch(/think:|OK\./);
      play(parse(text!));
    }
  });

  it('shows two examples when the task type is not known', () => {
    expect(fewShotExamples(null)).toHaveLength(2);
  });
});

describe('dialects', () => {
  it('turn one form of placing into the other and leave other commands alone', () => {
    expect(commandInDialect('move mug 1 to desk 1', 'put')).toBe('put mug 1 in/on desk 1');
    expect(commandInDialect('put mug 1 in/on desk 1', 'move')).toBe('move mug 1 to desk 1');
    expect(commandInDialect('go to desk 1', 'put')).toBe('go to desk 1');
  });

  it('are told by the admissible commands, then by the observations', () => {
    const history = {
      initial: '',
      turns: [{ command: 'go to desk 1', observation: 'You arrive at loc 3. On …' }],
    };
    expect(dialectOf({ history })).toBe('put');
    expect(dialectOf({ history, admissible: ['look', 'move pen 1 to desk 1'] })).toBe('move');
    expect(dialectOf({ history: { initial: '', turns: [] } })).toBe('move');
  });
});

/** ALFWorld lists receptacles by class, numbers descending within a class. */
function inListOrder(left: string, right: string): number {
  const [leftClass, leftNumber] = left.split(' ');
  const [rightClass, rightNumber] = right.split(' ');
  if (leftClass !== rightClass) return leftClass! < rightClass! ? -1 : 1;
  return Number(rightNumber) - Number(leftNumber);
}
