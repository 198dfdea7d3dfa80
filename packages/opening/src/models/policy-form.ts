/**
 * The form of a policy: its projection, prompts, speech, and allowed answers. Every checkpoint includes it, so a copied
 * checkpoint folder can be evaluated.
 */
import type { ModelFiles } from '@emac/backbone';
import { dialogueForms, EmacError, type Dialogue, type OpenedKind } from '@emac/core';
import { observeForms } from '@emac/prompt';
import { defaultSpeech, usualObserve, type PpoConfig, type SpeechConfig } from '@emac/settings';
import { z } from 'zod';

const count = z.number().int().positive();

const formSchema = z.object({
  /** training environment; absent: ALFWorld */
  env: z.string().optional(),
  /** null for a model that reads text alone */
  projection: z.object({ kind: z.enum(['linear', 'mlp', 'mlp3']), hidden: count.nullable() }).nullable(),
  generation: z.object({ beams: count, minLength: count, maxLength: count }),
  /** `thoughts`: the policy learned to think, and its thoughts are answered; `observe`: its observations; `dialogue` is absent for `message` */
  text: z.object({
    maxTokens: count,
    thoughts: z.boolean().default(false),
    observe: z.enum(observeForms).default('both'),
    dialogue: z.enum([...dialogueForms, 'messages']).optional(),
  }),
  maxSteps: count,
  /** it is kept to the commands that its environment accepts */
  admissibleOnly: z.boolean().default(false),
  /** if the projection came with a last norm of the vision model, whose tensors lie beside the projection's */
  visionNorm: z.object({ epsilon: z.number().positive() }).nullable().default(null),
});

export type PolicyForm = z.infer<typeof formSchema>;
/** What PPO's checkpoints and those of small networks hold: enough to open the policy of a copied one. */
export type PpoForm = Pick<PpoConfig, 'env' | 'policy'> &
  Partial<Pick<PpoConfig, 'preset' | 'speech' | 'value' | 'model'>> & {
    readonly play?: Partial<PpoConfig['play']>;
  };

export type SpokenForm = Pick<PolicyForm, 'generation' | 'text'>;

/** The form in a checkpoint's state; `data` if damaged. */
export function readForm(state: Readonly<Record<string, unknown>>, place: string): PolicyForm {
  const parsed = formSchema.safeParse(state['policy']);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new EmacError(
    'data',
    `${place}: its state.json has no usable policy (${issue?.path.join('.')}: ${issue?.message})`,
  );
}

/**
 * If the policy sees frames without contents, no other setting may reveal them. Errors: `usage` for lessons, which name
 * places of objects, and for admissible commands, which name objects at hand.
 */
export function requireFrameAlone(
  observe: PolicyForm['text']['observe'],
  {
    policyMemory,
    admissibleOnly,
  }: { readonly policyMemory?: boolean; readonly admissibleOnly: boolean | null },
): void {
  if (observe !== 'image') return;
  const telling = policyMemory ? '--student-memory' : admissibleOnly ? '--admissible-only' : null;
  if (telling)
    throw new EmacError(
      'usage',
      `${telling}: tells where things are, but --observe image, emma-tiny's default in ALFWorld, shows that in frames only; leave it out, or give --observe both`,
    );
}

/** Films show the policy's view. Errors: `usage` if that is no picture. */
export function requirePictures(observe: PolicyForm['text']['observe']): void {
  if (observe === 'text')
    throw new EmacError(
      'usage',
      '--gif: needs a policy that sees frames, but this one reads text alone; give --observe image or both',
    );
}

/** A model in an environment. */
export interface Observer {
  readonly files: Pick<ModelFiles, 'folder' | 'family'>;
  readonly env: string;
  /** of the environment, if it writes messages itself */
  readonly dialogue?: OpenedKind['dialogue'];
  /** texts in full are what there is: a dataset, or play that asks no policy; default false */
  readonly isTold?: boolean | undefined;
}

/** The given form of observing, else the checkpoint's, else the usual one. Errors: `usage` for frames asked for a model that sees none. */
export function observedBy(
  given: SpeechConfig['observe'],
  form: PolicyForm | null,
  { files, env, isTold = false }: Observer,
): PolicyForm['text']['observe'] {
  requireEye(given, files);
  const seen = isTold ? 'both' : usualObserve({ folder: files.folder, env });
  const usual = files.family.vision ? seen : 'text';
  return given ?? form?.text.observe ?? usual;
}

/**
 * The given form of dialogue, else the checkpoint's; an agent of one's own brings messages. Without a key for `message`, which checkpoints
 * had before there was another. Errors: `usage` for a form asked of an agent.
 */
export function dialogueOf(
  given: Dialogue | undefined,
  form: PolicyForm | null,
  { dialogue: own }: { readonly dialogue?: OpenedKind['dialogue'] },
): Pick<PolicyForm['text'], 'dialogue'> {
  if (own) {
    if (given === undefined) return { dialogue: 'messages' };
    throw new EmacError(
      'usage',
      `--dialogue ${given}: the environment writes its own messages; leave it out`,
    );
  }
  const made = form?.text.dialogue;
  const dialogue = given ?? (made === 'messages' ? 'message' : made) ?? 'message';
  return dialogue === 'message' ? {} : { dialogue };
}

/** Errors: `usage` for a model that sees no pictures, in an environment that is told in pictures. */
export function requireSight(env: string, { folder, family }: Pick<ModelFiles, 'folder' | 'family'>): void {
  if (family.vision) return;
  throw new EmacError(
    'usage',
    `${env}: shows pictures, but ${folder} is ${family.title} model, which reads text alone; give a model with a vision encoder`,
  );
}

/** Errors: `usage` for frames asked for a model that sees none. */
function requireEye(
  given: SpeechConfig['observe'],
  { folder, family }: Pick<ModelFiles, 'folder' | 'family'>,
) {
  if (family.vision || given === null || given === 'text') return;
  throw new EmacError(
    'usage',
    `--observe ${given}: ${folder} is ${family.title} model, which reads text alone; give --observe text, or leave it out`,
  );
}

/** The given settings, else the checkpoint's, else the defaults. Errors: `usage`. */
export function speechOf(given: SpeechConfig, form: PolicyForm | null, observer: Observer): SpokenForm {
  const observe = observedBy(given.observe, form, observer);
  const made = form?.generation;
  const minLength = given.minLength ?? made?.minLength ?? defaultSpeech.minLength;
  const maxLength = given.maxLength ?? made?.maxLength ?? defaultSpeech.maxLength;
  if (minLength > maxLength)
    throw new EmacError(
      'usage',
      `--min-length: must not be over --max-new-tokens, got ${minLength} and ${maxLength}`,
    );
  return {
    generation: { beams: given.beams ?? made?.beams ?? defaultSpeech.beams, minLength, maxLength },
    text: {
      maxTokens: given.maxPromptTokens ?? form?.text.maxTokens ?? defaultSpeech.maxPromptTokens,
      thoughts: form?.text.thoughts ?? false,
      observe,
      ...dialogueOf(given.dialogue, form, observer),
    },
  };
}
