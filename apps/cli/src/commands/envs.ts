/** `emac envs`: environment ids for runs, evaluations and collections, by kind. */
import type { EnvironmentKind } from '@emac/core';
import { kinds } from '@emac/opening';
import { toggle } from '../options/option.ts';
import { say } from '../terminal/io.ts';
import { command } from './command.ts';

export const envsCommand = command({
  options: { json: toggle('print the list as JSON on standard output') },
  run: ({ json }, _words, { stdout }) => {
    const listed = kinds.map(listedKind);
    say(stdout, json ? JSON.stringify({ kinds: listed }) : [...listed.map(textOf), ownText].join('\n\n'));
    return Promise.resolve(0);
  },
});

const ownText = 'a custom file: --env ./mine.mjs, with a default export of tasks and begin(taskId, seed)';

type Listed = ReturnType<typeof listedKind>;

function listedKind({ name, about, policy, ids, local, isElsewhere = false }: EnvironmentKind) {
  return {
    kind: name,
    about,
    /** policy trained without --policy */
    policy: policy ?? null,
    runs: isElsewhere ? 'at a client' : 'here',
    environments: ids.map((id) => ({ id, ...(local && factsOf(local(id))) })),
  };
}

/** `steps`: the environment's own step limit. For a robot that of the hand with words; `robot_steps` has that of seven numbers. */
function factsOf({
  actions,
  offered,
  maxSteps,
  tasks,
  moved,
}: ReturnType<NonNullable<EnvironmentKind['local']>>) {
  return {
    actions: offered.map((action) => actions[action]!),
    steps: maxSteps,
    ...(moved && { robot_steps: moved.maxSteps }),
    /** null: one for every seed */
    training_tasks: tasks.training.count,
    held_out_tasks: tasks.heldOut.count,
  };
}

function textOf({ kind, about, environments }: Listed): string {
  const [width, digits] = [Math.max(...environments.map(({ id }) => id.length)), 4];
  const lines = environments.map(({ id, ...facts }) => {
    if (!('actions' in facts)) return `  ${id}`;
    const { actions, steps, robot_steps: robotSteps } = facts;
    const limit = `${String(steps).padStart(digits)} steps`;
    const numbers = robotSteps === undefined ? '' : ` (${robotSteps} by seven numbers)`;
    return `  ${id.padEnd(width)}  ${limit}${numbers}: ${actions.join(', ')}`;
  });
  return [`${kind}: ${about}`, ...lines].join('\n');
}
