/** Writing that takes its time: faults of the system as those of `whileWriting`. */
import { whileWriting } from '@emac/files';

/** Carries out `action`; its system faults become `cannot-create`, `auth` or `io`, naming the path. */
export async function writingTo<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    return whileWriting(path, () => {
      throw thrown;
    });
  }
}
