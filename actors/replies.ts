/** The way back: what became of a command goes over pub/sub to the process that asked, after the commit it speaks of. */
import { DomainError, type ErrorCode, type ErrorExtras } from '#domain/errors.ts';
import type { Logger } from '#runtime/log.ts';
import { redisNames } from '#runtime/redis-names.ts';
import type { Redis } from '#runtime/redis.ts';

/** What became of a command: a reply, a refusal, or a fault of ours that only the log tells more about. */
export type Answer =
  | { readonly reply: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly extras: ErrorExtras } }
  | { readonly fault: true };

export interface AnswerTo {
  readonly replyTo: string;
  readonly id: string;
  readonly answer: Answer;
}

export function answerOf(reply: unknown): Answer {
  if (!(reply instanceof DomainError)) return { reply };
  const { cause: _private, ...extras } = reply.extras;
  return { refusal: { code: reply.code, message: reply.message, extras } };
}

/** Sends one message to each process that asked. A lost one becomes a time-out, and the command may be tried again. */
export function publishAnswers(redis: Redis, logger: Logger, answers: readonly AnswerTo[]): void {
  for (const [replyTo, own] of Map.groupBy(answers, (one) => one.replyTo)) {
    const message = JSON.stringify(own.map(({ id, answer }) => [id, answer]));
    redis
      .publish(redisNames.replies + replyTo, message)
      .catch((err: unknown) => logger.warn({ err, answers: own.length }, 'answers were lost'));
  }
}

/** @param subscriber a connection of its own, which comes back by itself after an absence of Redis */
export function listenToAnswers(
  subscriber: Redis,
  processId: string,
  onAnswer: (id: string, answer: Answer) => void,
): void {
  const channel = redisNames.replies + processId;
  subscriber.on('message', (from: string, message: string) => {
    if (from !== channel) return;
    // Written by `publishAnswers`, in this very form.
    for (const [id, answer] of JSON.parse(message) as [string, Answer][]) onAnswer(id, answer);
  });
  // Without a Redis nothing can be asked either; ioredis subscribes again once there is one.
  subscriber.subscribe(channel).catch(() => undefined);
}
