/** What a thread with sessions does. */
import type { Feeds, KeptValue, StoredValue, Value } from './session-value.ts';

export interface WantedOutputs {
  readonly outputs: readonly string[];
  /** outputs returned as handles */
  readonly keep: readonly string[];
}

/** A graph in ONNX bytes. */
export interface Model {
  readonly bytes: Uint8Array;
  /** the files that hold its weights; default none */
  readonly weights?: readonly string[];
}

/** Several sessions, each with a number, and their kept values. Errors: ONNX Runtime's own. */
export interface SessionThread {
  create(session: number, model: Model, options: object): Promise<void>;
  run(session: number, feeds: Feeds, wanted: WantedOutputs): Promise<Record<string, Value | KeptValue>>;
  /** reads a value from its file while runs continue; bfloat16 becomes float32 */
  load(stored: StoredValue): Promise<KeptValue>;
  forget(kept: readonly number[]): Promise<void>;
  /** ends a session after its earlier runs */
  release(session: number): Promise<void>;
  /** declares that the caller no longer needs the thread */
  leave(): Promise<void>;
}

export type RunningThread = Omit<SessionThread, 'leave'>;
