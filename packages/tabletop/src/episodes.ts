/** Starts as tasks of an environment whose actions are seven numbers. */
import {
  invariant,
  type Environment,
  type Episode,
  type Observation,
  type Step,
  type Task,
} from '@emac/core';
import type { Action } from './motion.ts';
import { startsOf, suites, type Start, type Suite } from './starts.ts';
import { tabletop, type Tabletop, type TabletopOptions } from './tabletop.ts';

export interface EnvironmentOptions extends Omit<TabletopOptions, 'starts'> {
  /** the tasks; default all starts of the split */
  readonly starts?: readonly Start[];
  /** views in observations; default the agent's */
  readonly views?: readonly ('agent' | 'wrist')[];
}

/** A start's task: its id is `tabletop/<suite>/<task>/<state>`, its type `tabletop/<suite>/<task>`. */
export function taskOfStart(suite: Suite, { task, state }: Start): Task {
  return { id: `tabletop/${suite}/${task}/${state}`, type: `tabletop/${suite}/${task}` };
}

/**
 * A suite's starts as tasks. They are deterministic, so an attempt's seed changes nothing. Errors: `internal` for a
 * duplicate start.
 */
export function tabletopEnvironment(suite: Suite, options: EnvironmentOptions = {}): Environment<Action> {
  const { starts = startsOf(options.split ?? 'all'), views = ['agent'], ...settings } = options;
  const tasks = starts.map((start) => taskOfStart(suite, start));
  const ids = new Set(tasks.map(({ id }) => id));
  invariant(
    suites.includes(suite) && ids.size === tasks.length,
    `tabletop/${suite}: initial states must be different`,
  );
  return {
    tasks,
    begin: async (task) => {
      invariant(ids.has(task.id), `tabletop/${suite}: ${task.id} is not one of its tasks`);
      return begun(task, tabletop(task.id, settings), views);
    },
  };
}

function begun(task: Task, table: Tabletop, views: readonly ('agent' | 'wrist')[]): Episode<Action> {
  table.reset(0);
  const seen = (): Observation => ({
    text: table.text(),
    frames: views.map((view) => (view === 'agent' ? table.frame() : table.wristFrame())),
    arrays: table.observe(),
    admissible: null,
  });
  let last: Step | null = null;
  return {
    task,
    first: seen(),
    step: async (action) => {
      if (last?.terminated || last?.truncated) return last;
      return (last = { ...table.step(action), observation: seen() });
    },
    close: async () => {},
  };
}
