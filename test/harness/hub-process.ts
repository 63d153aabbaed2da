/** Starts processes of the hub for tests, as operators start them. */
import type { DatabaseSetting } from '#db/database.ts';
import { join } from 'node:path';
import { hubBinary } from './hub-binary.ts';
import { databaseUrlOf } from './hub-command.ts';
import { follow } from './run-program.ts';
import { testOperatorKey, testSecretKey } from './secret-key.ts';
import { shortLived } from './short-lived.ts';

export interface HubProcessStores {
  readonly database: DatabaseSetting;
  readonly redisUrl: string;
}

export interface HubProcessOptions {
  readonly program: 'api' | 'worker';
  readonly words?: readonly string[];
  readonly stores: HubProcessStores;
  /** Extends the environment. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly preload?: Preload | undefined;
}

/** A module in `test/workload/children/` to load before the hub. */
export type Preload = 'collect-garbage' | 'die-at-point' | 'set-clock';

/** A private hub charges nothing, and then no process would move a token. */
const publicPrices = { EVAL_RUN_COST: '1', AGENT_RUN_COST: '1', SUITE_RUN_REPLIES_PER_TOKEN: '40' };

const keptCharacters = 10_000;
const preloads = join(import.meta.dirname, '..', 'workload', 'children');

export async function spawnHubProcess({ program, words = [], stores, settings, preload }: HubProcessOptions) {
  const child = Bun.spawn([hubBinary, program, ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: databaseUrlOf(stores.database),
      REDIS_URL: stores.redisUrl,
      SECRET_KEY: testSecretKey,
      OPERATOR_KEY: testOperatorKey,
      // Quoted as a whole, because the path may contain spaces.
      ...(preload === undefined ? {} : { BUN_OPTIONS: `"--preload=${join(preloads, preload)}.ts"` }),
      ...shortLived,
      ...publicPrices,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  /** SIGTERM shuts it down in order, SIGKILL kills it. Resolves with the exit code. */
  const end = (signal: 'SIGTERM' | 'SIGKILL'): Promise<number> => {
    child.kill(signal);
    return child.exited;
  };
  return { child, said: follow(child.stdout, { kept: keptCharacters }), end };
}
