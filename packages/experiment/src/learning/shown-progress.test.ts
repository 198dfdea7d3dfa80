import type { EvaluatedGame } from '@emac/rollout';
import { expect, it } from 'vitest';
import { shownHost } from './shown-progress.ts';

it('is one line that is overwritten, and nothing without a terminal', () => {
  let text = '';
  const write = (more: string | Uint8Array) => (text += String(more)) !== '';
  const { listener } = shownHost({ write, isTTY: true });
  listener!.begin!('evaluation before', 2);
  for (const won of [false, true]) listener!.game!({ id: 'a', won } as EvaluatedGame);
  expect(text.split('\r\u001b[K')).toEqual([
    '',
    'evaluation before: 2 games',
    'evaluation before: game 1 of 2',
    'evaluation before: game 2 of 2, 1 won',
  ]);
  expect(shownHost({ write, isTTY: false }).listener).toBeUndefined();
});
