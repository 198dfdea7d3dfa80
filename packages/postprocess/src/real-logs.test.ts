import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCommand } from './command.ts';
import { postprocessCompat } from './compat.ts';
import { postprocess } from './reply.ts';

const folder = process.env.EMAC_TEST_DATA;
const logs = [
  ...['trial_0', 'trial_8', 'trial_11'].map((name) => `exp-logs/${name}.log`),
  ...['trial_0', 'trial_11'].map((name) => `llm-teacher-logs/${name}.log`),
];

/** Every line of a transcript that begins with `> `, and the line after it. */
function answered(log: string): readonly { readonly action: string; readonly answer: string }[] {
  const text = readFileSync(join(folder!, 'emma', log), 'utf8');
  return [...text.matchAll(/^> (.*)\n(?!> )(.*)$/gm)].map(([, action, answer]) => {
    return { action: action!, answer: answer! };
  });
}

describe.skipIf(!folder)('every action accepted by its environment (needs EMAC_TEST_DATA)', () => {
  it.each(logs)('is a fixed point of both post-processors: %s', (log) => {
    const said = answered(log).filter(({ answer }) => !['Nothing happens.', 'STATUS: FAIL'].includes(answer));
    const commands = [...new Set(said.map(({ action }) => action))].filter(
      (each) => !each.startsWith('think:'),
    );
    expect(commands.length).toBeGreaterThan(90);
    const both = commands.map((each) => [postprocessCompat(each), postprocess(each)]);
    expect(both).toEqual(commands.map((each) => [each, each]));
    // AI2-THOR's parser accepts anything that contains `look `
    for (const each of commands) expect(isCommand(each) || each.startsWith('look '), each).toBe(true);
  });
});
