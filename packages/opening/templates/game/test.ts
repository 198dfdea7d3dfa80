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

test('the way to drawer 2 has one move before the keychain is taken', () => {
  assert.deepEqual(played('drawer 2'), { reward: 1, steps: 2 });
});

test('an unknown action changes nothing', () => {
  const episode = environment.begin('drawer 2');
  episode.step('go to drawer 2');
  assert.deepEqual(episode.step('dance'), { observation: 'Nothing happens.', reward: 0, done: false });
  assert.equal(episode.step('take keychain 1 from drawer 2').reward, 1);
});
