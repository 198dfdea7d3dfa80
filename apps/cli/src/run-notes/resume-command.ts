/** Commands about a run, with the files of code that its configuration names: only flags run code. */
import { readConfig } from '@emac/runs';
import { moduleFlag } from '../options/given-code.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** The parts of a stored configuration that commands name. */
export interface RecordedCode {
  readonly env?: string;
  readonly policy?: string;
  readonly role?: string | null;
  readonly expert?: { readonly module?: string | null };
  readonly rewards?: { readonly attempt?: string };
}

/** The command that resumes the run, of any method. */
export function resumeCommand(folder: string): string {
  return `npx emac train --resume ${shellWord(folder)}${codeFlags(recordedIn(folder))}`;
}

/** The flags of a run's code, each after a blank. */
export function codeFlags({ env, expert, rewards }: RecordedCode): string {
  const label = expert?.module ? ` --expert ${shellWord(expert.module)}` : '';
  return label + moduleFlag({ env, reward: rewards?.attempt });
}

/** Empty if the configuration cannot be read. */
export function recordedIn(folder: string): RecordedCode {
  try {
    return readConfig(folder) as RecordedCode;
  } catch {
    return {};
  }
}
