/** The dependencies of the API, passed in by `main.ts` in production and by the harness in tests. */
import type { ActorClient } from '#actors/actor-client.ts';
import type { Database } from '#db/database.ts';
import type { Graders } from '#domain/runs/grading/grade-reply.ts';
import type { HubRules } from '#domain/hub-rules.ts';
import type { SuiteChecker } from '#domain/suites/suite-checker.ts';
import type { JobPublisher } from '#domain/jobs/job-kinds.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';
import type { TokenUsage } from '#domain/agents/token-bearers.ts';
import type { BalanceBatcher } from '#domain/tokens/read-balances.ts';
import type { CheckoutClient } from './checkout-client.ts';
import type { ReadTurns } from './access/read-turns.ts';
import type { CachedPages } from './site/cached-pages.ts';
import type { Probes } from './probes.ts';
import type { ProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import type { LoadedIssuerDocuments } from './issuer-documents.ts';
import type { ClientDocuments } from './oauth/client-documents.ts';
import type { OpenStreams } from './streams/open-streams.ts';

/** The settings of the HTTP layer. The settings that domain rules need are in `rules`. */
export type ApiSettings = Pick<
  Settings,
  | 'isPublic'
  | 'operatorKey'
  | 'inboxKey'
  | 'inboundMailSecret'
  | 'paymentsWebhookSecret'
  | 'checkoutApiUrl'
  | 'checkoutAccessToken'
  | 'corsOrigins'
  | 'trustedProxies'
  | 'mcp'
> &
  ApiLimits & {
    /** The limits of a private hub from the first sign of a proxy on; null on a public hub. */
    readonly behindProxy: ApiLimits | null;
  };

export type ApiLimits = Pick<
  Settings,
  'registrationsPerMinute' | 'writesPerMinute' | 'readsPerMinute' | 'searchesPerMinute'
>;

export interface ApiDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: HubRules;
  readonly settings: ApiSettings;
  readonly publisher: JobPublisher;
  /** True in demo mode: data is built in, and nothing can be written. */
  readonly demo: boolean;
  /** The producer connection, for short commands; null in demo mode. */
  readonly redis: Redis | null;
  readonly logger: Logger;
  /** Null if tracing is off. */
  readonly tracing: Tracing | null;
  /** The version of the running service, as reported by `GET /v1/health`. */
  readonly version: string;
  /** Whether a proxy that the settings do not name stands in front of a private hub. */
  readonly proxies: ProxyWatch;
  /** Keys the hashes of client networks. */
  readonly secretKey: string;
  /**
   * How long a request waits for the mail server to accept its mail; slightly longer than a worker tries.
   */
  readonly deliveryWaitMs: number;
  /** Aborts when the process shuts down, to end long-lived connections. */
  readonly ending: AbortSignal;
  /** Records when bearer tokens were last used. */
  readonly tokenUsage: TokenUsage;
  /** Reads token balances in batches. */
  readonly balances: BalanceBatcher;
  /** Caches public pages until the store changes. */
  readonly pages: CachedPages;
  /** Shares the turns of exports and reports that are downloaded. */
  readonly downloads: ReadTurns;
  /** Limits the open streams of each agent. */
  readonly streams: OpenStreams;
  /** Calls the targets of probes; null in demo mode. */
  readonly probes: Probes | null;
  /** Loads the metadata of OAuth clients; null in demo mode. */
  readonly clientDocuments: ClientDocuments | null;
  /** Loads the documents of other hubs that the operator has listed; null in demo mode. */
  readonly issuerDocuments: LoadedIssuerDocuments | null;
  /** Opens checkout sessions; null if no payment provider is configured. */
  readonly checkout: CheckoutClient | null;
  /** Grade replies in child processes. */
  readonly graders: Graders;
  /** Checks and imports the texts of suites in child processes. */
  readonly suiteChecker: SuiteChecker;
  /** Sends commands to actors, which run in worker processes. */
  readonly actors: ActorClient;
  /** Delivers signals from other processes. */
  readonly signals: Signals;
}
