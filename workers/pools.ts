/** Every pool of workers there is: `npm start` runs a process for each or more, `workers/main.ts` those it is told to. */
import type { Settings } from '#runtime/settings/settings.ts';
import { type SettingFault, SettingsError } from '#runtime/settings/settings-error.ts';
import type { StartPool } from './pool.ts';

export interface PoolDefinition {
  /** For the help text. */
  readonly about: string;
  /** Jobs at once in one process, unless `--concurrency` says otherwise. */
  readonly concurrency: number;
  /** Processes of it that `npm start` may run; as many as the operator likes when left out. */
  readonly processesMax?: number;
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
    // It listens on a port.
    processesMax: 1,
    isWanted: ({ smtpInboundPort }: Settings): boolean => smtpInboundPort !== null,
    load: async () => (await import('./inbound-mail/pool.ts')).startInboundMail,
  },
} as const satisfies Record<string, PoolDefinition>;

export type PoolName = keyof typeof pools;

// The keys of an object literal are exactly its type's.
export const poolNames = Object.keys(pools) as readonly PoolName[];

/**
 * The pools of the worker processes that `npm start` runs with these settings, one entry for each process.
 * @throws SettingsError when WORKER_PROCESSES names a pool that there is not, or more processes than a pool can have
 */
export function workerProcessesFor(settings: Settings): readonly PoolName[] {
  const { workerProcesses: counts } = settings;
  const faults = Object.entries(counts).flatMap(([name, count]) => faultOf(name, count) ?? []);
  if (faults.length > 0) throw new SettingsError(faults);
  return poolNames.flatMap((name) => {
    const { isWanted }: PoolDefinition = pools[name];
    const count = (isWanted?.(settings) ?? true) ? (counts[name] ?? 1) : 0;
    return Array.from({ length: count }, () => name);
  });
}

export function isPoolName(name: string): name is PoolName {
  return Object.hasOwn(pools, name);
}

function faultOf(name: string, count: number): SettingFault | null {
  const fault = { name: 'WORKER_PROCESSES', given: JSON.stringify(`${name}=${count}`) };
  if (!isPoolName(name)) return { ...fault, rule: `name pools, of which there are: ${poolNames.join(', ')}` };
  const { processesMax = Infinity }: PoolDefinition = pools[name];
  return count <= processesMax ? null : { ...fault, rule: `ask for at most ${processesMax} of ${name}` };
}
