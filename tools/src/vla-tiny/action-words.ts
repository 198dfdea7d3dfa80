/** Actions as vla-tiny's answers, and the statistics that normalize them. */
import { Random } from '@emac/core';
import { tabletop, type Action } from '@emac/tabletop';
import { datasetStatistics, encodeAction, normalizeAction, type DatasetStatistics } from '@emac/vla';
import { actionPiece } from './pieces.ts';
import { actionSteps } from './samples.ts';

/** As data sets have it, the gripper 0 closed and 1 open. */
export function asData(action: Action): number[] {
  return action.map((value, place) => (place === 6 ? (1 - value) / 2 : value));
}

/** Of demonstrations of the spatial suite, hardly disturbed. */
export function demonstratedStatistics(): DatasetStatistics {
  const environment = tabletop('tabletop/spatial', { split: 'train', starts: 'counted' });
  const random = Random.fromSeed('vla-tiny statistics');
  const demonstrations = Array.from({ length: 400 }, (_, start) => {
    environment.reset(start);
    const actions: number[][] = [];
    for (let isOver = false; !isOver;) {
      actions.push(asData(environment.expert({ steps: actionSteps })));
      const { terminated, truncated } = environment.step(
        environment.expert({ steps: actionSteps, noise: 0.2, random }),
      );
      isOver = terminated || truncated;
    }
    return { actions };
  });
  return datasetStatistics(demonstrations);
}

/** The pieces of an action's seven tokens. */
export function actionWords(action: Action, { action: statistics }: DatasetStatistics): string[] {
  // counted down from the vocabulary's end
  return encodeAction(normalizeAction(asData(action), statistics), 0).map((id) => actionPiece(-id));
}
