import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emmaText, reflexionText } from '@emac/prompt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reflectionQuery } from './reflection-query.ts';
import { readTrialLog, type TrialLogRecord } from './trial-log.test.support.ts';
import {
  emmaTrialRecord,
  inLines,
  reflexionTrialRecord,
  skippedTrialRecord,
  trialRecord,
} from './trial-record.ts';

const initial = 'You are in the middle of a room. You see a desk 1.\nYour task is to: put some pen in desk';

describe('a trial log', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          ...['\n', '\n\n', '> ', '#####', 'STATUS: FAIL', 'Nothing happens.', 'a', '\u2028', ' ', '\r'],
          ...[
            'Your task is to: x',
            'Here is the task:',
            'Environment #3:',
            '-----',
            'Trial 0: ',
            '[human edit]: ',
          ],
        ),
        { maxLength: 6 },
      )
      .map((all) => all.join('')),
  );
  const memories = fc.array(fc.constantFrom('go to desk 1', 'Your task is to: win', 'Trial 1: x'), {
    maxLength: 3,
  });
  const examples = `EX\n${initial}.\n> look\nNothing happens.\n\n${initial}\n> help\nOK.\n`;
  const sentence = fc.constantFrom('Nothing happens.', 'OK.', 'Your task is to: x', 'Here is the task:');

  it.each([
    ['emma', '', line],
    ['reflexion', '', line],
    ['emma', examples, sentence],
    ['reflexion', examples, sentence],
  ] as const)('is read back as it was written, for any texts (%s)', (layout, base, observation) => {
    const turns = fc.array(fc.record({ command: line, observation }), { maxLength: 5 });
    const history = fc.record({ initial: fc.constant(initial), turns });
    const trial = fc.record({ history, memories, pending: line }, { requiredKeys: ['history', 'memories'] });
    fc.assert(
      fc.property(fc.array(trial, { minLength: 1, maxLength: 3 }), (trials) => {
        const written = trials.map((each, index) => {
          return trialRecord({ ...each, base, index, success: false }, layout);
        });
        const found = readTrialLog(`${written.join('')}${skippedTrialRecord(7)}`, 'LOG', layout);
        const expected = trials.map(({ memories, ...episode }, index) => {
          return { index, outcome: 'failed', base, memories, ...inLines(episode) };
        });
        expect(found.slice(0, -1)).toEqual(expected);
        expect(found.at(-1)).toMatchObject({ index: 7, outcome: 'skipped' });
      }),
      { numRuns: 500 },
    );
  });

  it('is written in single lines only if something spans several', () => {
    const history = { initial, turns: [{ command: 'a\n\nb\n> c', observation: 'Nothing\u2028happens. ' }] };
    expect(trialRecord({ index: 0, success: false, history })).toBe(
      `\n#####\n\nEnvironment #0:\n\n${initial}.\n> a b > c\nNothing happens. \nSTATUS: FAIL\n\n#####\n`,
    );
  });

  it('keeps won episodes in Reflexion’s layout, and skips the summary at its end', () => {
    const won = trialRecord({ index: 0, success: true, history: { initial, turns: [] } }, 'reflexion');
    const found = readTrialLog(`${won}\n-----\nSUCCESS: 1\n-----`, 'LOG', 'reflexion');
    expect(found).toEqual([
      { index: 0, outcome: 'won', base: '', memories: [], history: { initial, turns: [] } },
    ]);
  });

  it.each([
    'x',
    '\n#####\n\nEnvironment #0:\nno task\nSTATUS: FAIL\n\n#####\n',
    '\n#####\n\nEnvironment #0:\n',
  ])('is rejected if a part is no record: %j', (text) => {
    expect(() => readTrialLog(text, 'my.log')).toThrow(/^my\.log: /);
  });
});

const folder = process.env.EMAC_TEST_DATA;
const data = (...path: string[]): string => readFileSync(join(folder!, ...path), 'utf8');

function again({ outcome, ...read }: TrialLogRecord): string {
  if (outcome === 'skipped') return skippedTrialRecord(read.index);
  return emmaTrialRecord({ index: read.index, success: false, text: emmaText(read) });
}

/** The scenario according to the published code: the second-last paragraph of a record. */
function publishedScenarios(log: string): string[] {
  return log.split('#####\n\n#####').map((record) => record.split('\n\n').at(-2)!.trim());
}

function scenarioOf(read: TrialLogRecord): string {
  return reflectionQuery({ ...read, examples: 'EXAMPLES' })
    .split('EXAMPLES\n')[1]!
    .replace(/STATUS: FAIL\n[\s\S]*$/, 'STATUS: FAIL');
}

describe.skipIf(!folder)('published trial logs (needs EMAC_TEST_DATA)', () => {
  it.each([
    ['emma/exp-logs/trial_0.log', 108],
    ['emma/exp-logs/trial_8.log', 34],
    ['emma/exp-logs/trial_11.log', 24],
    ['emma/llm-teacher-logs/trial_0.log', 62],
    ['emma/llm-teacher-logs/trial_11.log', 12],
  ])('of EMMA are read without loss, with the published scenarios: %s', (path, failed) => {
    const log = data(path);
    const read = readTrialLog(log, path);
    expect(read.map(({ index }) => index)).toEqual(Array.from({ length: 134 }, (_, index) => index));
    expect(read.map(again).join('')).toBe(log);
    const failures = read.filter(({ outcome }) => outcome === 'failed');
    expect(failures).toHaveLength(failed);
    const published = publishedScenarios(log);
    for (const failure of failures) {
      expect(scenarioOf(failure)).toBe(published[failure.index]);
      // each ends with a command without an observation; no line is misplaced
      expect(failure.pending).toBeDefined();
      expect(failure.history.initial).toMatch(/^You are in the middle of a room\. .*\nYour task is to: .*$/);
      for (const { command, observation } of failure.history.turns)
        expect(`${command}|${observation}`).toMatch(/^[^\n]*\|[^\n]+$/);
      expect(failure.memories.length).toBeLessThanOrEqual(3);
      expect(failure.memories.length > 0).toBe(!path.endsWith('trial_0.log'));
    }
  });

  describe.each(['phase1-bc', 'phase2-dpo'])('of the fork, %s', (phase) => {
    /** Commands and their observations, from the server's own log. */
    function played(): { round: number; task: number; command: string; seen: string }[] {
      const log = data('emac-fork-run', phase, 'running_nb01.log');
      const entry =
        /Task: \[(\d+)\], Iter: \[(\d+)\], Obs: ([\s\S]*?), VLM Action: ([\s\S]*?), LLM Action: [^\n]*(?=\n(?:INFO|$))/g;
      const steps = [...log.matchAll(entry)];
      const begun = [0, 0, 0];
      return steps.map(([, task, step, seen, command]) => {
        const round = step === '0' ? begun[Number(task)]!++ : begun[Number(task)]! - 1;
        return { round, task: Number(task), command: command!, seen: seen! };
      });
    }

    it.each([0, 1])('round %i: read without loss, equal to the server’s log', (round) => {
      const path = `emac-fork-run/${phase}/trial_${round}.log`;
      const log = data(path);
      const read = readTrialLog(log, path);
      expect(read.map(again).join('')).toBe(log);
      expect(read).toHaveLength(3);
      for (const { index, history, pending } of read) {
        const steps = played().filter((step) => step.round === round && step.task === index);
        expect(steps).toHaveLength(51);
        // the transcript has the expert's thoughts, the server logs only the student's answers
        const own = history.turns.filter(({ command }) => !command.startsWith('think: '));
        const commands = [...own.map(({ command }) => command), pending];
        expect(commands).toEqual(steps.map(({ command }) => command));
        expect(own.map(({ observation }) => observation)).toEqual(steps.slice(1).map(({ seen }) => seen));
      }
    });
  });

  it('give the whole scenario where blank lines broke the published extraction', () => {
    const log = data('emac-fork-run', 'phase1-bc', 'trial_0.log');
    const [broken] = readTrialLog(log, 'LOG');
    expect(publishedScenarios(log)[0]!.startsWith(', a\nNothing happens.')).toBe(true);
    const scenario = scenarioOf(broken!);
    expect(
      scenario.startsWith('You are in the middle of a room. Looking quickly around you, you see a'),
    ).toBe(true);
    expect(scenario).toContain(
      '\n> for it of it, a, a, a, a, a, and, and, a, a,\n\n\n\n, a\nNothing happens.\n',
    );
    expect(scenario).toContain(publishedScenarios(log)[0]!);
  });

  it('of Reflexion’s golden records are read back', () => {
    const { cases } = JSON.parse(data('derived', 'history_golden.json')) as {
      cases: {
        reflexion_fail_record: string;
        emma_fail_record: string;
        memory: string[];
        items: unknown[];
      }[];
    };
    for (const golden of cases) {
      const [found] = readTrialLog(golden.reflexion_fail_record, 'GOLDEN', 'reflexion');
      const text = reflexionText(found!);
      expect(reflexionTrialRecord({ index: 0, success: false, text })).toBe(golden.reflexion_fail_record);
      const [emma] = readTrialLog(golden.emma_fail_record, 'GOLDEN');
      for (const { memories, history, pending } of [found!, emma!]) {
        expect(memories.map((each) => each.trim())).toEqual(
          golden.memory.slice(-3).map((each) => each.trim()),
        );
        expect(history.turns.length * 2 + (pending === undefined ? 0 : 1)).toBe(golden.items.length);
      }
      expect(again(emma!)).toBe(golden.emma_fail_record);
    }
  });
});
