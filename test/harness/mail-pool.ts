/**
 * The mail pool in this process: delivers emails as soon as a hub enqueues them, with the code of the pool.
 */
import { mailAddressesOf } from '#workers/mail/mail-addresses.ts';
import { deliverMail, type MailDeps, type MailTransport } from '#workers/mail/deliver-mail.ts';
import { createSmtpTransport } from '#workers/mail/smtp-transport.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { sendMail, type SendMailInput } from '#domain/mail/send-mail.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { TestHub } from './hub.ts';
import { pauseAfter } from './pause-after.ts';
import { silentLogger } from './silent-logger.ts';

export const testMailAddresses = mailAddressesOf({
  mailFrom: 'Agent Hub <hub@hub.test>',
  contactTo: 'team@hub.test',
  baseUrl: 'https://hub.test',
});

export type MailPool = ReturnType<typeof startMailPool>;

export interface MailPoolOptions {
  readonly smtpUrl: string;
  readonly logger?: Logger;
  /** Overrides the timeout of the delivery policy. */
  readonly tryTimeoutMs?: number;
}

const lookEveryMs = 5;

export function startMailPool(hubs: readonly TestHub[], options: MailPoolOptions) {
  const smtp = createSmtpTransport(options.smtpUrl, testMailAddresses);
  const limitMs = options.tryTimeoutMs;
  const hasty: MailTransport = {
    deliver: (mail, signal) =>
      smtp.deliver(mail, AbortSignal.any([signal, AbortSignal.timeout(limitMs ?? 0)])),
  };
  const transport = limitMs === undefined ? smtp : hasty;
  const logger = options.logger ?? silentLogger;
  const underWay = new Set<Promise<unknown>>();
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const hub of hubs) {
      for (const notice of hub.published) {
        if (notice.kind !== 'mail' || seen.has(notice.id)) continue;
        seen.add(notice.id);
        const deps: MailDeps = { ctx: hub.ctx, logger, transport, ending: new AbortController().signal };
        // One delivery. Retries are left to the test.
        const job = { jobId: notice.id, mailId: notice.payload.mailId };
        const delivery = pauseAfter(deliverMail(deps, job)).finally(() => underWay.delete(delivery));
        underWay.add(delivery);
      }
    }
  }, lookEveryMs);
  return {
    /** Resolves when all running deliveries have ended. */
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/** Sends an email to somebody outside the team. @returns its id */
export async function sendTestMail(ctx: Ctx, changes: Partial<SendMailInput> = {}): Promise<string> {
  const input = { kind: 'notice', to: 'Host <host@example.org>', replyTo: null } as const;
  const texts = { subject: 'A seat was booked', text: 'By ada-7.\n' };
  return withTransaction(ctx, (inner) => sendMail(inner, { ...input, ...texts, ...changes }));
}
