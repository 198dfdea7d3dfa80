/** Faults of single observations and rewards, against what is declared and what the first observation had. */
import {
  isReward,
  largestReward,
  type Frame,
  type NumberArray,
  type Observation,
  type Step,
} from '@emac/core';
import type { Check, CheckedEnvironment } from './checked-environment.ts';

/** A fault, without its place. */
export type Fault = readonly [check: Check, what: string];

export interface Watch {
  seen(observation: Observation): Fault | null;
  stepped(step: Step): Fault | null;
}

/** no model reads more in one line, and terminals become unusable */
const longestLine = 4000;

export function observationFaults({ rewards }: Pick<CheckedEnvironment, 'rewards'>): Watch {
  let sizes: string | null = null;
  const seen = (observation: Observation): Fault | null => {
    const wrong = textFault(observation) ?? pictureFault(observation) ?? arrayFault(observation);
    if (wrong) return wrong;
    const own = sizesOf(observation);
    sizes ??= own;
    return own === sizes ? null : ['observations', `shows ${own}, at first it was ${sizes}`];
  };
  return {
    seen,
    stepped({ reward, observation }) {
      const [least, most] = rewards ?? [-Infinity, Infinity];
      if (!isReward(reward))
        return [
          'rewards',
          `has the reward ${String(reward)}, which is no finite number up to ${largestReward}`,
        ];
      if (reward < least || reward > most)
        return ['rewards', `has the reward ${reward}, declared are ${least} to ${most}`];
      return seen(observation);
    },
  };
}

function textFault({ text, frames, arrays, admissible }: Observation): Fault | null {
  const hasMore = frames.length > 0 || Object.keys(arrays ?? {}).length > 0;
  if (typeof text !== 'string' || (text === '' && !hasMore))
    return [
      'observations',
      `shows ${typeof text === 'string' ? 'an empty text' : String(text)} and nothing else`,
    ];
  const actions = admissible ?? [];
  const bad = actions.find((each) => each.trim() === '' || /[\r\n]/.test(each));
  if (bad !== undefined)
    return ['texts', `offers the action ${JSON.stringify(bad)}, which nobody can type in one line`];
  for (const each of [text, ...actions]) {
    const [hidden] = /[^\n\r\t\P{Cc}]|\p{Cs}/u.exec(each) ?? [];
    if (hidden !== undefined)
      return ['texts', `shows the control character ${JSON.stringify(hidden)}; remove it from the text`];
    const longest = Math.max(...each.split('\n').map((line) => line.length));
    if (longest > longestLine)
      return ['texts', `shows a line of ${longest} characters, more than ${longestLine}`];
  }
  return null;
}

function pictureFault({ frames }: Observation): Fault | null {
  const wrong = frames.find(
    ({ width, height, data }) => data.length !== width * height * 3 || data.length === 0,
  );
  if (!wrong) return null;
  const { width, height, data } = wrong;
  return [
    'observations',
    `shows a picture of ${width} × ${height} with ${data.length} bytes instead of ${width * height * 3}`,
  ];
}

function arrayFault({ arrays = {} }: Observation): Fault | null {
  for (const [name, { shape, data }] of Object.entries(arrays)) {
    const size = shape.reduce((product, each) => product * each, 1);
    if (data.length !== size)
      return [
        'observations',
        `shows the array ${name} of ${shape.join(' × ')} with ${data.length} numbers instead of ${size}`,
      ];
    const wrong = (data as Float32Array).find((each) => !Number.isFinite(each));
    if (wrong !== undefined) return ['observations', `shows ${wrong} in the array ${name}`];
  }
  return null;
}

function sizesOf({ frames, arrays = {} }: Observation): string {
  const picture = ({ width, height }: Frame) => `a picture of ${width} × ${height}`;
  const array = ([name, { shape }]: [string, NumberArray]) =>
    `an array ${name} of ${shape.join(' × ') || 'one number'}`;
  const parts = [...frames.map(picture), ...Object.entries(arrays).map(array)];
  return parts.join(', ') || 'text alone';
}
