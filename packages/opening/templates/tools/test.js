import assert from 'node:assert/strict';
import { test } from 'node:test';
import environment from './index.js';

const { training, heldOut } = environment.tasks;

/** Plays a task with the scripted player. */
function played(task) {
  const episode = environment.begin(task, '0');
  const history = { initial: episode.observation, turns: [] };
  while (history.turns.length < environment.maxSteps) {
    const command = environment.expert(task, history);
    const { observation, reward, done } = episode.step(command);
    history.turns.push({ command, observation });
    if (done) return { reward, steps: history.turns.length };
  }
  return { reward: 0, steps: history.turns.length };
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

test('a parcel needs two calls', () => {
  assert.deepEqual(played('ana 2'), { reward: 1, steps: 2 });
});

test('a parcel to the wrong street is lost', () => {
  const lost = { observation: 'The parcel is lost.', reward: 0, done: true };
  assert.deepEqual(environment.begin('ana 2', '0').step('send 3'), lost);
});

test('a call that no tool understands changes nothing', () => {
  const episode = environment.begin('ana 2', '0');
  for (const call of ['', 'send', 'send 9', 'find zoe', 'dance'])
    assert.deepEqual(episode.step(call), { observation: 'Nothing found.', reward: 0, done: false });
});
