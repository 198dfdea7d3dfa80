/** Updates of GRPO that a dry run measures: fewer groups than a run's, or one of two attempts, learned from once. */
import type { GrpoSettings } from '@emac/algorithms';
import { Random } from '@emac/core';
import { grpoSettingsOf, type GrpoRunConfig } from '@emac/settings';
import type { GroupPlay } from '../groups/group-play.ts';
import { hearing, type Rehearsal } from '../life/rehearsal.ts';

export function grpoRehearsal(play: GroupPlay, config: GrpoRunConfig): Rehearsal {
  const settings = grpoSettingsOf(config, play.tasks);
  const { updates, promptsPerUpdate, groupSize } = settings.play;
  const { policy, learner, heldOut } = play;
  const size = promptsPerUpdate * groupSize;
  return {
    of: `${play.name}: ${updates} updates of ${size} attempts, ${promptsPerUpdate} groups of ${groupSize}; ${heldOut} held-out tasks before and after`,
    get policy() {
      return policy.rehearsed;
    },
    updates,
    size,
    noun: 'attempt',
    together: Math.min(play.together, size),
    passes: settings.optimization.iterations,
    heldOut,
    longest: 1,
    async update(most, heard) {
      const cut = smaller(settings, Math.min(most, size));
      await play.train({
        settings: cut,
        policy: {
          ...learner,
          decide: hearing(learner.decide, { answers: (answers) => answers, heard }),
          gradient: (...asked) => {
            heard.learning();
            return learner.gradient(...asked);
          },
        },
        reference: policy.reference,
        random: Random.fromSeed(config.seed).stream('training'),
        metrics: () => {},
        answered: () => {},
      });
      return cut.play.promptsPerUpdate * cut.play.groupSize;
    },
    async evaluate(episodes) {
      await play.evaluate('before', { checkpoint: 'dry run', journal: unkept, most: episodes, config }, {});
    },
  };
}

/** One update of as many whole groups as fit; if none fits, one smaller group of at least two attempts. */
function smaller(settings: GrpoSettings, size: number): GrpoSettings {
  const groupSize = Math.max(2, Math.min(settings.play.groupSize, size));
  const promptsPerUpdate = Math.max(1, Math.floor(size / groupSize));
  return {
    ...settings,
    play: { ...settings.play, updates: 1, promptsPerUpdate, groupSize },
    optimization: { ...settings.optimization, iterations: 1 },
  };
}

/** A journal that keeps nothing. */
function unkept<Entry>() {
  return { known: new Map<string, Entry>(), add: () => {}, close: () => {}, remove: () => {} };
}
