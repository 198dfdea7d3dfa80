/** Each check passes for a sound environment, and is forced to fail by one that breaks its promise. */
import { Random, type Observation, type Step, type Task } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { checkEnvironment } from './check-environment.ts';
import type { Check, CheckedEnvironment } from './checked-environment.ts';

const tasks = (names: readonly string[]) => ({
  count: names.length,
  at: (number: number | bigint): Task => ({ id: names[Number(number)]!, type: null }),
});

interface Parts {
  /** changes the step with this number from 1 */
  readonly step?: (step: Step, number: number, task: string) => Step;
  readonly first?: Partial<Observation>;
  readonly sound?: Partial<CheckedEnvironment>;
}

const limit = 6;

/** Two actions; "go" three times wins, and six steps are the limit. */
function environment({
  step: changed = (step) => step,
  first = {},
  sound = {},
}: Parts = {}): CheckedEnvironment {
  return {
    maxSteps: limit,
    rewards: [0, 1],
    tasks: { training: tasks(['a', 'b']), heldOut: tasks(['c']) },
    begin: async (task) => {
      let [gone, taken] = [0, 0];
      let last: Step | null = null;
      const seen = (): Observation => ({
        text: `You went ${gone} times.`,
        frames: [{ width: 1, height: 1, data: new Uint8Array([gone, 0, 0]) }],
        arrays: { gone: { shape: [1], data: new Int32Array([gone]) } },
        admissible: ['go', 'stay'],
      });
      return {
        task,
        first: { ...seen(), ...first },
        async step(action) {
          if (last?.terminated || last?.truncated) return last;
          if (action === 'go') gone++;
          taken++;
          const won = gone === 3;
          const truncated = !won && taken === limit;
          last = { observation: seen(), reward: won ? 1 : 0, terminated: won, truncated, info: { won } };
          return (last = changed(last, taken, task.id));
        },
        close: async () => {},
      };
    },
    player: { label: async () => ({ kind: 'action', command: 'go' }) },
    ...sound,
  };
}

let clock = 0;
const check = (checked: CheckedEnvironment, milliseconds = 1000) =>
  checkEnvironment(checked, { random: Random.fromSeed(0), now: () => (clock += milliseconds), steps: 200 });

const withText = (text: string) => (step: Step, number: number) =>
  number === 2 ? { ...step, observation: { ...step.observation, text } } : step;

const withArrays = (arrays: Observation['arrays']) => (step: Step) => ({
  ...step,
  observation: { ...step.observation, ...(arrays && { arrays }) },
});

let calls = 0;
const broken: readonly [what: string, Check, Parts, RegExp][] = [
  [
    'a task in both sets',
    'tasks',
    { sound: { tasks: { training: tasks(['a']), heldOut: tasks(['b', 'a']) } } },
    /^a is held-out task 1 and training task 0: remove it from one$/,
  ],
  [
    'a task twice',
    'tasks',
    { sound: { tasks: { training: tasks(['a', 'a']), heldOut: tasks(['b']) } } },
    /^training task 1 is a, as is 0$/,
  ],
  [
    'a step that depends on earlier episodes',
    'seeds',
    {
      step:
        withText('') && ((step, number) => (number === 1 ? { ...step, reward: (calls++ % 2) / 2 } : step)),
    },
    /^step 1 of a \("\w*.*"\) gives another reward, although task, seed and actions are equal$/,
  ],
  [
    'a reward out of range',
    'rewards',
    { step: (step, number) => (number === 2 ? { ...step, reward: 2 } : step) },
    /^step 2 of a \(.*\) has the reward 2, declared are 0 to 1$/,
  ],
  [
    'a reward that is no number',
    'rewards',
    { step: (step, number) => (number === 2 ? { ...step, reward: NaN } : step) },
    /^step 2 of a \(.*\) has the reward NaN, which is no finite number up to 1e\+100$/,
  ],
  [
    'no end at the limit',
    'ends',
    { step: (step) => ({ ...step, truncated: false, terminated: false, info: { won: false } }) },
    /goes on at the limit of 6 steps; it must be truncated there$/,
  ],
  [
    'an end in place of a limit',
    'ends',
    {
      step: (step, number) => ({
        ...step,
        truncated: false,
        terminated: number === limit,
        info: { won: false },
      }),
    },
    /^of the walk, all \d+ lost random episodes end with done at step 6, the limit/,
  ],
  [
    'an array of another size',
    'observations',
    { step: withArrays({ gone: { shape: [2], data: new Int32Array(2) } }) },
    /^step 1 of a .* shows a picture of 1 × 1, an array gone of 2, at first it was a picture of 1 × 1, an array gone of 1$/,
  ],
  [
    'too few numbers',
    'observations',
    { step: withArrays({ gone: { shape: [2], data: new Int32Array(1) } }) },
    /shows the array gone of 2 with 1 numbers instead of 2$/,
  ],
  [
    'a small picture',
    'observations',
    { first: { frames: [{ width: 2, height: 1, data: new Uint8Array(3) }] } },
    /^the start of a shows a picture of 2 × 1 with 3 bytes instead of 6$/,
  ],
  [
    'an empty text',
    'observations',
    { first: { text: '', frames: [], arrays: {} } },
    /^the start of a shows an empty text and nothing else$/,
  ],
  [
    'a control character',
    'texts',
    { step: withText('\u001b[2J') },
    /^step 2 of a .* shows the control character "\\u001b"; remove it from the text$/,
  ],
  [
    'a long line',
    'texts',
    { step: withText('x'.repeat(5000)) },
    /^step 2 of a .* shows a line of 5000 characters, more than 4000$/,
  ],
  [
    'an action of two lines',
    'texts',
    { first: { admissible: ['go\nstay'] } },
    /^the start of a offers the action "go\\nstay", which nobody can type in one line$/,
  ],
  [
    'a step that throws',
    'walk',
    {
      step: (step, number, task) => {
        if (number === 4 && task === 'c') throw new Error('oh');
        return step;
      },
    },
    /^step 4 of c \(.*\) failed: oh$/,
  ],
  [
    'a player without an action',
    'player',
    {
      sound: {
        player: {
          label: async ({ history }) =>
            history.turns.length < 2
              ? { kind: 'action', command: 'go' }
              : { kind: 'unusable', reason: 'lost' },
        },
      },
    },
    /^the player has no action for step 3 of a: lost$/,
  ],
];

describe('checkEnvironment', () => {
  it('finds nothing in a sound environment', async () => {
    const { findings, steps, player, episodes } = await check(environment());
    expect(findings).toEqual([]);
    expect(steps).toBe(200);
    // an episode has three to six steps
    expect(episodes).toBeGreaterThan(200 / 7);
    expect(player).toEqual({ won: 3, episodes: 3 });
  });

  it.each(broken)('finds %s', async (_what, name, parts, sentence) => {
    const { findings } = await check(environment(parts));
    const found = findings.filter(({ check: each }) => each === name).map((each) => each.sentence);
    expect(found).toEqual([expect.stringMatching(sentence)]);
  });

  it('does not count refused actions towards the limit', async () => {
    const refusing = environment({
      step: (step) => ({
        ...step,
        reward: 0,
        terminated: false,
        truncated: false,
        info: { won: false, refused: true },
      }),
    });
    expect((await check(refusing)).findings).toEqual([]);
  });

  it('finds a step after the end that goes on', async () => {
    const sound = environment();
    const goesOn: CheckedEnvironment = {
      ...sound,
      begin: async (task, seed) => {
        const episode = await sound.begin(task, seed);
        return {
          ...episode,
          step: async (action) =>
            action === 'xyzzy' ? { ...(await episode.step(action)), reward: 0.5 } : episode.step(action),
        };
      },
    };
    const { findings } = await check(goesOn);
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(
        /^after step \d of a .* gives another reward for a step after the end; it must repeat the last step$/,
      ),
    ]);
  });

  it('plays one episode at a time where a server has one session', async () => {
    const sound = environment();
    let open = 0;
    const single: CheckedEnvironment = {
      ...sound,
      seats: () => 1,
      begin: async (task, seed) => {
        if (open > 0) throw new Error('taken');
        open++;
        return { ...(await sound.begin(task, seed)), close: async () => void open-- };
      },
    };
    expect((await check(single)).findings).toEqual([]);
  });

  it('finds episodes that share a state', async () => {
    let shared = 0;
    const counting = environment({
      step: (step) => ({ ...step, observation: { ...step.observation, text: String(shared++) } }),
      sound: {},
    });
    const restarted: CheckedEnvironment = {
      ...counting,
      begin: (task, seed) => ((shared = 0), counting.begin(task, seed)),
    };
    const { findings } = await check(restarted);
    expect(findings[0]).toMatchObject({
      check: 'seeds',
      sentence: expect.stringMatching(
        /gives another text while another episode runs: keep each episode's state in begin$/,
      ) as string,
    });
  });

  it('finds actions that give other steps after other episodes', async () => {
    // every task begins five times in the check of seeds: alike there, and otherwise afterwards
    const begun = new Map<string, number>();
    const drifting = environment();
    const { findings } = await check({
      ...drifting,
      begin: async (task, seed) => {
        const count = (begun.get(task.id) ?? 0) + 1;
        begun.set(task.id, count);
        const episode = await drifting.begin(task, seed);
        return { ...episode, first: { ...episode.first, text: `attempt ${Math.max(count, 5)}` } };
      },
    });
    expect(findings).toEqual([
      {
        check: 'restore',
        sentence: 'a begins with another text when its actions are played again after other episodes',
      },
    ]);
  });

  it('finds slow steps by the clock', async () => {
    const { findings, stepsPerSecond } = await check(environment(), 40_000);
    // 200 steps in 40 seconds
    expect(stepsPerSecond).toBe(5);
    expect(findings).toEqual([
      {
        check: 'speed',
        sentence: expect.stringMatching(/^200 steps took 40.0 s, fewer than 10 steps a second/) as string,
      },
    ]);
  });
});
