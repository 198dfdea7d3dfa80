/**
 * Training or collecting that asks a person for labels through a page: a `Person` for `--expert human`, a listener that hears how it goes, and the place
 * that answers the page. Several episodes may wait for labels at once; the page is asked about one after another.
 */
import type { Observation } from '@emac/core';
import type { Listener, Person, ShownStep } from '@emac/opening';
import type {
  LabelQuestion,
  TaughtPart,
  TaughtWork,
  TeachAnswer,
  TeachOrder,
  TeachPlace,
  TeachView,
} from '@emac/pages/data';
import { shownPictures } from './shown-pictures.ts';

export interface Teaching {
  readonly person: Person;
  readonly listener: Listener;
  readonly place: TeachPlace;
  /** Nothing more is asked. */
  end(): void;
}

interface Tally {
  readonly won: number;
  readonly episodes: number;
}

interface Waiting {
  readonly question: LabelQuestion;
  readonly shown: ShownStep;
  readonly answer: (command: string) => void;
}

export function openTeaching(work: TaughtWork = 'training'): Teaching {
  const pictures = shownPictures();
  const waiting: Waiting[] = [];
  const parts = new Map<string, Tally>();
  let [version, next, given, corrected] = [0, 0, 0, 0];
  let [doing, evaluating, isOver] = ['opens', '', false];
  let changed: (() => void)[] = [];
  const change = (): void => {
    version++;
    const heard = changed;
    changed = [];
    for (const each of heard) each();
  };

  const count = (name: string, won: boolean): void => {
    const tally = parts.get(name) ?? { won: 0, episodes: 0 };
    parts.set(name, { won: tally.won + Number(won), episodes: tally.episodes + 1 });
    change();
  };

  const view = (): TeachView => {
    const [first, ...others] = waiting;
    const { picture = null } = first?.question ?? {};
    return {
      work,
      version,
      question: first?.question ?? null,
      waiting: others.length,
      given,
      corrected,
      parts: [...parts].map(([name, { won, episodes }]): TaughtPart => {
        return { name, success: won / episodes, episodes };
      }),
      doing,
      isOver,
      pictures: picture === null ? {} : { [picture]: pictures.url(picture) },
    };
  };

  const answer = async (order: TeachOrder): Promise<TeachAnswer> => {
    if (order.kind === 'show') {
      if (order.unlike === version) await new Promise<void>((resolve) => changed.push(resolve));
      return { view: view() };
    }
    const place = waiting.findIndex(({ question }) => question.id === order.id);
    if (place < 0) return { fault: 'label: this state has its label already' };
    const { question, shown, answer: say } = waiting[place]!;
    const command = order.command.trim();
    const { admissible } = shown;
    if (command === '' || (admissible !== null && !admissible.includes(command)))
      return { fault: `label: must be one of the listed commands, got "${command}"` };
    waiting.splice(place, 1);
    given++;
    if (question.choice !== null && question.choice !== command) corrected++;
    say(command);
    change();
    return { view: view() };
  };

  const person: Person = {
    async ask(shown) {
      const { task, text, frames, admissible, history, choice } = shown;
      const observation: Observation = { text, frames, admissible };
      const question: LabelQuestion = {
        id: next++,
        task,
        initial: history?.initial ?? text,
        turns: history?.turns ?? [],
        text,
        picture: await pictures.named(observation),
        commands: (admissible ?? []).map((command) => ({ command, now: null, before: null })),
        choice: (await choice) ?? null,
        choiceBefore: null,
        expert: null,
        prompt: null,
        answer: null,
      };
      return new Promise((resolve) => {
        // at the end: what a person looks at stays
        waiting.push({ question, shown, answer: resolve });
        change();
      });
    },
    tell: () => {},
  };

  const listener: Listener = {
    begin(part, total, { done = 0, noun = 'game' } = {}) {
      doing = `${part}, ${total - done} ${noun}${total - done === 1 ? '' : 's'}`;
      evaluating = part;
      change();
    },
    game: ({ won }) => count(evaluating, won),
    training(event) {
      if (event.kind === 'episode-end') count(`round ${event.round + 1}`, event.won);
    },
  };
  return {
    person,
    listener,
    place: answer,
    end() {
      [doing, isOver] = ['done', true];
      change();
    },
  };
}
