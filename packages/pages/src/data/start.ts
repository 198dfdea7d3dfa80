/** What a page needs to start runs, and what the board answers. */

/** What is trained, where and how; null for what is not chosen. */
export interface StartSubject {
  readonly method: string;
  readonly environment: string | null;
  readonly policy: string | null;
}

/** The form for a subject: settings without effect there are left out. */
export interface StartForm extends StartSubject {
  readonly methods: readonly { readonly name: string; readonly about: string; readonly needs: string }[];
  readonly environments: readonly { readonly id: string; readonly about: string }[];
  /** some of those possible; others are named by a path */
  readonly policies: readonly string[];
  readonly fields: readonly SettingField[];
}

export interface SettingField {
  /** without dashes, e.g. `lr` */
  readonly flag: string;
  readonly help: string;
  /** the heading that it stands under; `Essentials` comes first */
  readonly group: string;
  /** what its value must be, e.g. `a number above 0`; null for a switch */
  readonly form: string | null;
  /** the words that are possible; empty if others are too */
  readonly choices: readonly string[];
  /** as shown; null without one, or if it follows from other settings */
  readonly default: string | null;
  readonly isRequired: boolean;
}

/** A command that a page asks for. */
export type AskedCommand = AskedRun | AskedResume;

export interface AskedRun extends StartSubject {
  readonly kind: 'train';
  /** name of the run whose policy it starts from; null for a fresh one */
  readonly from: string | null;
  /** values by flag; true for a switch */
  readonly flags: Readonly<Record<string, string | true>>;
}

export interface AskedResume {
  readonly kind: 'resume';
  /** name of the run */
  readonly run: string;
}

export interface CommandPreview {
  /** as typed in a shell */
  readonly command: string;
  /** why it would not start; null if nothing is known against it */
  readonly refusal: string | null;
}

/** One runs at a time, in the order asked for. */
export interface QueuedCommand {
  readonly id: number;
  readonly command: string;
  readonly state: 'waiting' | 'running' | 'done' | 'stopped' | 'failed' | 'cancelled';
  /** name of the run that it has begun or resumed; null before */
  readonly run: string | null;
  /** ISO 8601, UTC */
  readonly asked: string;
  readonly started: string | null;
  readonly ended: string | null;
  /** what it said of its fault; null without one */
  readonly message: string | null;
}

/** What a board allows. */
export interface BoardRights {
  /** notes, starting, stopping and resuming, for those with the token */
  readonly canChange: boolean;
  /** its folder of runs, as the board was given it */
  readonly folder: string;
  /** for addresses of pictures and of the stream, where reading needs a token; else null */
  readonly pass: string | null;
}
