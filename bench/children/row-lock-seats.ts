/**
 * The baseline for reservations: the same HTTP stack, authentication, rules, charge and rows, with one
 * transaction per request that locks the event's row (on SQLite an immediate transaction).
 */
import { eq } from 'drizzle-orm';
import { createActorClient } from '#actors/actor-client.ts';
import { buildApp } from '#api/app.ts';
import { listen } from '#api/listen.ts';
import { respond, endpoint } from '#api/endpoint.ts';
import { createBalanceBatcher, createTokenUsage } from '#api/batchers.ts';
import { createOpenStreams } from '#api/streams/open-streams.ts';
import { createCachedPages } from '#api/site/cached-pages.ts';
import { ReserveResponse, ReserveRequest, showSeat } from '#api/schemas/event.ts';
import { object } from '#api/schemas/object.ts';
import { uuid } from '#api/schemas/values.ts';
import { lockRows } from '#db/locks.ts';
import { openDatabase } from '#db/open-database.ts';
import { gradersInPlace } from '#domain/runs/grading/graders.ts';
import { createSuiteChecker } from '#domain/suites/suite-checker.ts';
import { type AgentCtx, type Ctx, withTransaction } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import { eventNotFound } from '#domain/events/event-refusals.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatReplies } from '#domain/events/seat-commands.ts';
import { noProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { systemClock } from '#runtime/clock.ts';
import { createId } from '#runtime/create-id.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, connectSubscriber } from '#runtime/redis/redis.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { listenToSignals } from '#runtime/redis/signals.ts';

const settings = parseSettings(process.env);
const { database, redisUrl } = settings;
if (database.kind === 'none' || redisUrl === null) throw new Error('The baseline needs a store and a Redis.');
const logger = createLogger({ name: 'row-lock' });
const redis = connectProducer(redisUrl, logger);
const db = await openDatabase(database);
const ctx: Ctx = {
  db,
  clock: systemClock,
  rules: hubRulesOf(settings),
  publisher: { publish: () => {}, signal: () => {} },
};

function reserveUnderLock(
  call: AgentCtx,
  eventId: string,
  key: string,
): Promise<SeatReplies['reserve-seat']> {
  return withTransaction(call, async (inner) => {
    const { events } = inner.db.tables;
    const [event] = await lockRows(
      inner.db,
      inner.db.query.select().from(events).where(eq(events.id, eventId)),
    );
    if (event === undefined) throw eventNotFound();
    const { id: agentId, handle: agentHandle } = call.agent;
    const command = { kind: 'reserve-seat', agentId, agentHandle, key } as const;
    const [result] = await handleSeatCommands(inner, [
      { state: event, messages: [{ id: createId(new Date()), command }] },
    ]);
    const reply = result?.replies[0];
    if (reply instanceof Error) throw reply;
    invariant(reply !== undefined && 'replayed' in reply, 'A reservation must return a seat.');
    return reply;
  });
}

const reserve = endpoint({
  method: 'POST',
  path: '/v1/events/:event_id/reserve',
  summary: 'Reserve a seat under a row lock',
  tag: 'events',
  auth: 'agent',
  params: object({ event_id: uuid() }),
  body: ReserveRequest,
  responses: { 200: { description: 'The seat.', schema: ReserveResponse } },
  idempotent: 'after',
  handle: async ({ ctx: call, params, body }) => {
    const { seat: row, balance } = await reserveUnderLock(call, params.event_id, body.idempotency_key ?? '');
    const seat = showSeat(row, call.rules.baseUrl);
    return respond(200, { seat, ics_url: seat.ics_url, balance });
  },
});

const app = buildApp(
  {
    ...ctx,
    settings,
    current: () => settings,
    demo: false,
    redis,
    logger,
    tracing: null,
    version: 'baseline',
    deliveryWaitMs: 0,
    probes: null,
    clientDocuments: null,
    issuerDocuments: null,
    proxies: noProxyWatch,
    checkout: null,
    secretKey: 'baseline',
    ending: new AbortController().signal,
    graders: gradersInPlace,
    suiteChecker: createSuiteChecker(),
    tokenUsage: createTokenUsage(ctx, logger),
    balances: createBalanceBatcher(ctx),
    pages: createCachedPages(ctx),
    actors: createActorClient(redis, connectSubscriber(redisUrl, logger), logger),
    signals: listenToSignals(connectSubscriber(redisUrl, logger)),
    streams: createOpenStreams(redis, logger),
  },
  { endpoints: [reserve] },
);
const { port } = listen(app, { hostname: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true, port });
