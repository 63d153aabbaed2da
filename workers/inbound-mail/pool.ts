import type { Settings } from '#runtime/settings/settings.ts';
import type { Pool, PoolDeps, RunningPool } from '../pool.ts';

export const inboundMail = {
  name: 'inbound-mail',
  about: 'receives mail for the inbox over SMTP',
  // Connections, each of which may hold a whole email in memory.
  concurrency: 20,
  // The process listens on a port.
  processesMax: 1,
  requires: {
    setting: 'SMTP_INBOUND_PORT',
    isSet: ({ smtpInboundPort }: Settings): boolean => smtpInboundPort !== null,
  },
  secrets: [],
  load: async () => startInboundMail,
} as const satisfies Pool;

/** One SMTP receiver on `HOST` and `SMTP_INBOUND_PORT`. */
async function startInboundMail({ ctx, logger, settings, concurrency }: PoolDeps): Promise<RunningPool> {
  const { host, smtpInboundPort: port } = settings;
  if (port === null) {
    logger.warn('SMTP_INBOUND_PORT is not set; receiving no mail');
    return { drain: async () => undefined };
  }
  const { startMailReceiver } = await import('./mail-receiver.ts');
  const receiver = await startMailReceiver({ ctx, logger, host, port, connectionsMax: concurrency });
  logger.info({ host, port: receiver.port }, 'receiving mail');
  return { drain: () => receiver.close() };
}
