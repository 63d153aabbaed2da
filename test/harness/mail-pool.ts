/**
 * The mail pool in this process: delivers emails as soon as a hub enqueues them, with the code of the pool.
 */
import { mailAddressesOf } from '#workers/mail/mail-addresses.ts';
import { deliverMail, type MailDeps } from '#workers/mail/deliver-mail.ts';
import type { MailTransport } from '#workers/mail/deliver-mail.ts';
import { createSmtpTransport } from '#workers/mail/smtp-transport.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import { createLogger, type Logger } from '#runtime/tracing/log.ts';
import type { TestHub } from './hub.ts';

export const testMailAddresses = mailAddressesOf({
  mailFrom: 'Agent Hub <hub@hub.test>',
  contactTo: 'team@hub.test',
  baseUrl: 'https://hub.test',
});

export interface MailPool {
  /** Resolves when all running deliveries have ended. */
  stop(): Promise<void>;
}

export interface MailPoolOptions {
  readonly smtpUrl: string;
  readonly logger?: Logger;
  /** Overrides the timeout of the delivery policy. */
  readonly tryTimeoutMs?: number;
}

const lookEveryMs = 5;

export function startMailPool(hubs: readonly TestHub[], options: MailPoolOptions): MailPool {
  const smtp = createSmtpTransport(options.smtpUrl, testMailAddresses);
  const limitMs = options.tryTimeoutMs;
  const transport: MailTransport =
    limitMs === undefined
      ? smtp
      : {
          deliver: (mail, signal) =>
            smtp.deliver(mail, AbortSignal.any([signal, AbortSignal.timeout(limitMs)])),
        };
  const logger = options.logger ?? createLogger({ name: 'test', level: 'silent' });
  const underWay = new Set<Promise<void>>();
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const hub of hubs) {
      for (const notice of hub.published) {
        if (notice.kind !== 'mail' || seen.has(notice.id)) continue;
        seen.add(notice.id);
        const deps: MailDeps = { ctx: hub.ctx, logger, transport, ending: new AbortController().signal };
        const delivery = deliver(deps, notice.id, notice.payload.mailId).finally(() =>
          underWay.delete(delivery),
        );
        underWay.add(delivery);
      }
    }
  }, lookEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/** One delivery. Retries are left to the test. */
async function deliver(deps: MailDeps, jobId: string, mailId: string): Promise<void> {
  try {
    await deliverMail(deps, { jobId, mailId });
  } catch (error) {
    if (!(error instanceof Snooze)) throw error;
  }
}
