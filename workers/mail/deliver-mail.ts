/** One delivery: claims the mail, hands it to the transport, and records what that said. */
import type { Ctx } from '#domain/context.ts';
import { claimMail } from '#domain/mail/claim-mail.ts';
import { settleMail } from '#domain/mail/settle-mail.ts';
import { RunLater } from '#runtime/jobs/job-worker.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { MailTransport } from './mail-transport.ts';

export interface MailDeps {
  readonly ctx: Ctx;
  readonly logger: Logger;
  readonly transport: MailTransport;
  /** Fires when the process can wait for the transport no longer. */
  readonly ending: AbortSignal;
}

export interface MailJob {
  readonly mailId: string;
  /** The row in `jobs` that promised the delivery. */
  readonly jobId: string;
}

/** @throws RunLater when the mail is to be looked at again */
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
  const answer = await transport.deliver(mail, AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]));
  crashPoint('mail.handed-over');
  const settlement = await settleMail(ctx, { mail, jobId: job.jobId, answer });
  crashPoint('mail.settled');
  const fields = { mail: mail.id, kind: mail.kind, attempt: mail.attempt };
  if (answer.kind === 'refused') {
    logger.warn({ ...fields, said: answer.said, state: settlement.state }, 'a mail was refused');
  }
  switch (settlement.state) {
    case 'again':
      throw runAt(ctx, settlement.at);
    case 'too late':
      // The one case in which a sender may be told that a message failed which has arrived all the same.
      if (answer.kind === 'taken') logger.warn(fields, 'a mail was taken after it had been given up');
      return;
    case 'sent':
    case 'failed':
  }
}

function runAt(ctx: Ctx, at: Date, options?: { readonly idle: boolean }): RunLater {
  return new RunLater(Math.max(0, at.getTime() - ctx.clock.now().getTime()), options);
}
