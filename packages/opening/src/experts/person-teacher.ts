/**
 * A person who labels, on the terminal or in a browser. What was said at a state is on disk before it is used, and is not asked again: not in a later
 * round, and not after a kill.
 */
import { dirname, join } from 'node:path';
import {
  EmacError,
  framesForPeople,
  type Label,
  type LabelRequest,
  type OpenedKind,
  type ShownState,
} from '@emac/core';
import { canonicalJson, isThere, openJournal, readJournal, sha256, type Journal } from '@emac/files';
import { scriptedReflection } from '@emac/reflexion';
import { layout } from '@emac/runs';
import { z } from 'zod';
import type { Host } from '../host.ts';
import { saidBy } from '../players/person.ts';
import { noReplies } from './reply-use.ts';
import type { Teacher } from './teacher.ts';

/** Errors: `usage` without a person. */
export function personTeacher(
  { person, signal, trial }: Pick<Host, 'person' | 'signal' | 'trial'>,
  { isReAct }: Pick<OpenedKind, 'isReAct'>,
): Teacher {
  if (!person && !trial)
    throw new EmacError(
      'usage',
      '--expert human: needs somebody who labels, and there is nobody; add --page to label in a browser',
    );
  const known = new Map<string, Promise<string>>();
  let journal: Journal | null = null;
  const ask = async (state: string, request: LabelRequest, shown: ShownState): Promise<string> => {
    const { task, history, admissible } = request;
    const { text } = shown.observation;
    const frames = framesForPeople(shown.observation);
    const isFirst = history.turns.length === 0;
    const question = { task: task.id, isFirst, text, frames, admissible, history, choice: shown.choice };
    const command = await unlessStopped(saidBy(person!, question), signal);
    if (command === null) throw stopped();
    journal?.append({ v: 1, state, task: task.id, command });
    journal?.sync();
    return command;
  };
  return {
    expert: {
      async label(request, shown): Promise<Label> {
        const state = stateOf(request);
        const saying = known.get(state) ?? ask(state, request, shown ?? unseen(request));
        known.set(state, saying);
        return { kind: 'action', command: await saying };
      },
    },
    reflect: async ({ history, expertCommands }) =>
      isReAct ? scriptedReflection({ history, expertCommands }) : null,
    // no money, but nobody labels in a trial
    isPaid: true,
    promptTokens: null,
    notes: [],
    listen: () => {},
    keepReplies(path) {
      const place = join(dirname(path), layout.labels);
      const lines = isThere(place) ? readLabels(place) : [];
      for (const { state, command } of lines) known.set(state, Promise.resolve(command));
      journal = openJournal(place);
    },
    made: () => {},
    position: () => noReplies,
    dispose: () => journal?.close(),
  };
}

/** Equal states have equal labels, whoever attempts them. */
function stateOf({ task, history, memories }: LabelRequest): string {
  return sha256(new TextEncoder().encode(canonicalJson({ task: task.id, history, memories })));
}

/** What there is to see where nothing is shown. */
function unseen({ history: { initial, turns }, admissible }: LabelRequest): ShownState {
  const text = turns.at(-1)?.observation ?? initial;
  return { observation: { text, frames: [], admissible }, choice: Promise.resolve(null) };
}

function stopped(): EmacError {
  return new EmacError('interrupted', '--expert human: nothing more was said; what was said is kept');
}

/** A person may take any time, so a signal ends the wait. Errors: `interrupted`. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(stopped());
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

const lineForm = z.object({ v: z.literal(1), state: z.string(), task: z.string(), command: z.string() });

/** Errors: `data` naming an invalid line. */
function readLabels(path: string): readonly z.infer<typeof lineForm>[] {
  return readJournal(path).map((line, index) => {
    const { data } = lineForm.safeParse(line);
    if (!data) throw new EmacError('data', `${path}, line ${index + 1}: is not a label that a person gave`);
    return data;
  });
}
