/** One activation of an actor: reads its mailbox batch by batch, has each committed, and answers, until there is no more. */
import type { Logger } from '#runtime/log.ts';
import type { Redis } from '#runtime/redis.ts';
import type { ActorAddress, AnyActorType, Letter } from './actor-type.ts';
import type { Committer } from './committer.ts';
import { lingerFromLetters, lingerLooks, lingerPauseMs } from './limits.ts';
import type { Envelope, Mailboxes } from './mailbox.ts';
import { type Answer, type AnswerTo, publishAnswers } from './replies.ts';

export interface ActivationDeps {
  readonly type: AnyActorType;
  readonly committer: Committer;
  readonly mailboxes: Mailboxes;
  readonly redis: Redis;
  readonly logger: Logger;
  /** Asked between batches: whether to leave the rest to a later activation. */
  readonly isTurnOver: () => Promise<boolean>;
}

/**
 * @returns whether the mailbox was left with something in it
 * @throws when a store cannot be reached; what was not handled then is still in the mailbox
 */
export async function runActivation(deps: ActivationDeps, address: ActorAddress): Promise<boolean> {
  let state: unknown = null;
  let handled: readonly string[] = [];
  let looks = 0;
  for (;;) {
    const entries = await deps.mailboxes.take(address, handled);
    handled = [];
    if (entries.length === 0) {
      if (looks === 0) return false;
      looks -= 1;
      await Bun.sleep(lingerPauseMs);
      continue;
    }
    const mail = entries.map(({ entryId, envelope }) => ({ entryId, ...readMail(deps, envelope) }));
    const open = mail.filter((one): one is typeof one & { letter: Letter<unknown> } => one.letter !== null);
    const done = await commit(deps, address, state, open);
    publishAnswers(deps.redis, deps.logger, [
      ...open.slice(0, done.answers.length).flatMap((one, index) => answerTo(one, done.answers[index])),
      ...mail.flatMap((one) => (one.letter === null ? answerTo(one, one.refused) : [])),
    ]);
    const left = new Set(open.slice(done.answers.length).map(({ entryId }) => entryId));
    handled = entries.map(({ entryId }) => entryId).filter((entryId) => !left.has(entryId));
    state = done.state;
    if (done.end !== 'done' || (await deps.isTurnOver())) {
      const rest = await deps.mailboxes.take(address, handled);
      if (typeof done.end === 'object') throw done.end.error;
      // Whoever superseded this activation reads the rest.
      return done.end === 'done' && rest.length > 0;
    }
    looks = open.length >= lingerFromLetters ? lingerLooks : 0;
  }
}

function commit(
  { committer }: ActivationDeps,
  { id }: ActorAddress,
  state: unknown,
  open: readonly { letter: Letter<unknown> }[],
): ReturnType<Committer['commit']> {
  if (open.length === 0) return Promise.resolve({ state, answers: [], end: 'done' });
  return committer.commit({ actorId: id, state, letters: open.map(({ letter }) => letter) });
}

interface Mail {
  readonly envelope: Envelope | null;
  /** Null: not to be handled. */
  readonly letter: Letter<unknown> | null;
  /** What it is answered instead; nothing if nobody waits any more. */
  readonly refused?: Answer;
}

function readMail({ type, logger }: ActivationDeps, envelope: Envelope | null): Mail {
  if (envelope === null) {
    logger.error({ type: type.name }, 'an entry of a mailbox cannot be read and is thrown away');
    return { envelope, letter: null };
  }
  if (envelope.deadlineMs < Date.now()) return { envelope, letter: null };
  try {
    return { envelope, letter: { id: envelope.id, command: type.parseCommand(envelope.command) } };
  } catch (err) {
    logger.error({ err, type: type.name }, 'a command cannot be read');
    return { envelope, letter: null, refused: { fault: true } };
  }
}

function answerTo({ envelope }: Mail, answer: Answer | undefined): AnswerTo[] {
  if (envelope === null || answer === undefined) return [];
  return [{ replyTo: envelope.replyTo, id: envelope.id, answer }];
}
