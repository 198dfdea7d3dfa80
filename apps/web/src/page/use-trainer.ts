/** The trainer, which computes in a thread of its own, as the page uses it. */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { GameAnswer, GamePlace } from '@emac/pages/data';
import type { FromTrainer, ToTrainer } from '../tab/messages.ts';
import { downloadRun } from './archives.ts';
import { heard, unopened, type TrainerState } from './trainer-state.ts';

export type Tell = (message: ToTrainer) => void;

/** What is known now, how to ask for more, and the game that is open. */
export function useTrainer(): readonly [TrainerState, Tell, GamePlace] {
  const [state, hear] = useReducer(heard, unopened);
  const trainer = useRef<Worker | null>(null);
  const asked = useRef('');
  const ordered = useRef(new Map<number, (answer: GameAnswer) => void>());
  const place = useRef<GamePlace>(
    (order) =>
      new Promise((resolve) => {
        const number = ordered.current.size;
        ordered.current.set(number, resolve);
        trainer.current!.postMessage({ kind: 'order', number, order } satisfies ToTrainer);
      }),
  );
  useEffect(() => {
    const worker = new Worker('trainer.js', { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromTrainer>) => {
      if (data.kind === 'files') downloadRun(asked.current, data.files);
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
    if (message.kind === 'files') asked.current = message.folder;
    if (message.kind === 'train' || message.kind === 'resume') hear({ kind: 'asked' });
    trainer.current!.postMessage(message);
  };
  return [state, tell, place.current];
}
