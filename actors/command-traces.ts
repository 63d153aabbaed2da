/**
 * Spans of commands and of the transactions that many of them share. A command's span is a child of its request's, so that
 * a request's trace shows how long its command was in hand; a transaction begins a trace of its own, and the two are linked.
 */
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Span, Tracing } from '#runtime/tracing/tracing.ts';
import type { Committer, Letter } from './actor-type.ts';
import type { Answer } from './replies.ts';

/** Gives each command whose request is traced a span, from when it is in hand until it is committed. */
export function traceCommands(committer: Committer, tracing: Tracing | null, type: string): Committer {
  if (tracing === null) return committer;
  return {
    commit: async (work) => {
      const letters = work.letters.map((letter) => withSpan(letter, tracing, type));
      const done = await committer.commit({ ...work, letters });
      for (const [index, { span }] of letters.entries()) endSpan(span, done.answers[index]);
      return done;
    },
  };
}

function withSpan(letter: Letter<unknown>, tracing: Tracing, type: string): Letter<unknown> {
  const { cause } = letter;
  if (cause?.traceparent === undefined) return letter;
  const span = tracing.start({
    name: `handle ${type}`,
    kind: 'consumer',
    parent: cause.traceparent,
    attributes: {
      ...attributesOf(type, 'handle'),
      ...(cause.requestId === undefined ? {} : { 'hub.request.id': cause.requestId }),
    },
  });
  return { ...letter, cause: { ...cause, traceparent: span.traceparent }, span };
}

/** @param answer nothing for a command that was not handled */
function endSpan(span: Span | undefined, answer: Answer | undefined): void {
  const refusal = answer !== undefined && 'refusal' in answer ? answer.refusal.code : undefined;
  span?.end({
    failed: answer === undefined || 'fault' in answer,
    attributes: refusal === undefined ? {} : { 'hub.error.code': refusal },
  });
}

/** @returns null where none of the commands is traced */
export function startBatchSpan(
  letters: readonly Letter<unknown>[],
  tracing: Tracing | null,
  type: string,
): Span | null {
  const commands = tracing === null ? [] : letters.flatMap(({ span }) => span ?? []);
  if (tracing === null || commands.length === 0) return null;
  const batch = tracing.start({
    name: `commit ${type}`,
    kind: 'consumer',
    links: commands.map(({ traceparent }) => traceparent),
    attributes: { ...attributesOf(type, 'commit'), 'messaging.batch.message_count': letters.length },
  });
  for (const command of commands) command.link(batch.traceparent);
  return batch;
}

/** What a transaction's jobs go back to: its command where it has one, else the transaction. */
export function causeOfBatch(letters: readonly Letter<unknown>[], batch: Span | null): Cause | undefined {
  if (letters.length === 1) return letters[0]?.cause;
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
