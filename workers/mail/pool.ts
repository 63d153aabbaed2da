import type { Pool } from '../pool.ts';

export const mail = {
  name: 'mail',
  about: 'sends mail over SMTP, or writes it to files',
  concurrency: 10,
  processesMax: null,
  requires: null,
  secrets: ['SMTP_URL'],
  load: async () => (await import('./start-mail.ts')).startMail,
} as const satisfies Pool;
