/** What the API is handed by whoever starts it: `main.ts` in production, the harness in tests. */
import type { ActorClient } from '#actors/actor-client.ts';
import type { Database } from '#db/database.ts';
import type { HubRules } from '#domain/hub-rules.ts';
import type { JobPublisher } from '#domain/jobs/job-kinds.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';
import type { BalanceBatcher } from './batching/balance-batcher.ts';
import type { CheckoutClient } from './checkout-client.ts';
import type { OpenStreams } from './streams/open-streams.ts';
import type { TokenUsage } from './batching/token-usage.ts';

/** The settings that the HTTP edge itself goes by; the rules of the hub are in `rules`. */
export type ApiSettings = Pick<
  Settings,
  | 'operatorKey'
  | 'inboxKey'
  | 'inboundMailSecret'
  | 'paymentsWebhookSecret'
  | 'checkoutApiUrl'
  | 'checkoutAccessToken'
  | 'registrationsPerMinute'
  | 'writesPerMinute'
  | 'readsPerMinute'
  | 'corsOrigins'
  | 'trustedProxies'
>;

export interface ApiDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: HubRules;
  readonly settings: ApiSettings;
  readonly publisher: JobPublisher;
  /** True when the hub shows built-in data: nothing can be written, and lists say so. */
  readonly demo: boolean;
  /** The producer connection, for short commands; null in demo mode. */
  readonly redis: Redis | null;
  readonly logger: Logger;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  /** Of the running service, as `GET /v1/health` tells it. */
  readonly version: string;
  /** Keys the hashes of client networks. */
  readonly secretKey: string;
  /** How long a request waits for the mail it sends to be taken; a little longer than a worker tries. */
  readonly deliveryWaitMs: number;
  /** Aborts when the process is about to end, for what would otherwise keep a connection open. */
  readonly ending: AbortSignal;
  /** Notes which bearer tokens are in use. */
  readonly tokenUsage: TokenUsage;
  /** Answers what agents have to spend. */
  readonly balances: BalanceBatcher;
  /** Counts the streams that agents follow. */
  readonly streams: OpenStreams;
  /** Opens checkouts at the payment provider; null where none is configured. */
  readonly checkout: CheckoutClient | null;
  /** Asks actors, which run in worker processes. */
  readonly actors: ActorClient;
  /** Tells of what other processes did. */
  readonly signals: Signals;
}
