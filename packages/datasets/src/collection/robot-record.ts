/** A step of a robot as a record that every vision-language-action model can learn. */
import { vlaPrompt } from '@emac/vla';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';

export interface RobotSample {
  /** where its picture lies, from the dataset's folder */
  readonly image: string;
  readonly instruction: string;
  /** the gripper last, −1 open and 1 closed */
  readonly action: readonly number[];
  /** what statistics of actions are found by */
  readonly source: string;
  readonly episode: string;
}

/** OpenVLA's prompt of the instruction, and the action in numbers. */
export function robotRecord({ image, instruction, action, source, episode }: RobotSample): DatasetRecord {
  return {
    image,
    text_input: vlaPrompt(instruction),
    text_output: action.join(' '),
    action: [...action],
    verbatim: true,
    task_type: source,
    game_id: episode,
  };
}
