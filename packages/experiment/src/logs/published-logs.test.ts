/**
 * The formats are typed from the published code of EMMA and EMAC+, and parsed with users' expressions for these logs.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeRound } from './published-logs-folder.ts';
import {
  firstResults,
  microStepText,
  microStepTexts,
  nextResults,
  resultsText,
  runningLogStart,
  stepTexts,
  trialText,
  worldText,
  type PlayedGame,
} from './published-logs.ts';

const intro =
  '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room.\n\nYour task is to: look.';
const game = (place: number, won: boolean): PlayedGame => ({
  place,
  taskId: `pick-${place}/trial_1`,
  observation: intro,
  won,
  steps: [
    {
      own: 'go to desk 1',
      label: 'go to bed 1',
      command: 'go to desk 1',
      observation: 'You arrive at loc 3. On the desk 1, you see nothing.',
    },
    { own: 'look', label: null, command: 'look', observation: 'Nothing happens.' },
  ],
});
const ids = ['pick-0/trial_1', 'pick-1/trial_1', 'pick-2/trial_1'];
const byPlace = (...games: PlayedGame[]) => new Map(games.map((each) => [each.place, each]));
const folder = mkdtempSync(join(tmpdir(), 'emac-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('running_nb01.log', () => {
  it('begins with the number of trainable parameters', () => {
    const parameters = new Map([['weight', { shape: [2, 3], data: new Float32Array(6) }]]);
    const groups = [{ name: 'projection', parameters, learningRateScale: 1 }];
    expect(runningLogStart({ groups })).toBe(
      'INFO:dagger_server_running:*****Dagger Procedure Start Running*****\n' +
        'INFO:dagger_server_running:number of trainable parameters: 6\n',
    );
  });

  it('writes each step with its observation', () => {
    expect(stepTexts(game(1, false))).toBe(
      `INFO:dagger_server_running:Task: [1], Iter: [0], Obs: ${intro}, VLM Action: go to desk 1, LLM Action: go to bed 1\n` +
        'INFO:dagger_server_running:Task: [1], Iter: [1], Obs: On the desk 1, you see nothing., VLM Action: look, LLM Action: look\n',
    );
  });

  const lr = 1.23456789e-5;
  const place = { round: 1, iteration: 19 };

  it('writes a micro-step of imitation', () => {
    const text = microStepText({ lr, measures: { loss: 2.47708 } }, place);
    expect(text).toBe('INFO:dagger_server_running:Epoch: [1], Iter: [19], Lr: [0.000012], Loss: [2.4771]\n');
    expect(
      /Epoch: \[(\d+)\], Iter: \[(\d+)\], Lr: \[([\d.]+)\], Loss: \[([\d.]+)\]/.exec(text)!.slice(1),
    ).toEqual(['1', '19', '0.000012', '2.4771']);
  });

  it('writes a skipped overflow as Python\'s "nan"', () => {
    for (const loss of [null, NaN])
      expect(microStepText({ lr, measures: { loss } }, place)).toContain('Loss: [nan]');
  });

  const preferred = { loss: 2.47708, w_reward: 0.1576, l_reward: -0.00004, nll: 3.5679 };

  it('writes a micro-step of preferences', () => {
    expect(microStepText({ lr, measures: preferred }, { round: 1, iteration: 0 })).toBe(
      'INFO:dagger_server_running:Epoch: [1], Iter: [0], Lr: [0.000012], Loss: [2.4771], ' +
        'W_reward: [0.1576], L_reward: [-0.0000], NLL: [3.5679]\n',
    );
  });

  it('has its micro-steps read back, without one that was cut short', () => {
    const [first, second] = [0, 1].map((iteration) =>
      microStepText({ lr, measures: preferred }, { round: 1, iteration }),
    ) as [string, string];
    const log = `${stepTexts(game(1, false))}${first}${second.slice(0, -3)}`;
    expect([...microStepTexts(log)]).toEqual([['1 0', first]]);
  });

  it.skipIf(!process.env['EMAC_TEST_DATA']).each(['phase1-bc', 'phase2-dpo'])(
    'has every published line read back: %s',
    (phase) => {
      const folder = join(process.env['EMAC_TEST_DATA']!, 'emac-fork-run', phase);
      const log = readFileSync(join(folder, 'running_nb01.log'), 'utf8');
      const found = microStepTexts(log);
      // two rounds of three games, 20 micro-steps after each
      const places = [0, 1].flatMap((round) =>
        Array.from({ length: 60 }, (_, iteration) => `${round} ${iteration}`),
      );
      expect([...found.keys()]).toEqual(places);
      for (const [place, line] of found) {
        const [round, iteration] = place.split(' ').map(Number) as [number, number];
        const said = (name: string) => Number(new RegExp(`${name}: \\[([-.\\d]+)\\]`).exec(line)?.[1]);
        const [w_reward, l_reward, nll] = ['W_reward', 'L_reward', 'NLL'].map(said);
        const measures = {
          loss: said('Loss'),
          ...(phase === 'phase2-dpo' && { w_reward: w_reward!, l_reward: l_reward!, nll: nll! }),
        };
        // a rounded number below 0 is read as 0
        const text = line.replaceAll('[-0.0000]', '[0.0000]');
        expect(microStepText({ lr: said('Lr'), measures }, { round, iteration })).toBe(text);
      }
    },
  );
});

describe('world.log', () => {
  it.each([
    [0, 3, '0.0'],
    [3, 3, '1.0'],
    [1, 3, '0.33'],
    [1, 2, '0.5'],
    [26, 134, '0.19'],
  ])('has the accuracy of %i in %i as Python prints it', (success, total, accuracy) => {
    const text = worldText({ round: 2, success, additional: 1, total, seconds: 652.478 });
    expect(text).toBe(
      `\n-----\nROUND: 2\nSUCCESS: ${success}\nADDITIONAL SUCCESS: 1\nFAIL: ${total - success}\nTOTAL: ${total}\n` +
        `ACCURACY: ${accuracy}\nTIME: 652.48 s\n-----\n\n`,
    );
  });

  const published = process.env['EMAC_TEST_DATA'];
  it.skipIf(!published)('is byte for byte the published one for the same counts', () => {
    const text = readFileSync(join(published!, 'emac-fork-run/phase2-dpo/world.log'), 'utf8');
    const counts = { success: 0, additional: 0, total: 3 };
    const ours = [652.48, 650.08].map((seconds, round) => worldText({ ...counts, round, seconds })).join('');
    expect(ours).toBe(text);
  });
});

describe('env_results_trial_N.json', () => {
  it('is indented and escaped as Python does', () => {
    const memory = ['“go” on 🙂'];
    expect(
      resultsText([
        { memory, is_success: true, type: 'a/b', path_length: 4 },
        ...firstResults(['c/d'], new Map()),
      ]),
    ).toBe(
      [
        '{',
        '    "env_0": {',
        '        "memory": [',
        String.raw`            "\u201cgo\u201d on \ud83d\ude42"`,
        '        ],',
        '        "is_success": true,',
        '        "type": "a/b",',
        '        "path_length": 4',
        '    },',
        '    "env_1": {',
        '        "memory": [],',
        '        "is_success": false,',
        '        "type": "c/d",',
        '        "path_length": 0',
        '    }',
        '}',
      ].join('\n'),
    );
  });

  const published = process.env['EMAC_TEST_DATA'];
  it.skipIf(!published)('is byte for byte the published one for the same results', () => {
    const text = readFileSync(join(published!, 'emac-fork-run/phase2-dpo/env_results_trial_1.json'), 'utf8');
    const results = Object.values(
      JSON.parse(text) as Record<string, ReturnType<typeof firstResults>[number]>,
    );
    expect(resultsText(results)).toBe(text);
  });

  it('keeps a game solved, with the length of the attempt that solved it, and adds lessons', () => {
    const first = firstResults(ids, new Map([[ids[2]!, ['old']]]));
    const once = nextResults(first, byPlace(game(0, true), game(1, false)), new Map([[ids[1]!, ['new']]]));
    expect(once.map(({ is_success, path_length, memory }) => [is_success, path_length, memory])).toEqual([
      [true, 2, []],
      [false, 0, ['new']],
      [false, 0, ['old']],
    ]);
    const again = nextResults(once, byPlace(game(0, false)), new Map());
    expect(again[0]).toEqual(once[0]);
  });
});

describe('trial_N.log', () => {
  it('writes failures in full, and successes and earlier solved games in one line', () => {
    const before = firstResults(ids, new Map([[ids[1]!, ['look at desk 1 first']]]));
    const text = trialText(ids, byPlace(game(0, true), game(1, false)), before);
    expect(text).toBe(
      '\n#####\n\nEnvironment #0: Success\n\n#####\n' +
        '\n#####\n\nEnvironment #1:\n\nYour memory for the task below:\nTrial 0: look at desk 1 first\n\n' +
        'You are in the middle of a room.\nYour task is to: look..\n' +
        '> go to desk 1\nYou arrive at loc 3. On the desk 1, you see nothing.\n> look\nNothing happens.\n' +
        'STATUS: FAIL\n\n#####\n' +
        '\n#####\n\nEnvironment #2: Success\n\n#####\n',
    );
    expect(text.split('#####\n\n#####')).toHaveLength(3);
  });
});

describe('writeRound', () => {
  it('replaces a rewritten round', () => {
    const before = firstResults(ids, new Map());
    const round = { games: ids, lessons: new Map(), seconds: 1 };
    const first = {
      ...round,
      round: 0,
      played: byPlace(game(0, true), game(1, false), game(2, false)),
      before,
    };
    writeRound(folder, first);
    const after = writeRound(folder, { ...first, seconds: 2 });
    const second = { ...round, round: 1, played: byPlace(game(1, true), game(2, false)), before: after };
    writeRound(folder, second);
    writeRound(folder, { ...second, seconds: 3 });
    const text = readFileSync(join(folder, 'world.log'), 'utf8');
    const counts = [
      ...text.matchAll(
        /ROUND: (\d)\nSUCCESS: (\d)\nADDITIONAL SUCCESS: (\d)\nFAIL: (\d)\n.*\nACCURACY: (.*)\nTIME: (.*) s/g,
      ),
    ];
    expect(counts.map((each) => each.slice(1))).toEqual([
      ['0', '1', '1', '2', '0.33', '2.00'],
      ['1', '2', '1', '1', '0.67', '3.00'],
    ]);
  });
});
