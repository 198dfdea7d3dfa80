/** The trainer, which computes in a thread of its own, as the page uses it. */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { GameAnswer, GamePlace, TeachAnswer, TeachPlace } from '@emac/pages/data';
import type { FromTrainer, PageOrder, ToTrainer } from '../tab/messages.ts';
import { downloadRun } from './archives.ts';
import { heard, unopened, type TrainerState } from './trainer-state.ts';

export type Tell = (message: ToTrainer) => void;

/** What answers the pages of the tab. */
export interface Places {
  readonly game: GamePlace;
  readonly training: TeachPlace;
}

/** What is known now, how to ask for more, and what answers. */
export function useTrainer(): readonly [TrainerState, Tell, Places] {
  const [state, hear] = useReducer(heard, unopened);
  const trainer = useRef<Worker | null>(null);
  const ordered = useRef(new Map<number, (answer: GameAnswer | TeachAnswer) => void>());
  const send = <Answer extends GameAnswer | TeachAnswer>(order: PageOrder): Promise<Answer> =>
    new Promise((resolve) => {
      const number = ordered.current.size;
      ordered.current.set(number, (answer) => resolve(answer as Answer));
      trainer.current!.postMessage({ kind: 'order', number, ...order } satisfies ToTrainer);
    });
  const places = useRef<Places>({
    game: (order) => send({ to: 'game', order }),
    training: (order) => send({ to: 'training', order }),
  });
  useEffect(() => {
    const worker = new Worker('trainer.js', { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromTrainer>) => {
      if (data.kind === 'files') downloadRun(data.folder, data.files);
      if (data.kind === 'answer') ordered.current.get(data.number)!(data.answer);
      hear(data);
    });
    worker.addEventListener('error', ({ message }) =>
      hear({ kind: 'absent', message: message || 'the trainer does not start here' }),
    );
    trainer.current = worker;
    return () => worker.terminate();
  }, []);
  const tell: Tell = (message) => {
    if (message.kind === 'check-gpu') hear({ kind: 'checking' });
    if (['train', 'resume', 'learn-given'].includes(message.kind)) hear({ kind: 'asked' });
    trainer.current!.postMessage(message);
  };
  return [state, tell, places.current];
}
