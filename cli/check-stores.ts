/**
 * Checks the stores once before `npm start` starts anything: migrates the database and checks that the Redis at REDIS_URL
 * is suitable. A start that cannot succeed fails here with one message, not with one
 * from every attempt of every process. Runs as its own process to keep the supervisor small.
 */
import packageJson from '../package.json' with { type: 'json' };
import { openDatabase } from '#db/open-database.ts';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { startOrExplain } from '#runtime/process/start-error.ts';

await startOrExplain(async () => {
  const { database, redisUrl } = parseSettings(process.env);
  if (database.kind === 'none') return console.log('DATABASE_URL is none: there is no database to migrate.');
  if (redisUrl !== null) await checkRedis(redisUrl);
  const db = await openDatabase(database);
  await db.close();
  const redis = redisUrl === null ? 'REDIS_URL is not set: no Redis to check.' : 'Redis is suitable.';
  console.log(`The database schema matches this version, ${packageJson.version}. ${redis}`);
});
process.exit(0);
