import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import type { Pool } from '../pool.ts';

export const webhooks = {
  name: 'webhooks',
  about: 'delivers events to the webhooks of agents',
  // Deliveries spend most of their time waiting for the receiver; turns.ts limits the deliveries to one receiver.
  concurrency: 500,
  processesMax: null,
  requires: null,
  secrets: ['SECRET_KEY'],
  drainTimeoutMs: 10_000,
  resources: { cpu: '100m', memory: '160Mi', memoryMax: '512Mi' },
  scaling: { queue: queueOfKind['webhook-delivery'], waitSeconds: 30, processesMax: 8 },
  listens: null,
  load: async () => (await import('./start-webhooks.ts')).startWebhooks,
} as const satisfies Pool;
