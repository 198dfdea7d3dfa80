/** Asynchronous writing with the system errors of `whileWriting`. */
import { whileWriting } from '@emac/files';

/** Runs `action`; its system errors become `cannot-create`, `auth` or `io`, naming the path. */
export async function writingTo<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    return whileWriting(path, () => {
      throw thrown;
    });
  }
}
