import type { Pool } from '../pool.ts';

export const webhooks = {
  name: 'webhooks',
  about: 'delivers events to the webhooks of agents',
  // Deliveries spend most of their time waiting for the receiver; turns.ts limits the deliveries to one receiver.
  concurrency: 500,
  processesMax: null,
  requires: null,
  secrets: ['SECRET_KEY'],
  load: async () => (await import('./start-webhooks.ts')).startWebhooks,
} as const satisfies Pool;
