/** The expert of a dry run, which costs nothing. */
import { expertSchema } from '@emac/settings';
import type { Host } from '../host.ts';
import { openTeacher, type TeacherParts } from './open-teacher.ts';
import type { Teacher } from './teacher.ts';

/** as a report calls it */
export const freeTeacherName = 'a scripted expert in place of the one that costs money';

/** In a trial, a scripted expert in place of one that costs money, or may. */
export async function freeTeacher(
  teacher: Teacher,
  { env, now, trial }: Pick<Host, 'env' | 'now' | 'trial'>,
  { thoughts, ...parts }: TeacherParts & { readonly thoughts: boolean },
): Promise<Teacher> {
  if (!trial || !teacher.isPaid) return teacher;
  const free = await openTeacher(expertSchema.parse({ kind: 'handcoded', thoughts }), { env, now }, parts);
  return {
    ...free,
    expert: {
      label(request) {
        trial.requested(request);
        return free.expert.label(request);
      },
    },
  };
}
