/** The way back: what became of a command goes over pub/sub to the process that asked, after the commit it speaks of. */
import { DomainError, type ErrorCode, type ErrorExtras } from '#domain/errors.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';

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

export function refusalOf(answer: Exclude<Answer, { reply: unknown }>): DomainError {
  if ('refusal' in answer) {
    const { code, message, extras } = answer.refusal;
    return new DomainError(code, message, extras);
  }
  return new DomainError('internal_error', 'Something went wrong inside the hub. It has been logged.', {
    hint: 'Nothing was changed. Give `request_id` to the operator if it happens again.',
  });
}

/** One message for each process that asked: channel and text, in turns. */
export function messagesOf(answers: readonly AnswerTo[]): string[] {
  return [...Map.groupBy(answers, ({ replyTo }) => replyTo)].flatMap(([replyTo, own]) => [
    redisNames.replies + replyTo,
    JSON.stringify(own.map(({ id, answer }) => [id, answer])),
  ]);
}

/** @param subscriber a connection of its own, which comes back by itself after an absence of Redis */
export function listenToAnswers(
  subscriber: Redis,
  processId: string,
  onAnswer: (id: string, answer: Answer) => void,
): void {
  subscriber.on('message', (_channel: string, message: string) => {
    // Written by `messagesOf`, in this very form.
    for (const [id, answer] of JSON.parse(message) as [string, Answer][]) onAnswer(id, answer);
  });
  // Without a Redis nothing can be asked either; ioredis subscribes again once there is one.
  subscriber.subscribe(redisNames.replies + processId).catch(() => undefined);
}
