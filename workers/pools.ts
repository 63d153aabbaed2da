/** Every pool of workers. */
import type { Pool } from './pool.ts';

const declared = {
  'eval-runner': {
    about: 'runs evaluations against their targets and settles the charge',
    // Runs spend most of their time waiting for the target, and waiting costs little.
    concurrency: 400,
    secrets: ['SECRET_KEY'],
    load: async () => (await import('./eval-runner/start-eval-runner.ts')).startEvalRunner,
  },
  mail: {
    about: 'sends mail over SMTP, or writes it to files',
    concurrency: 10,
    secrets: ['SMTP_URL'],
    load: async () => (await import('./mail/start-mail.ts')).startMail,
  },
  seats: {
    about: 'runs the seat actors, which book and release the seats of events',
    concurrency: 100,
    secrets: [],
    load: async () => {
      const { startActorWorker } = await import('#actors/actor-worker.ts');
      const { seatActor } = await import('#actors/seat-actor.ts');
      return async (deps) => startActorWorker({ ...deps, types: [seatActor] });
    },
  },
  sweeper: {
    about: 'settles expiries, republishes forgotten jobs, ends overdue runs, makes backups, deletes old rows',
    concurrency: 1,
    secrets: [],
    load: async () => (await import('./sweeper/start-sweeper.ts')).startSweeper,
  },
  webhooks: {
    about: 'delivers events to the webhooks of agents',
    // Deliveries spend most of their time waiting for the receiver; turns.ts limits the deliveries to one receiver.
    concurrency: 500,
    secrets: ['SECRET_KEY'],
    load: async () => (await import('./webhooks/start-webhooks.ts')).startWebhooks,
  },
  // The last, because enabling it must not shift the metrics ports of the others.
  'inbound-mail': {
    about: 'receives mail for the inbox over SMTP',
    // Connections, each of which may hold a whole email in memory.
    concurrency: 20,
    // The process listens on a port.
    processesMax: 1,
    isOn: ({ smtpInboundPort }) => smtpInboundPort !== null,
    secrets: [],
    load: async () => (await import('./inbound-mail/start-inbound-mail.ts')).startInboundMail,
  },
} as const satisfies Readonly<Record<string, Pool>>;

export type PoolName = keyof typeof declared;

export const pools: Readonly<Record<PoolName, Pool>> = declared;

// The table has these names only.
export const poolNames = Object.keys(pools) as readonly PoolName[];
