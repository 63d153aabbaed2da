/**
 * The three forms of a command: as it waits in Redis (`Wire`), as an activation has read it (`Message`), and what became
 * of it (`Reply`). After the commit, the result of a reply goes over pub/sub to the process that sent the command.
 */
import { Type } from 'typebox';
import { DomainError, type ErrorCode, type ErrorExtras } from '#domain/errors.ts';
import { jsonIn } from '#runtime/json-in.ts';
import { compileSchema } from '#runtime/json-reader.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { keepSubscribed, type Redis } from '#runtime/redis/redis.ts';
import { type Cause, readCause } from '#runtime/tracing/log.ts';
import type { Span } from '#runtime/tracing/tracing.ts';

/** A command in a mailbox. */
export interface Wire {
  readonly id: string;
  /** The id of the sending process. */
  readonly replyTo: string;
  /** Counted from when the command is in the mailbox; it is not handled afterwards. */
  readonly timeoutMs: number;
  readonly command: unknown;
  readonly cause?: Cause | undefined;
}

/** A command as an actor gets it. It may be delivered more than once, always with the same id. */
export interface Message<Command = unknown> {
  /** Its entry in the mailbox. */
  readonly entryId: string;
  readonly id: string;
  readonly replyTo: string;
  readonly command: Command;
  /** By `performance.now()`: the command is not handled afterwards, because its sender has given up. */
  readonly deadline: number;
  readonly cause?: Cause | undefined;
  /** Present when the command's request is traced. */
  readonly span?: Span;
}

/** The end of a command: its entry is deleted, and its sender gets the result. */
export interface Reply {
  readonly entryId: string;
  /** Null if the entry is unreadable. */
  readonly id: string | null;
  readonly replyTo: string | null;
  /** Null: nobody waits for it. */
  readonly result: CommandResult | null;
}

export function replyTo({ entryId, id, replyTo: to }: Message, result: CommandResult | null): Reply {
  return { entryId, id, replyTo: to, result };
}

const wireSchema = Type.Object({
  id: Type.String(),
  replyTo: Type.String(),
  timeoutMs: Type.Number(),
  command: Type.Unknown(),
  cause: Type.Optional(Type.Unknown()),
});

/** Redis is outside our trust boundary: an unreadable entry is dropped, or it would be read forever. */
export function readWire(text: string): Wire | null {
  const value = jsonIn(text);
  return compileSchema(wireSchema).Check(value) ? { ...value, cause: readCause(value.cause) } : null;
}

/** The result of a command: a reply, a refusal, or an internal error, whose details are only in the log. */
export type CommandResult =
  | { readonly reply: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly extras: ErrorExtras } }
  | { readonly fault: true };

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

/** One text for each sender: channel, text, channel, text, … The texts are JSON arrays without their brackets. */
export function textsOf(replies: readonly Reply[]): string[] {
  const texts = new Map<string, string[]>();
  for (const { id, replyTo: to, result } of replies) {
    if (to === null || result === null) continue;
    const own = texts.get(to) ?? [];
    own.push(JSON.stringify([id, result]));
    texts.set(to, own);
  }
  return [...texts].flatMap(([to, own]) => [redisNames.replies + to, own.join(',')]);
}

/** @param subscriber a connection used for nothing else */
export function listenToResults(
  subscriber: Redis,
  processId: string,
  onResult: (id: string, result: CommandResult) => void,
): void {
  subscriber.on('message', (_channel: string, message: string) => {
    // Written by `textsOf` and the script that takes entries.
    for (const [id, result] of JSON.parse(message) as [string, CommandResult][]) onResult(id, result);
  });
  // Without Redis nothing can be sent either.
  keepSubscribed(subscriber, redisNames.replies + processId);
}
