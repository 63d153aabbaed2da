/** Starts a private Redis in the folder given, prints its address and holds it, for tests that kill its holder. */
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';

const redis = await startPrivateRedis({ dir: process.argv[2] ?? '' });
console.log(redis.url);
setInterval(() => {}, 60_000);
