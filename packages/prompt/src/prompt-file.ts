/**
 * User-supplied few-shot episodes in the form of ReAct's `alfworld_3prompts.json`: an object with keys
 * `react_{task}_{number}` (with thoughts) and `act_{task}_{number}` (without), each with one episode as text.
 */
import { EmacError } from '@emac/core';
import type { ExampleType } from './examples.ts';

export interface PromptFile {
  /** the episodes for a task type in order of their numbers; those of `put` for an unknown type */
  examples(taskType: string | null, kind?: 'react' | 'act'): readonly string[];
}

const names: Readonly<Record<ExampleType, string>> = {
  pick_and_place_simple: 'put',
  pick_clean_then_place_in_recep: 'clean',
  pick_heat_then_place_in_recep: 'heat',
  pick_cool_then_place_in_recep: 'cool',
  pick_two_obj_and_place: 'puttwo',
  look_at_obj_in_light: 'examine',
};

/** Reads the file's text; `place` names it in errors. Throws `data` if a task type has no `react` episode. */
export function readPromptFile(text: string, place: string): PromptFile {
  const episodes = entriesOf(text, place);
  for (const name of Object.values(names))
    if (numbered(episodes, `react_${name}`).length === 0)
      throw damaged(place, `has no react_${name}_0; every task type needs an episode`);
  return {
    examples: (taskType, kind = 'react') => numbered(episodes, `${kind}_${nameOf(taskType)}`),
  };
}

function nameOf(taskType: string | null): string {
  return taskType !== null && Object.hasOwn(names, taskType) ? names[taskType as ExampleType] : 'put';
}

function entriesOf(text: string, place: string): ReadonlyMap<string, string> {
  const content = parsed(text.replace(/^\ufeff/, ''), place);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw damaged(place, 'must be an object of episodes by name');
  const entries = Object.entries(content).map(([name, episode]: [string, unknown]): [string, string] => {
    if (typeof episode !== 'string' || !/^> ./m.test(episode))
      throw damaged(place, `${name} is not an episode: it has no line that begins with "> "`);
    return [name, episode.endsWith('\n') ? episode : `${episode}\n`];
  });
  return new Map(entries);
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(place, `is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** `name_0`, `name_1` … in order of their numbers. */
function numbered(episodes: ReadonlyMap<string, string>, name: string): readonly string[] {
  return [...episodes]
    .flatMap(([key, episode]) => {
      const number = key.startsWith(`${name}_`) ? key.slice(name.length + 1) : '';
      return /^\d+$/.test(number) ? [{ number: Number(number), episode }] : [];
    })
    .sort((left, right) => left.number - right.number)
    .map(({ episode }) => episode);
}

function damaged(place: string, rule: string): EmacError {
  return new EmacError('data', `${place}: ${rule}; give a file such as ReAct's alfworld_3prompts.json`);
}
