/** One delivery attempt: claims the email, passes it to the transport and records the result. */
import type { Ctx } from '#domain/context.ts';
import {
  claimMail,
  type MailJob,
  type MailRow,
  settleMail,
  type TransportReply,
} from '#domain/mail/claim-mail.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';

/** Where mail is passed on to: an SMTP server or a folder. */
export interface MailTransport {
  /**
   * Passes one email on and reports the result; never rejects. When `signal` fires, it sends nothing more and
   * cuts the connection, so that a server that has not accepted the mail by then is unlikely to do so later.
   */
  deliver(mail: MailRow, signal: AbortSignal): Promise<TransportReply>;
}

export interface MailDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  readonly transport: MailTransport;
  /** Fires when the process can no longer wait for the transport. */
  readonly ending: AbortSignal;
}

/** @throws Snooze when the mail needs another attempt */
export async function deliverMail(deps: MailDeps, job: MailJob): Promise<void> {
  const { ctx, logger, transport, ending } = deps;
  const claim = await claimMail(ctx, job);
  switch (claim.state) {
    case 'ended':
      return;
    case 'later':
      throw runAt(ctx, claim.at, { idle: true });
    case 'claimed':
  }
  crashPoint('mail.claimed');
  const { mail, timeoutMs } = claim;
  const reply = await transport.deliver(mail, AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]));
  crashPoint('mail.handed-over');
  const settlement = await settleMail(ctx, { mail, jobId: job.jobId, answer: reply });
  crashPoint('mail.settled');
  const fields = { mail: mail.id, kind: mail.kind, attempt: mail.attempt };
  if (reply.kind === 'refused') {
    logger.warn({ ...fields, said: reply.said, state: settlement.state }, 'the transport refused an email');
  }
  switch (settlement.state) {
    case 'again':
      throw runAt(ctx, settlement.at);
    case 'too late':
      // The only case in which a sender may learn of a failure although the message arrived.
      if (reply.kind === 'taken') logger.warn(fields, 'an email was accepted after the hub had given it up');
      return;
    case 'sent':
    case 'failed':
  }
}

function runAt(ctx: Ctx, at: Date, options?: { readonly idle: boolean }): Snooze {
  return new Snooze(Math.max(0, at.getTime() - ctx.clock.now().getTime()), options);
}
