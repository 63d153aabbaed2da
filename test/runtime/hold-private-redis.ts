/**
 * Starts a private Redis in the given folder, prints its address and keeps it running, for tests that kill
 * its holder.
 */
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';

const redis = await startPrivateRedis({ dir: process.argv[2] ?? '' });
console.log(redis.url);
setInterval(() => {}, 60_000);
