/** Starts processes of the hub for tests, as operators start them. */
import type { DatabaseSetting } from '#db/database.ts';
import { join } from 'node:path';
import { hubBinary } from './hub-binary.ts';
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
  /** Default: the binary of this test run. */
  readonly build?: HubBuild | undefined;
}

/** A module in `test/workload/children/` to load before the hub. */
export type Preload = 'collect-garbage' | 'die-at-point' | 'set-clock';

/** A module to load before the hub, or the path of another binary. */
export type HubBuild = Preload | { readonly binary: string };

/** A private hub charges nothing, and then no process would move a token. */
const publicPrices = { EVAL_RUN_COST: '1', AGENT_RUN_COST: '1', SUITE_RUN_REPLIES_PER_TOKEN: '40' };

const keptCharacters = 10_000;
const preloads = join(import.meta.dirname, '..', 'workload', 'children');

export async function spawnHubProcess({ program, words = [], stores, settings, build }: HubProcessOptions) {
  const { database, redisUrl } = stores;
  const binary = typeof build === 'object' ? build.binary : hubBinary;
  const child = Bun.spawn([binary, program, ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
      REDIS_URL: redisUrl,
      SECRET_KEY: testSecretKey,
      OPERATOR_KEY: testOperatorKey,
      ...(typeof build === 'string' ? { BUN_OPTIONS: preloading(build) } : {}),
      ...shortLived,
      ...publicPrices,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return { child, said: follow(child.stdout, { kept: keptCharacters }) };
}

/** Quoted as a whole, because the path may contain spaces. */
function preloading(name: Preload): string {
  return `"--preload=${join(preloads, `${name}.ts`)}"`;
}
