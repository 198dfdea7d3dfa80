/** A person who types the action of every step. */
import { EmacError } from '@emac/core';
import type { EnvironmentPlayer, PlayedMoment } from './environment-player.ts';
import type { Person } from './person.ts';

/** Errors: `usage` without a person; while playing `interrupted` once nothing more is typed. */
export function personPlayer(person: Person | undefined): EnvironmentPlayer {
  if (!person)
    throw new EmacError(
      'usage',
      '--policy human: needs somebody who types actions, and there is nobody; give another policy',
    );
  return {
    content: 'human',
    // one person, one episode
    atOnce: 1,
    notes: [],
    act: async (moment) => ({ action: await typedBy(person, moment), isFallback: false }),
    service: null,
    dispose: async () => {},
  };
}

async function typedBy(person: Person, { task, history, observation }: PlayedMoment): Promise<string> {
  const { text, frames, admissible } = observation;
  const isFirst = history.turns.length === 0;
  for (;;) {
    const typed = await person.ask({ task: task.id, isFirst, text, frames, admissible });
    if (typed === null)
      throw new EmacError(
        'interrupted',
        `--policy human: nothing more was typed in ${task.id}; the same command with --out plays on from the finished episodes`,
      );
    const action = typed.trim();
    if (action !== '' && (admissible?.includes(action) ?? true)) return action;
    person.tell(`"${action}" is none of the actions: ${(admissible ?? []).join(', ')}`);
  }
}
