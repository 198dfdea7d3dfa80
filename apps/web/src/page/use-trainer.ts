/** The trainer, which computes in a thread of its own, as the page uses it. */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { FromTrainer, ToTrainer } from '../tab/messages.ts';
import { downloadRun } from './archives.ts';
import { heard, unopened, type TrainerState } from './trainer-state.ts';

export type Tell = (message: ToTrainer) => void;

/** What is known now, and how to ask for more. */
export function useTrainer(): readonly [TrainerState, Tell] {
  const [state, hear] = useReducer(heard, unopened);
  const trainer = useRef<Worker | null>(null);
  const asked = useRef('');
  useEffect(() => {
    const worker = new Worker('trainer.js', { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromTrainer>) => {
      if (data.kind === 'files') downloadRun(asked.current, data.files);
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
  return [state, tell];
}
