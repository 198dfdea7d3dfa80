import { Random, type Expert, type LabelRequest } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent } from './bag-of-words.test.fixture.ts';
import { evaluate } from './evaluate.ts';
import { playEpisode } from './play-episode.ts';
import { presetSettings } from './presets.ts';
import { collectProbe } from './probe.ts';
import { fetchExpert, gameIds, smallWorld, texts } from './small-world.test.fixture.ts';
import { expertHistory, withThoughts } from './thoughts.ts';
import type { Running } from './training-run.ts';
import { initialState, type StoredStep } from './training-state.ts';

describe('withThoughts', () => {
  it('answers a thought with OK., leaves the world as it was and passes commands on', async () => {
    const world = smallWorld(['fetch/a']);
    const episode = (await withThoughts(world.pass()).next())!;
    const first = await episode.step('think: where is a?');
    expect(first).toMatchObject({ observation: 'OK.', done: false, won: false });
    expect(first.admissible).toEqual(episode.admissible);
    const arrived = await episode.step('go a');
    expect(await episode.step('think: here')).toEqual({ ...arrived, observation: 'OK.' });
    expect((await episode.step('take a')).won).toBe(true);
    expect(world.played).toEqual([{ gameId: 'fetch/a', commands: ['go a', 'take a'] }]);
    expect(await withThoughts(smallWorld([]).pass()).next()).toBeNull();
  });

  it('lets a thought cost a step: a student that only thinks runs out of them', async () => {
    const world = smallWorld(['fetch/a']);
    const student = bagOfWordsStudent(Random.fromSeed(0));
    const thinker = { features: student.features, act: () => Promise.resolve('think: hm') };
    const steps: string[] = [];
    const result = await evaluate({
      ...{ student: thinker, texts, maxSteps: 3, checkpoint: 'x', trainedOn: new Set<string>() },
      world: withThoughts(world.pass()),
      onStep: ({ observation }) => void steps.push(observation),
    });
    expect([steps, result.games[0]!.won, result.games[0]!.steps]).toEqual([['OK.', 'OK.', 'OK.'], false, 3]);
    expect(world.played).toEqual([]);
  });

  it('makes thoughts labels to train on, each followed by its answer', async () => {
    const sure = fetchExpert();
    const thinking: Expert = {
      label: async (request) => {
        const isNew = request.history.turns.length === 0;
        return isNew ? { kind: 'action', command: 'think: I go there' } : sure.label(request);
      },
    };
    const steps = await collectProbe({
      ...{ student: bagOfWordsStudent(Random.fromSeed(0)), texts, maxSteps: 5, withRejected: false },
      ...{ world: withThoughts(smallWorld(gameIds).pass()), expert: thinking, random: Random.fromSeed(1) },
    });
    expect(steps.slice(0, 3).map(({ label }) => label)).toEqual(['think: I go there', 'go a', 'take a']);
    expect(steps[1]!.text).toBe('want-a OK.');
  });
});

describe('the expert’s history', () => {
  it('holds its thoughts where it had them, before what was done then', () => {
    const steps = [
      { command: 'go b', observation: 'at-b', thoughts: ['to a first', 'or b'] },
      { command: 'take b', observation: 'nothing' },
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

  it('holds a thought that was a label once, whether the student said it or not', () => {
    const label = 'think: to a first';
    const steps = [
      { label, command: 'go b', observation: 'at-b' },
      { label, command: label, observation: 'OK.' },
      { label: 'go a', command: 'look', observation: 'nothing' },
    ];
    expect(expertHistory('want-a', steps).turns.map(({ command }) => command)).toEqual([
      ...[label, 'go b'],
      ...[label, 'look'],
    ]);
  });

  it('keeps an expert from teaching one thought until it is said', async () => {
    const sure = fetchExpert();
    const thought = 'think: it is at a';
    const thinking: Expert = {
      label: (request) =>
        request.history.turns.some(({ command }) => command === thought)
          ? sure.label(request)
          : Promise.resolve({ kind: 'action', command: thought }),
    };
    const student = { ...bagOfWordsStudent(Random.fromSeed(0)), act: () => Promise.resolve('go b') };
    const settings = { ...presetSettings('tiny', 'bc'), maxSteps: 3, stopRepeating: false };
    const state = initialState('bc', '');
    state.current = { steps: [], updatesLeft: null };
    const run = { state, settings, student, expert: thinking, texts } as unknown as Running;
    const { steps } = await playEpisode(run, (await smallWorld(['fetch/a']).pass().next())!, 0);
    expect(steps.map(({ label }) => label)).toEqual([thought, 'go a', 'go a']);
  });

  it('is what it is asked with; the student reads none of it', async () => {
    const requests: LabelRequest[] = [];
    const expert: Expert = {
      label: async (request) => {
        requests.push(request);
        return { kind: 'action', command: 'go a', thoughts: [`thought ${requests.length}`] };
      },
    };
    const steps = await collectProbe({
      ...{ student: bagOfWordsStudent(Random.fromSeed(0)), texts, maxSteps: 2, withRejected: false },
      ...{ world: smallWorld(['fetch/a']).pass(), expert, random: Random.fromSeed(1) },
    });
    expect(requests[1]!.history.turns.map(({ command }) => command)).toEqual(['think: thought 1', 'go a']);
    expect(steps[1]!.text).toBe('want-a at-a');
  });

  it('is the same for an episode that goes on after an interruption', async () => {
    const settings = { ...presetSettings('tiny', 'bc'), maxSteps: 3, stopRepeating: false };
    const played = async (before: readonly StoredStep[]) => {
      const requests: LabelRequest[] = [];
      const expert: Expert = {
        label: async (request) => {
          requests.push(request);
          const { length } = request.history.turns;
          return { kind: 'action', command: 'go a', thoughts: [`thought after ${length}`] };
        },
      };
      const state = initialState('bc', '');
      state.current = { steps: [...before], updatesLeft: null };
      const student = bagOfWordsStudent(Random.fromSeed(0));
      const run = { state, settings, student, expert, texts } as unknown as Running;
      await playEpisode(run, (await smallWorld(['fetch/a']).pass().next())!, 0);
      return { requests, steps: state.current.steps };
    };
    const whole = await played([]);
    const rest = await played(structuredClone(whole.steps.slice(0, 2)));
    expect(rest.requests).toEqual(whole.requests.slice(2));
    expect(rest.requests[0]!.history.turns.map(({ command }) => command)).toContain('think: thought after 0');
    expect(rest.steps).toEqual(whole.steps);
  });
});
