/** Every pool of workers there is: `npm start` runs one process for each, `workers/main.ts` those it is told to. */
import type { Settings } from '#runtime/settings.ts';
import type { StartPool } from './pool.ts';

export interface PoolDefinition {
  /** For the help text. */
  readonly about: string;
  /** Jobs at once in one process, unless `--concurrency` says otherwise. */
  readonly concurrency: number;
  /** Whether `npm start` runs it with these settings; always when left out. */
  readonly isWanted?: (settings: Settings) => boolean;
  /** Loads the pool's code only in processes that run it. */
  load(): Promise<StartPool>;
}

export const pools = {
  'eval-runner': {
    about: 'runs eval jobs against their targets and settles the charge',
    // Runs wait for their targets nearly all the time, and slow ones must not keep the others from starting.
    concurrency: 50,
    load: async () => (await import('./eval-runner/pool.ts')).startEvalRunner,
  },
  mail: {
    about: 'hands mail to the SMTP server, or writes it to files',
    concurrency: 10,
    load: async () => (await import('./mail/pool.ts')).startMail,
  },
  seats: {
    about: 'runs the actors that give out the seats of events',
    concurrency: 100,
    load: async () => (await import('./seats/pool.ts')).startSeats,
  },
  webhooks: {
    about: 'tells agents of what happened, at the addresses they have given',
    // Deliveries wait for their receivers nearly all the time; how many go to one of them is bounded in the pool.
    concurrency: 50,
    load: async () => (await import('./webhooks/pool.ts')).startWebhooks,
  },
  sweeper: {
    about: 'settles expiries, announces forgotten jobs, ends overdue runs, prunes',
    concurrency: 1,
    load: async () => (await import('./sweeper/pool.ts')).startSweeper,
  },
  'inbound-mail': {
    about: 'receives mail for the inbox over SMTP, where SMTP_INBOUND_PORT is set',
    // Connections, each of which may hold a whole mail.
    concurrency: 20,
    isWanted: ({ smtpInboundPort }: Settings): boolean => smtpInboundPort !== null,
    load: async () => (await import('./inbound-mail/pool.ts')).startInboundMail,
  },
} as const satisfies Record<string, PoolDefinition>;

export type PoolName = keyof typeof pools;

// The keys of an object literal are exactly its type's.
export const poolNames = Object.keys(pools) as readonly PoolName[];

/** The pools that a hub with these settings needs. */
export function poolsFor(settings: Settings): readonly PoolName[] {
  return poolNames.filter((name) => {
    const { isWanted }: PoolDefinition = pools[name];
    return isWanted?.(settings) ?? true;
  });
}
