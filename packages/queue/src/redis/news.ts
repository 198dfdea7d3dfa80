/**
 * News of outcomes over Redis channels. After a cut connection is restored, a listener is told that it may have missed
 * news.
 */
import type { News } from '../queue.ts';
import type { RedisConnection } from './connection.ts';

/** Calls `listen` until the returned function is called. */
export async function watchNews(
  connection: RedisConnection,
  channel: string,
  listen: (news: News) => void,
): Promise<() => void> {
  const redis = connection.another();
  let isWatching = true;
  const tell = (news: News): void => {
    if (isWatching) listen(news);
  };
  redis.on('message', (_channel, id) => tell({ kind: 'outcome', id }));
  await connection.hoped(redis.subscribe(channel));
  // the order matters: subscribe again first, then check for missed news
  const uncertain = (): void => tell({ kind: 'uncertain' });
  redis.on('ready', () => void redis.subscribe(channel).then(uncertain, () => {}));
  return () => {
    isWatching = false;
    connection.release(redis);
  };
}
