import type { PoolDeps, RunningPool } from '../pool.ts';
import { startMailReceiver } from './mail-receiver.ts';

/** One SMTP receiver on `HOST` and `SMTP_INBOUND_PORT`. */
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
  const receiver = await startMailReceiver({ ctx, logger, host, port, connectionsMax: concurrency });
  logger.info({ host, port: receiver.port }, 'receiving mail');
  return { drain: () => receiver.close() };
}
