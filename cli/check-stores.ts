/**
 * Opens the stores that the settings name, once, before `npm start` starts anything: migrates the database, and asks the
 * Redis at REDIS_URL what it can do. A start that cannot succeed ends here with one message, instead of one from each
 * process and each of its tries. A process of its own, so that the supervisor stays small.
 */
import packageJson from '../package.json' with { type: 'json' };
import { openDatabase } from '#db/open-database.ts';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { startOrExplain } from '#runtime/process/start-error.ts';

await startOrExplain(async () => {
  const { database, redisUrl } = parseSettings(process.env);
  if (database.kind === 'none')
    return console.log('DATABASE_URL is none: there is nothing to bring forward.');
  if (redisUrl !== null) await checkRedis(redisUrl);
  const db = await openDatabase(database);
  await db.close();
  const redis =
    redisUrl === null ? 'REDIS_URL is not set: no Redis was asked.' : 'Redis can do what is needed.';
  console.log(`The database is at the version of this hub, ${packageJson.version}. ${redis}`);
});
process.exit(0);
