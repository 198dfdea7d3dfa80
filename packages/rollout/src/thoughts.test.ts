import { Random, type Environment, type Expert, type LabelRequest } from '@emac/core';
import { fetchExpert, fetching } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { playAlone } from './play-alone.ts';
import { labelled } from './episode.ts';
import { rollout } from './rollout.ts';
import type { MadeStep } from './attempt.ts';
import { answering, attemptsAt, setup } from './setups.test.support.ts';
import { textOf } from './texts.ts';
import { expertHistory, withThoughts, type ActedStep } from './thoughts.ts';

const task = { id: 'fetch/a', type: null };

const thinking = (environment: Environment): Environment => ({
  tasks: environment.tasks,
  begin: async (task, seed) => withThoughts(await environment.begin(task, seed)),
});

describe('withThoughts', () => {
  it('answers a thought with OK., leaves the environment unchanged and passes commands on', async () => {
    const environment = fetching(['fetch/a']);
    const episode = await thinking(environment).begin(task, '');
    const first = await episode.step('think: where is a?');
    expect(first).toMatchObject({ observation: { text: 'OK.' }, terminated: false, reward: 0 });
    expect(first.observation.admissible).toEqual(episode.first.admissible);
    const arrived = await episode.step('go a');
    const here = await episode.step('think: here');
    expect(here).toEqual({ ...arrived, observation: { ...arrived.observation, text: 'OK.' } });
    expect((await episode.step('take a')).info.won).toBe(true);
    expect(environment.played).toEqual([{ taskId: 'fetch/a', commands: ['go a', 'take a'] }]);
  });

  it('lets a thought cost a step: a policy that only thinks runs out of steps', async () => {
    const environment = fetching(['fetch/a']);
    const { texts, sampling } = setup();
    const steps: string[] = [];
    const [played] = await playAlone({
      policy: answering(() => 'think: hm').policy,
      environment: thinking(environment),
      texts,
      sampling,
      maxSteps: 3,
      admissibleOnly: false,
      parallel: 1,
      random: Random.fromSeed(0),
      report: (event) => void (event.kind === 'step' && steps.push(event.step.result.observation.text)),
    });
    expect([steps, played!.won]).toEqual([['OK.', 'OK.', 'OK.'], false]);
    expect(environment.played).toEqual([]);
  });

  it('makes thoughts labels, each followed by its answer', async () => {
    const sure = fetchExpert();
    const thoughtful: Expert = {
      label: async (request) => {
        const isNew = request.history.turns.length === 0;
        return isNew ? { kind: 'action', command: 'think: I go there' } : sure.label(request);
      },
    };
    const parts = setup({ environment: thinking(fetching()), expert: thoughtful, asksPolicy: false });
    const [trajectory] = await rollout(parts, attemptsAt(['fetch/a'], { expertShare: 1 }));
    const { steps } = trajectory!;
    expect(steps.map(({ label }) => labelled(label))).toEqual(['think: I go there', 'go a', 'take a']);
    expect(textOf(steps[1]!.prompt!)).toBe('want-a OK.');
  });
});

const acted = (action: string, text: string, label: ActedStep['label'] = null): ActedStep => {
  return { action, label, result: { observation: { text } } };
};
const wanted = (command: string, thoughts?: readonly string[]) =>
  ({ kind: 'action', command, ...(thoughts && { thoughts }) }) as const;

describe('the expert’s history', () => {
  it('holds each thought at its place, before the next action', () => {
    const steps = [
      acted('go b', 'at-b', wanted('go a', ['to a first', 'or b'])),
      acted('take b', 'nothing', wanted('go a')),
    ];
    expect(expertHistory('want-a', steps)).toEqual({
      initial: 'want-a',
      turns: [
        { command: 'think: to a first', observation: 'OK.' },
        { command: 'think: or b', observation: 'OK.' },
        { command: 'go b', observation: 'at-b' },
        { command: 'take b', observation: 'nothing' },
      ],
    });
  });

  it('holds a thought once if it was a label, whether or not the policy said it', () => {
    const label = wanted('think: to a first');
    const steps = [
      acted('go b', 'at-b', label),
      acted(label.command, 'OK.', label),
      acted('look', 'nothing', wanted('go a')),
    ];
    expect(expertHistory('want-a', steps).turns.map(({ command }) => command)).toEqual([
      label.command,
      'go b',
      label.command,
      'look',
    ]);
  });

  it('keeps an expert from repeating one thought until the policy says it', async () => {
    const sure = fetchExpert();
    const thought = 'think: it is at a';
    const thoughtful: Expert = {
      label: (request) =>
        request.history.turns.some(({ command }) => command === thought)
          ? sure.label(request)
          : Promise.resolve({ kind: 'action', command: thought }),
    };
    const parts = setup({ expert: thoughtful, policy: answering(() => 'go b').policy, maxSteps: 3 });
    const [trajectory] = await rollout(parts, attemptsAt(['fetch/a']));
    expect(trajectory!.steps.map(({ label }) => labelled(label))).toEqual([thought, 'go a', 'go a']);
  });

  it('is given to the expert only, not to the policy', async () => {
    const requests: LabelRequest[] = [];
    const expert: Expert = {
      label: async (request) => {
        requests.push(request);
        return { kind: 'action', command: 'go a', thoughts: [`thought ${requests.length}`] };
      },
    };
    const parts = setup({ expert, maxSteps: 2, asksPolicy: false });
    const [trajectory] = await rollout(
      parts,
      attemptsAt(['fetch/a'], { expertShare: 1, memories: ['try a'] }),
    );
    expect(requests[1]!.history.turns.map(({ command }) => command)).toEqual(['think: thought 1', 'go a']);
    expect(requests[0]!.memories).toEqual(['try a']);
    expect(textOf(trajectory!.steps[1]!.prompt!)).toBe('want-a at-a');
  });

  it('is the same for an episode resumed after an interruption', async () => {
    const played = async (made: MadeStep[]) => {
      const requests: LabelRequest[] = [];
      const expert: Expert = {
        label: async (request) => {
          requests.push(request);
          const { length } = request.history.turns;
          return { kind: 'action', command: 'go a', thoughts: [`thought after ${length}`] };
        },
      };
      const parts = setup({ expert, policy: answering(() => 'go b').policy, maxSteps: 3 });
      const [trajectory] = await rollout(parts, attemptsAt(['fetch/a'], { made }));
      return { requests, trajectory, made };
    };
    const whole = await played([]);
    const rest = await played(structuredClone(whole.made.slice(0, 2)));
    expect(rest.requests).toEqual(whole.requests.slice(2));
    expect(rest.requests[0]!.history.turns.map(({ command }) => command)).toContain('think: thought after 0');
    expect([rest.trajectory, rest.made]).toEqual([whole.trajectory, whole.made]);
  });

  it('comes with lessons; the policy reads them too if asked', async () => {
    const parts = setup({ policyMemory: true, maxSteps: 1 });
    const [trajectory] = await rollout(parts, attemptsAt(['fetch/a'], { memories: ['try a'] }));
    expect(textOf(trajectory!.steps[0]!.prompt!)).toBe('try a want-a');
  });
});
