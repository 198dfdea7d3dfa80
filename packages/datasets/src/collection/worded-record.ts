/** The texts of a step in a dataset, for environments whose actions are words. */
import type { OpenedKind, Speech } from '@emac/core';
import { studentTarget } from '@emac/prompt';
import { promptEnd } from '../dataset/offline-text.ts';
import type { RecordTexts } from './collected-steps.ts';

/** The speech of a dataset's prompts. They are not truncated: later readers have their own limit. */
export function wholeSpeech(opened: Pick<OpenedKind, 'speech' | 'dialogue'>): Speech {
  const counting = { countPromptTokens: (text: string) => text.length };
  const { dialogue } = opened;
  return opened.speech(counting, { maxTokens: Infinity, observe: 'both', thoughts: false, dialogue });
}

/** If prompts and answers are a game's history and a command, so is the record, and an overlong prompt loses its oldest steps; others are verbatim. */
export function wordedTexts(text_input: string, target: string, action: string): RecordTexts {
  if (text_input.endsWith(promptEnd) && target === studentTarget(action))
    return { text_input, text_output: action };
  return { text_input, text_output: target, verbatim: true };
}
