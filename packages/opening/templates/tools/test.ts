import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InlineObservation, Turn } from './emac.js';
import environment from './index.js';

const { training, heldOut } = environment.tasks;

/** The words of an observation, which may also have pictures and numbers. */
function words(observation: InlineObservation) {
  return typeof observation === 'string' ? observation : observation.text;
}

/** Plays a task with the scripted player. */
function played(task: string) {
  const episode = environment.begin(task);
  const turns: Turn[] = [];
  while (turns.length < environment.maxSteps) {
    const command = environment.expert(task, { initial: words(episode.observation), turns });
    const { observation, reward, done } = episode.step(command);
    turns.push({ command, observation: words(observation) });
    if (done) return { reward, steps: turns.length };
  }
  return { reward: 0, steps: turns.length };
}

test('the scripted player wins every task', () => {
  for (const task of [...training, ...heldOut]) assert.equal(played(task).reward, 1, task);
});

test('no task is both trained and held out', () => {
  assert.deepEqual(
    training.filter((task) => heldOut.includes(task)),
    [],
  );
});

test('a mug needs two calls', () => {
  assert.deepEqual(played('mug 1 on shelf 2'), { reward: 1, steps: 2 });
});

test('a mug on the wrong shelf is lost', () => {
  const lost = { observation: 'The mug 1 is lost.', reward: 0, done: true };
  assert.deepEqual(environment.begin('mug 1 on shelf 2').step('put mug 1 in/on shelf 3'), lost);
});

test('a call that no tool understands changes nothing', () => {
  const episode = environment.begin('mug 1 on shelf 2');
  for (const call of ['', 'put', 'put mug 1 in/on shelf 9', 'examine pen 1', 'dance'])
    assert.deepEqual(episode.step(call), {
      observation: 'No tool understands this.',
      reward: 0,
      done: false,
    });
});
