/** A vision-language model as a policy that learns from groups. */
import { grpoContent, policySizes } from '@emac/opening';
import type { GrpoConfig, LewisRole } from '@emac/settings';
import type { TrainedPolicy } from './group-play.ts';
import type { GroupPolicy } from './group-policy.ts';

/** `role`: of the Lewis game; null in other environments. */
export function trainedModel(
  { student, start, model, form, reference }: GroupPolicy,
  { model: computing }: GrpoConfig,
  role: LewisRole | null,
): TrainedPolicy {
  const { identity, files } = model;
  return {
    identity,
    adapter: start.adapter,
    note: student.note,
    reference,
    get rehearsed() {
      return {
        name: computing.path,
        identity,
        model: { ...model, layers: student.layers },
        sizes: policySizes(student),
        countPromptTokens: student.countPromptTokens,
      };
    },
    content: (moment, { config, replies }) =>
      grpoContent(moment, {
        student,
        family: files.family,
        visionNorm: start.visionNorm,
        form,
        lewis: role === null ? null : { role, game: config.game, speech: config.speech, model: config.model },
        replies,
        identity,
      }),
  };
}
