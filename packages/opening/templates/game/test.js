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

test('a way from room 1 to room 4 has three moves', () => {
  assert.deepEqual(played('from 1 to 4'), { reward: 1, steps: 4 });
});

test('an unknown action changes nothing', () => {
  const episode = environment.begin('from 1 to 4', '0');
  assert.deepEqual(episode.step('dance'), { observation: episode.observation, reward: 0, done: false });
});
