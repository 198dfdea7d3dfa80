/**
 * A worker's heart beats: renews leases and the worker's place in the list, until told to stop. It knows no thread and
 * no clock of its own.
 */

// jobs may be short, and nobody reads reports that often
const sayingMs = 100;
const leavingMs = 2_000;

/** Begins; resolves to the receiver of messages once the worker is in the list. */
export async function beating(settings, { redis, extend, after, post, end }) {
  const { every, prefix, leaseMs } = settings;
  let { report } = settings;
  let silence = null;
  let cancelBeat = () => {};
  /** leases by key */
  const held = new Map();

  const appear = async () => {
    silence?.();
    silence = null;
    await redis
      .multi()
      .set(`${prefix}:${report.id}`, JSON.stringify(report), 'PX', 3 * every)
      .sadd(prefix, report.id)
      .exec();
  };

  const renew = async ({ id, token, key }) => {
    const isHeld = await extend(id, token, leaseMs);
    if (!isHeld && held.delete(key)) post({ lost: key });
  };

  /** All at once: a slow answer to one must not delay the others. */
  const beat = () => Promise.all([appear(), ...[...held.values()].map(renew)]);

  /** The next beat comes whether or not Redis has answered the last one. */
  const next = () => {
    cancelBeat = after(every, () => {
      next();
      void beat();
    });
  };

  /** Leaves the list, unless Redis is away; its place expires then. */
  const stop = async () => {
    cancelBeat();
    silence?.();
    if (redis.status === 'ready') {
      const left = redis.multi().del(`${prefix}:${report.id}`).srem(prefix, report.id).exec();
      await new Promise((resolve) => {
        const cancel = after(leavingMs, resolve);
        left.catch(() => {}).then(() => (cancel(), resolve()));
      });
    }
    end();
  };

  await appear();
  next();
  return (message) => {
    if (message.hold) held.set(message.hold.key, message.hold);
    if (message.release) held.delete(message.release);
    if (message.report) {
      report = message.report;
      silence ??= after(sayingMs, () => void appear());
    }
    if (message.stop) void stop();
  };
}
