/** Starts the inbound-mail pool: one SMTP receiver on `HOST` and `SMTP_INBOUND_PORT`. */
import type { PoolDeps, RunningPool } from '../pool.ts';

export async function startInboundMail({
  ctx,
  logger,
  settings,
  concurrency,
}: PoolDeps): Promise<RunningPool> {
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
