/** One activation of an actor: reads its mailbox batch by batch, has each committed, and answers, until there is no more. */
import { causeFields } from '#runtime/tracing/cause.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { ActorAddress, AnyActorType, Letter, Committer } from './actor-type.ts';
import { lingerFromLetters, lingerLooks, lingerPauseMs } from './limits.ts';
import type { Handled, MailboxEntry, Mailboxes } from './mailbox.ts';
import type { Answer, AnswerTo } from './replies.ts';

export interface ActivationDeps {
  readonly type: AnyActorType;
  readonly committer: Committer;
  readonly mailboxes: Mailboxes;
  readonly logger: Logger;
  /** Asked between batches: whether to leave the rest to a later activation. */
  readonly isTurnOver: () => Promise<boolean>;
}

/**
 * @returns whether the mailbox was left with something in it
 * @throws when a store cannot be reached; what was not handled then is still in the mailbox
 */
export async function runActivation(
  deps: ActivationDeps,
  address: ActorAddress,
  actorId: string,
): Promise<boolean> {
  const nothing: Handled = { entryIds: [], answers: [] };
  let state: unknown = null;
  let handled = nothing;
  let looks = 0;
  crashPoint('actor.awake');
  for (;;) {
    const entries = await deps.mailboxes.take(address, handled);
    if (handled.entryIds.length > 0) crashPoint('batch.answered');
    handled = nothing;
    if (entries.length === 0) {
      if (looks === 0) return false;
      looks -= 1;
      await Bun.sleep(lingerPauseMs);
      continue;
    }
    crashPoint('mailbox.read');
    const mail = entries.map((entry) => readMail(deps, entry));
    const letters = mail.flatMap(({ letter }) => letter ?? []);
    const done = await deps.committer.commit({ actorId, state, letters });
    crashPoint('batch.committed');
    state = done.state;
    handled = handledOf(mail, done.answers);
    if (done.end !== 'done' || (await deps.isTurnOver())) {
      const rest = await deps.mailboxes.take(address, handled);
      if (typeof done.end === 'object') throw done.end.error;
      // Whoever superseded this activation reads the rest.
      return done.end === 'done' && rest.length > 0;
    }
    looks = letters.length >= lingerFromLetters ? lingerLooks : 0;
  }
}

interface Mail extends MailboxEntry {
  /** Null: not to be handled. */
  readonly letter: Letter<unknown> | null;
  /** What it is answered instead; nothing if nobody waits any more. */
  readonly refused?: Answer;
}

function readMail({ type, logger }: ActivationDeps, entry: MailboxEntry): Mail {
  const { envelope, isLate } = entry;
  if (envelope === null) logger.error({ type: type.name }, 'an entry of a mailbox cannot be read');
  if (envelope === null || isLate) return { ...entry, letter: null };
  try {
    return {
      ...entry,
      letter: { id: envelope.id, command: type.readCommand(envelope.command), cause: envelope.cause },
    };
  } catch (err) {
    logger.error({ err, type: type.name, ...causeFields(envelope.cause ?? {}) }, 'a command cannot be read');
    return { ...entry, letter: null, refused: { fault: true } };
  }
}

/** @param answers to the letters among the mail, from the first one on; those without stay in the mailbox */
function handledOf(mail: readonly Mail[], answers: readonly Answer[]): Handled {
  const entryIds: string[] = [];
  const sent: AnswerTo[] = [];
  let next = 0;
  for (const { entryId, envelope, letter, refused } of mail) {
    const answer = letter === null ? refused : answers[next++];
    if (letter !== null && answer === undefined) continue;
    entryIds.push(entryId);
    if (envelope !== null && answer !== undefined) {
      sent.push({ replyTo: envelope.replyTo, id: envelope.id, answer });
    }
  }
  return { entryIds, answers: sent };
}
