/** A test's own Redis server, which loses no acknowledged write; removed with the test. */
import { startRedis as startServer } from '@emac/testing';
import { onTestFinished } from 'vitest';

export { freePort, hasRedis } from '@emac/testing';

/** Tests that need one are skipped without it, and their names say so. */
export const needsRedis =
  'needs the build, and redis-server, which Debian installs with: apt-get install redis-server';

/** `crash` kills it and starts it again, on the same port and folder. */
export async function startRedis() {
  const redis = await startServer('--appendfsync', 'always');
  onTestFinished(() => redis.remove());
  const crash = async (): Promise<void> => {
    await redis.kill();
    await redis.restart();
  };
  return { ...redis, crash };
}
