/** Traces of episodes that are played step by step, from what a watcher sees. */
import { quotedTurn, type Prompt } from '@emac/core';
import type { StepAction } from '@emac/opening';
import { traceStep, type EpisodeWatcher, type FileOfPicture, type TraceStep } from '@emac/rollout';

export interface TracedPlay {
  readonly watch: EpisodeWatcher<StepAction>;
  /** The steps of an episode that has ended, once. */
  taken(episode: number): readonly TraceStep[];
}

interface UnderWay {
  readonly steps: TraceStep[];
  /** what a player without prompts has before it */
  seen: string;
}

export function tracedPlay(fileOf: FileOfPicture): TracedPlay {
  const underWay = new Map<number, UnderWay>();
  return {
    watch: {
      begun: (episode, environment) => void underWay.set(episode, { steps: [], seen: wordsIn(environment) }),
      stepped(episode, { environment, action, said, answer, outcome: { reward } }) {
        const playing = underWay.get(episode)!;
        const words = typeof action === 'number' ? (environment.actions[action] ?? answer) : action;
        const prompt: Prompt = said?.prompt ?? [{ kind: 'text', text: playing.seen }];
        const step = { prompt, answer: said?.answer ?? null, action: words, reward };
        playing.steps.push(traceStep(step, fileOf));
        playing.seen = `\n> ${String(words)}\n${quotedTurn(wordsIn(environment))}`;
      },
      ended: () => {},
    },
    taken(episode) {
      const { steps } = underWay.get(episode)!;
      underWay.delete(episode);
      return steps;
    },
  };
}

type Watched = Parameters<EpisodeWatcher<StepAction>['begun']>[1];

function wordsIn(environment: Watched): string {
  return environment.moment?.().observation.text ?? environment.text();
}

/** Both watch, one after the other. */
export function bothWatch(
  one: EpisodeWatcher<StepAction> | undefined,
  other: EpisodeWatcher<StepAction> | undefined,
): EpisodeWatcher<StepAction> | undefined {
  if (!one || !other) return one ?? other;
  return {
    begun(...told) {
      one.begun(...told);
      other.begun(...told);
    },
    stepped(...told) {
      one.stepped(...told);
      other.stepped(...told);
    },
    async ended(...told) {
      await one.ended(...told);
      await other.ended(...told);
    },
  };
}
