/** Commands are part of their requests' traces, and linked to the transactions they share. */
import { beforeEach, expect, test } from 'bun:test';
import type { Message } from '#actors/messages.ts';
import { traceCommands } from '#actors/command-traces.ts';
import type { WorkDone } from '#actors/actor-type.ts';
import { createCommitter } from '#actors/committer.ts';
import type { Cause } from '#runtime/tracing/log.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { openTracing, type Tracing } from '#runtime/tracing/tracing.ts';
import { type Collector, startCollector, type ToldSpan } from '#test/harness/collector.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { messageOf } from './messages.ts';
import { type CounterCommand, firstEpoch, stepOf, useCounters } from './counter-actor.ts';

const { logger, lines } = createRecordingLogger();

let collector: Collector;
let tracing: Tracing;
let causes = 0;

const store = useScratchStore('sqlite');
const { type, create } = useCounters(store);
const ctx = useTestCtx(store);
beforeEach(async () => {
  collector = startCollector();
  const settings = parseSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  tracing = (await openTracing(settings.tracing, { name: 'test', version: '0' }, logger))!;
});

/** A request with its own trace. */
function newCause(flags: '00' | '01' = '01'): Required<Cause> {
  causes += 1;
  const digits = String(causes).padStart(16, '0');
  return { requestId: `request-${digits}`, traceparent: `00-${digits}${digits}-${digits}-${flags}` };
}

function message(cause: Cause | undefined, act?: CounterCommand['act']): Message<CounterCommand> {
  const id = Bun.randomUUIDv7();
  return messageOf(id, stepOf(id, act), cause);
}

/** Commits the messages together and returns the spans. */
async function commit(messages: readonly Message<CounterCommand>[]) {
  const id = await create();
  const committer = traceCommands(createCommitter(ctx, type, logger, tracing), tracing, type.name);
  const done: WorkDone = await committer.commit({ actorId: id, epoch: firstEpoch, state: null, messages });
  await tracing.close();
  await collector.stop();
  const named = (name: string): ToldSpan[] => collector.spans.filter((span) => span.name === name);
  return { done, handled: named('handle counter'), committed: named('commit counter') };
}

test('commands that share a transaction keep their own traces, linked to it both ways', async () => {
  const given = [newCause(), newCause(), newCause()];
  const { done, handled, committed } = await commit([
    ...given.map((cause) => message(cause)),
    message(undefined),
  ]);
  expect(done.results).toHaveLength(4);
  const [batch] = committed;
  expect(committed).toHaveLength(1);
  expect(batch).toMatchObject({
    failed: false,
    parentSpanId: '',
    attributes: { 'messaging.batch.message_count': 4 },
  });
  expect(handled.map(({ traceId }) => traceId)).toEqual(
    given.map(({ traceparent }) => traceparent.slice(3, 35)),
  );
  expect(handled.map(({ parentSpanId }) => parentSpanId)).toEqual(
    given.map(({ traceparent }) => traceparent.slice(36, 52)),
  );
  expect(batch!.links).toEqual(handled.map(({ spanId }) => spanId));
  for (const command of handled) expect(command.links).toEqual([batch!.spanId]);
});

test('commands without a trace, or with an unsampled one, have no spans', async () => {
  const { handled, committed } = await commit([
    message(undefined),
    message({ requestId: newCause().requestId }),
  ]);
  expect([handled, committed]).toEqual([[], []]);
});

test('a transaction is traced if one of its commands is, and only that command has a span', async () => {
  const taken = newCause();
  const { handled, committed } = await commit([message(newCause('00')), message(taken)]);
  expect(handled.map(({ traceId }) => traceId)).toEqual([taken.traceparent.slice(3, 35)]);
  expect(committed).toHaveLength(1);
});

test('a refusal is recorded by its code and not as a failure; a defect is a failure, and the log names its request', async () => {
  const [refused, broken] = [newCause(), newCause()];
  const { handled, committed } = await commit([message(refused, 'refuse'), message(broken, 'throw')]);
  const of = ({ traceparent }: Required<Cause>) =>
    handled.find(({ traceId }) => traceId === traceparent.slice(3, 35));
  expect(of(refused)).toMatchObject({ failed: false });
  expect(of(refused)?.attributes['hub.error.code']).toBeString();
  expect(of(broken)).toMatchObject({ failed: true });
  // The shared transaction rolls back and counts as failed, and so does the retry of the defect.
  expect(committed.some(({ failed }) => failed)).toBe(true);
  expect(of(broken)!.links.length).toBeGreaterThan(1);
  const line = lines.find(({ msg }) => msg === 'a command failed');
  expect(line).toMatchObject({ request_id: broken.requestId, trace_id: broken.traceparent.slice(3, 35) });
});
