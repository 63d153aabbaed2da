/**
 * Spans of commands, and of the transactions that commands share. A command's span is a child of its
 * request's span, so the trace of a request shows how long its command took. A transaction starts its own
 * trace, linked to its commands.
 */
import type { Cause } from '#runtime/tracing/log.ts';
import type { Span, Tracing } from '#runtime/tracing/tracing.ts';
import type { Committer } from './actor-type.ts';
import type { CommandResult, Message } from './messages.ts';

/** Gives each command of a traced request a span that ends when the command is committed. */
export function traceCommands(committer: Committer, tracing: Tracing | null, type: string): Committer {
  if (tracing === null) return committer;
  return {
    commit: async (work) => {
      const messages = work.messages.map((message) => withSpan(message, tracing, type));
      const done = await committer.commit({ ...work, messages });
      for (const [index, { span }] of messages.entries()) endSpan(span, done.results[index]);
      return done;
    },
  };
}

function withSpan(message: Message, tracing: Tracing, type: string): Message {
  const { cause } = message;
  if (cause?.traceparent === undefined) return message;
  const span = tracing.start({
    name: `handle ${type}`,
    kind: 'consumer',
    parent: cause.traceparent,
    attributes: {
      ...attributesOf(type, 'handle'),
      ...(cause.requestId === undefined ? {} : { 'hub.request.id': cause.requestId }),
    },
  });
  return { ...message, cause: { ...cause, traceparent: span.traceparent }, span };
}

/** @param result undefined for a command that was not handled */
function endSpan(span: Span | undefined, result: CommandResult | undefined): void {
  const refusal = result !== undefined && 'refusal' in result ? result.refusal.code : undefined;
  span?.end({
    failed: result === undefined || 'fault' in result,
    attributes: refusal === undefined ? {} : { 'hub.error.code': refusal },
  });
}

/** @returns null when none of the commands is traced */
export function startBatchSpan(
  messages: readonly Message[],
  tracing: Tracing | null,
  type: string,
): Span | null {
  const commands = tracing === null ? [] : messages.flatMap(({ span }) => span ?? []);
  if (tracing === null || commands.length === 0) return null;
  const batch = tracing.start({
    name: `commit ${type}`,
    kind: 'consumer',
    links: commands.map(({ traceparent }) => traceparent),
    attributes: { ...attributesOf(type, 'commit'), 'messaging.batch.message_count': messages.length },
  });
  for (const command of commands) command.link(batch.traceparent);
  return batch;
}

/** The cause of a transaction's jobs: that of its command if it has only one, otherwise the transaction. */
export function causeOfBatch(messages: readonly Message[], batch: Span | null): Cause | undefined {
  if (messages.length === 1) return messages[0]?.cause;
  return batch === null ? undefined : { traceparent: batch.traceparent };
}

function attributesOf(type: string, operation: string) {
  return {
    'messaging.system': 'agent-hub',
    'messaging.destination.name': type,
    'messaging.operation.name': operation,
    'messaging.operation.type': 'process',
  } as const;
}
