/**
 * Starts the mail pool: takes mail jobs from their queue and passes each email to the configured transport.
 */
import type { Ctx } from '#domain/context.ts';
import { findMail } from '#domain/mail/claim-mail.ts';
import { queueOfKind, readSubjectId } from '#domain/jobs/job-kinds.ts';
import { startJobWorker } from '#runtime/jobs/job-worker.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { drainTimeoutMs, type PoolDeps, type RunningPool } from '../pool.ts';
import { unlessFrozen } from '../unless-frozen.ts';
import { deliverMail, type MailTransport } from './deliver-mail.ts';
import { mailAddressesOf } from './mail-addresses.ts';

/** Slightly less than the process has to stop, so that the transport's reply can still be recorded. */
const lastWordMs = drainTimeoutMs - 1_000;

export async function startMail(deps: PoolDeps): Promise<RunningPool> {
  const { ctx, logger, tracing, settings, redisUrl, concurrency } = deps;
  const ending = new AbortController();
  const transport = await openTransport(ctx, settings);
  const worker = startJobWorker({
    queue: queueOfKind.mail,
    concurrency,
    redisUrl,
    logger,
    tracing,
    handle: unlessFrozen(ctx.db, (job) =>
      deliverMail(
        { ctx: { ...ctx, cause: job.cause }, logger: job.logger, transport, ending: ending.signal },
        { jobId: job.id, mailId: readSubjectId('mail', job.payload) },
      ),
    ),
  });
  return {
    drain: async () => {
      const timer = setTimeout(() => ending.abort(), lastWordMs);
      await worker.drain();
      clearTimeout(timer);
    },
  };
}

async function openTransport(ctx: Ctx, settings: Settings): Promise<MailTransport> {
  const addresses = mailAddressesOf(settings);
  if (settings.smtpUrl === null) {
    const { createFileTransport, mailFolderOf } = await import('./file-transport.ts');
    return createFileTransport(mailFolderOf(settings), addresses, (id) => findMail(ctx, id));
  }
  const { createSmtpTransport } = await import('./smtp-transport.ts');
  return createSmtpTransport(settings.smtpUrl, addresses);
}
