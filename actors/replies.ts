/** The way back: after the commit, the result of a command goes over pub/sub to the process that sent it. */
import { DomainError, type ErrorCode, type ErrorExtras } from '#domain/errors.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { keepSubscribed, type Redis } from '#runtime/redis/redis.ts';

/** The result of a command: a reply, a refusal, or an internal error, whose details are only in the log. */
export type CommandResult =
  | { readonly reply: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly extras: ErrorExtras } }
  | { readonly fault: true };

export interface AddressedResult {
  readonly replyTo: string;
  readonly id: string;
  readonly result: CommandResult;
}

export function resultOf(reply: unknown): CommandResult {
  if (!(reply instanceof DomainError)) return { reply };
  const { cause: _private, ...extras } = reply.extras;
  return { refusal: { code: reply.code, message: reply.message, extras } };
}

export function refusalOf(result: Exclude<CommandResult, { reply: unknown }>): DomainError {
  if ('refusal' in result) {
    const { code, message, extras } = result.refusal;
    return new DomainError(code, message, extras);
  }
  return new DomainError('internal_error', 'Something went wrong inside the hub. It has been logged.', {
    hint: 'Nothing was changed. Give `request_id` to the operator if it happens again.',
  });
}

/** The sender may retry a command that was not handled in time. */
export function queueUnavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('queue_unavailable', message, {
    hint: 'The request may or may not have been carried out. Retry it with the same idempotency key: that is safe and returns the outcome.',
    cause,
  });
}

/** One message for each sender: channel, text, channel, text, … The texts are JSON arrays without their brackets. */
export function messagesOf(results: readonly AddressedResult[]): string[] {
  return [...Map.groupBy(results, ({ replyTo }) => replyTo)].flatMap(([replyTo, own]) => [
    redisNames.replies + replyTo,
    own.map(({ id, result }) => JSON.stringify([id, result])).join(','),
  ]);
}

/** @param subscriber a connection used for nothing else */
export function listenToResults(
  subscriber: Redis,
  processId: string,
  onResult: (id: string, result: CommandResult) => void,
): void {
  subscriber.on('message', (_channel: string, message: string) => {
    // Written by `messagesOf` and the script that takes entries.
    for (const [id, result] of JSON.parse(message) as [string, CommandResult][]) onResult(id, result);
  });
  // Without Redis nothing can be sent either.
  keepSubscribed(subscriber, redisNames.replies + processId);
}
