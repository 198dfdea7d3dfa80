import { describe, expect, it } from 'vitest';
import { command, type NamedCommand } from '../calling/command.ts';
import { parseCommandLine } from './command-line.ts';
import { integer, text, toggle } from '../options/option.ts';

const loaded: string[] = [];

function named(name: string, argument?: NamedCommand['argument']): NamedCommand {
  const options = {
    count: integer([1, 9], { help: 'how many', default: 2 }),
    out: text({ help: 'where', default: null, defaultText: 'nowhere' }),
    json: toggle('as JSON'),
  };
  return {
    name,
    summary: `summary of ${name}`,
    ...(argument && { argument }),
    load: () => {
      loaded.push(name);
      return Promise.resolve(command({ options, epilogue: () => `end of ${name}`, run: async () => 0 }));
    },
  };
}

const commands = [
  named('one'),
  named('two', { name: 'dir', help: 'a folder' }),
  named('many', { name: 'words', help: 'words', isMany: true, otherwise: ['usual'] }),
  named('group three'),
];

async function parsed(...argv: string[]) {
  loaded.length = 0;
  return parseCommandLine(argv, { commands, version: '1.2.3', width: 80 });
}

describe('a command line', () => {
  it.each([
    [['one'], { count: 2, out: null, json: false }, []],
    [['two', 'x', '--count', '3', '--json'], { count: 3, out: null, json: true }, ['x']],
    [['--out', 'y', 'one'], { count: 2, out: 'y', json: false }, []],
    [['group', 'three', '--out=z'], { count: 2, out: 'z', json: false }, []],
    [['many'], { count: 2, out: null, json: false }, ['usual']],
    [['many', 'a', '--count=1', 'b'], { count: 1, out: null, json: false }, ['a', 'b']],
  ])('parses %j into values and words', async (argv, values, words) => {
    expect(await parsed(...argv)).toMatchObject({ kind: 'command', values, words });
  });

  it('reports every error, with the closest known words', async () => {
    await expect(parsed('one', '--cuont', '3', '--out=', '--json=x')).rejects.toThrow(
      '--cuont: is not a flag of emac one (did you mean --count?); --json: is a switch and takes no value, got "--json=x"; --out: must not be empty',
    );
    await expect(parsed('gruop', 'three')).rejects.toThrow('gruop, three (did you mean group?)');
  });

  it('loads the named command and no other', async () => {
    await parsed('group', 'three');
    expect(loaded).toEqual(['group three']);
    await parsed('--help');
    expect(loaded).toEqual([]);
  });

  it('has help for everything, for a group, and for a command with defaults and notes', async () => {
    const help = async (...argv: string[]) => {
      const result = await parsed(...argv, '--help');
      return result.kind === 'text' ? result.text : '';
    };
    expect(await help()).toContain('summary of one');
    expect(await help('group')).toContain('summary of group three');
    const own = await help('one');
    expect(own).toMatch(/--count +how many \(a whole number from 1 to 9\) +\[string\] \[default: 2\]/);
    expect(own).toMatch(/--out +where +\[string\] \[default: nowhere\]/);
    expect(own).toMatch(/--json +as JSON +\[boolean\]/);
    expect(own).toContain('end of one');
    expect(await parsed('--version')).toEqual({ kind: 'text', text: '1.2.3' });
  });

  it.each([
    [['none'], 'none'],
    [['group'], 'a command of group is missing'],
    [['two'], 'argument'],
    [['one', '--lines', '3'], 'lines'],
    [['one', 'x'], 'x'],
    [['one', '--', 'x'], 'x'],
    [['one', '--count'], 'count'],
    [['one', '--count', '10'], '--count: must be a whole number from 1 to 9, got "10"'],
    [['one', '--json=no'], '--json: is a switch'],
  ])('rejects %j in one sentence', async (argv, said) => {
    await expect(parsed(...argv)).rejects.toThrow(said);
    await expect(parsed(...argv)).rejects.toMatchObject({ code: 'usage' });
  });
});
