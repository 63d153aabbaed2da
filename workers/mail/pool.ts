import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import type { Pool } from '../pool.ts';

export const mail = {
  name: 'mail',
  about: 'sends mail over SMTP, or writes it to files',
  concurrency: 10,
  processesMax: null,
  requires: null,
  secrets: ['SMTP_URL'],
  drainTimeoutMs: 10_000,
  resources: { cpu: '50m', memory: '128Mi', memoryMax: '512Mi' },
  scaling: { queue: queueOfKind.mail, waitSeconds: 60, processesMax: 4 },
  listens: null,
  load: async () => (await import('./start-mail.ts')).startMail,
} as const satisfies Pool;
