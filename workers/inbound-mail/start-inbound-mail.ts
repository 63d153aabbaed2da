/** The inbound-mail pool: one SMTP receiver, on the host of the API and the port of `SMTP_INBOUND_PORT`. */
import type { PoolDeps, RunningPool } from '../pool.ts';

export async function startInboundMail({
  ctx,
  logger,
  settings,
  concurrency,
}: PoolDeps): Promise<RunningPool> {
  const { host, smtpInboundPort: port } = settings;
  if (port === null) {
    logger.warn('SMTP_INBOUND_PORT is off, so that there is nothing to do');
    return { drain: async () => undefined };
  }
  const { startMailReceiver } = await import('./mail-receiver.ts');
  const receiver = await startMailReceiver({ ctx, logger, host, port, connectionsMax: concurrency });
  logger.info({ host, port: receiver.port }, 'receiving mail');
  return { drain: () => receiver.close() };
}
