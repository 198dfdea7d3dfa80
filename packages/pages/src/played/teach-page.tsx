/** A page that asks a person for labels: the state, the policy's choice, and the commands to click. */
import { useEffect, useState } from 'preact/hooks';
import type { GameView } from '../data/played.ts';
import type { LabelQuestion, TeachPlace, TeachView } from '../data/taught.ts';
import { Bar, Commands, inOrder, onceOf, percent } from './commands.tsx';
import { counted } from '../data/words.ts';
import { Scene } from './scene.tsx';

interface Shown {
  readonly view: TeachView | null;
  readonly fault: string | null;
}

/** Shows what is asked and how it goes, until it is over. */
export function TeachPage({ place }: { readonly place: TeachPlace }) {
  const [{ view, fault }, setShown] = useState<Shown>({ view: null, fault: null });
  const show = (answer: Awaited<ReturnType<TeachPlace>>): TeachView | null => {
    if ('fault' in answer) setShown((before) => ({ ...before, fault: answer.fault }));
    else
      setShown(({ view: before }) => {
        const isOlder = before !== null && before.version > answer.view.version;
        return isOlder ? { view: before, fault: null } : { view: answer.view, fault: null };
      });
    return 'view' in answer ? answer.view : null;
  };
  useEffect(() => {
    const open = { is: true };
    void follow(place, show, open);
    return () => void (open.is = false);
  }, [place]);
  const say = (id: number, command: string) =>
    void place({ kind: 'label', id, command }).then(show, () => {});
  return (
    <section class="game" aria-label="labels">
      <header class="game-head">
        <div>
          <h1>{view?.question ? goalOf(view.question) : titleOf(view)}</h1>
          {view && (
            <p class="soft" role="status">
              {view.isOver ? `The ${view.work} is over.` : view.doing}
              {` · you gave ${counted(view.given, 'label')}`}
              {view.work === 'training' && `, ${view.corrected} unlike the policy’s choice`}
              {view.waiting > 0 && ` · ${counted(view.waiting, 'state')} more`}
            </p>
          )}
        </div>
        {view && <Parts view={view} />}
      </header>
      {fault !== null && (
        <p class="game-fault" role="alert">
          {fault}
        </p>
      )}
      {view?.question && <Question key={view.question.id} view={view} question={view.question} onSay={say} />}
      {view && !view.question && !view.isOver && (
        <p>{`${view.work === 'training' ? 'The policy plays and learns; nobody' : 'Nobody'} waits for a label now.`}</p>
      )}
    </section>
  );
}

/** milliseconds until a program that could not be reached is asked again */
const patience = 1000;

/** Asks for the next view until the page is left or the work is over; while it cannot be reached the page says so. */
async function follow(
  place: TeachPlace,
  show: (answer: Awaited<ReturnType<TeachPlace>>) => TeachView | null,
  open: { readonly is: boolean },
): Promise<void> {
  let unlike: number | null = null;
  while (open.is) {
    try {
      const view = show(await place({ kind: 'show', unlike }));
      if (view?.isOver) return;
      if (view) {
        unlike = view.version;
        continue;
      }
    } catch {
      // the whole view, since the server may be another one
      unlike = null;
      show({
        fault: 'The page’s program cannot be reached: it has ended, or was stopped. What you said is kept.',
      });
    }
    await new Promise((done) => setTimeout(done, patience));
  }
}

interface QuestionProps {
  readonly view: TeachView;
  readonly question: LabelQuestion;
  readonly onSay: (id: number, command: string) => void;
}

function Question({ view, question, onSay }: QuestionProps) {
  const game = asGame(view, question);
  const say = (command: string) => onSay(question.id, command);
  const carry = (order: { readonly kind: string; readonly command?: string }) => {
    if (order.kind === 'act') say(order.command!);
  };
  useEffect(() => {
    const pressed = ({ key, target, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): void => {
      // a key that is held would answer every question
      if (repeat) return;
      const { tagName = '' } = (target ?? {}) as Partial<HTMLElement>;
      if (ctrlKey || metaKey || altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(tagName)) return;
      const command = /^[1-9]$/.test(key)
        ? inOrder(question.commands)[Number(key) - 1]?.command
        : question.choice;
      if (command != null && (/^[1-9]$/.test(key) || key === 'p')) say(command);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
  return (
    <div class="game-now" data-question={question.id} data-task={question.task}>
      <Scene view={game} carry={carry} />
      <div>
        <p>
          What is right here?{' '}
          {question.choice !== null && (
            <>
              The policy would <q>{question.choice}</q>.{' '}
              <button onClick={onceOf(() => say(question.choice!))} title="P">
                That is right
              </button>
            </>
          )}
        </p>
        <Commands view={game} carry={carry} canPair={false} />
        {question.turns.length > 0 && (
          <details class="game-ask">
            <summary>{counted(question.turns.length, 'step')} so far</summary>
            <p class="game-text">{question.initial}</p>
            {question.turns.map(({ command, observation }, step) => (
              <p key={step} class="game-text">
                <strong>{command}</strong> {observation}
              </p>
            ))}
          </details>
        )}
      </div>
    </div>
  );
}

function Parts({ view: { parts } }: { readonly view: TeachView }) {
  return (
    <table class="game-parts">
      <tbody>
        {parts.map(({ name, success, episodes }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Bar share={success} kind="now" />
            </td>
            <td class="number">
              {percent(success)} of {episodes}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function titleOf(view: TeachView | null): string {
  return view?.work === 'collection' ? 'Collection' : 'Training';
}

function goalOf({ initial, task }: LabelQuestion): string {
  const line = initial.trim().split('\n').at(-1)!;
  return line === '' || line.length > 160 ? task : line;
}

/** What the parts of a game's page need. */
function asGame({ pictures, given }: TeachView, question: LabelQuestion): GameView {
  return {
    environment: '',
    set: 'training',
    number: question.id,
    task: question.task,
    count: null,
    maxSteps: 0,
    policy: null,
    before: null,
    hasExpert: false,
    steps: [],
    now: question,
    score: 0,
    end: null,
    labels: given,
    pairs: 0,
    preferred: null,
    attempts: [],
    asked: null,
    covered: null,
    pictures,
  };
}
