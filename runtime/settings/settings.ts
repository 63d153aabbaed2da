/**
 * All settings of the hub. A process reads them from the environment once at its start, checks them together,
 * freezes them and passes them on. No other module reads settings from the environment. docs/settings.md
 * lists them.
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { SettingsError } from './settings-error.ts';
import { cidrList, didList, hostList, mailAddress, originList, targetList } from './list-rules.ts';
import { readBackups } from './backup-settings.ts';
import {
  apiProcesses,
  defaultStartProcesses,
  optionalMegabytes,
  processCounts,
  processGroups,
} from './process-rules.ts';
import { SettingsReader, type Environment } from './settings-reader.ts';
import {
  baseUrl,
  databaseUrl,
  defaultSqliteFile,
  guessableKey,
  headerKey,
  httpUrl,
  listenHost,
  onOrOff,
  optionalPort,
  redisUrl,
  smtpUrl,
  textLine,
  webhookSecret,
  wholeNumber,
} from './rules.ts';
import { readTracing } from './tracing-settings.ts';
import { hostNameInUrl, isLoopbackName } from '../inbound-http/host-names.ts';

export type Settings = ReturnType<typeof parseSettings>;
export type Limits = Readonly<ReturnType<typeof readLimits>>;

/** The limits at this moment: a private hub has those of a public one from the first sign of a proxy on. */
export function limitsNow<Known extends Partial<Limits>>(
  settings: Known & { readonly behindProxy: Known | null },
  proxies: { readonly isProxied: () => boolean },
): Known {
  const { behindProxy } = settings;
  return behindProxy !== null && proxies.isProxied() ? behindProxy : settings;
}

export const defaultHubName = 'Agent Hub';
const hubNameMax = 60;
const hubDescriptionMax = 300;
const defaultDescription =
  'Sign up with a key and be measured on tasks that nobody has seen before. Talk, publish skills, take on work, and build a reputation that anybody can check.';

const none: readonly string[] = Object.freeze([]);
const portRange = wholeNumber(0, 65_535);
const limitRange = wholeNumber(0, 1_000_000);
const callTimeoutsMs = wholeNumber(1, 600_000);
const runCosts = wholeNumber(0, 1_000);
const repliesPerToken = wholeNumber(0, 16_000);
const runSeconds = wholeNumber(60, 3_600);
const reputations = wholeNumber(0, 1_000_000_000);
const allowances = wholeNumber(0, 10_000);
const allowancePeriods = wholeNumber(1, 366);
const retentionDays = wholeNumber(0, 36_500);

/**
 * Reads and checks all settings. Ignores unknown variables.
 * @throws {SettingsError} with every wrong setting
 */
export function parseSettings(environment: Environment) {
  const reader = new SettingsReader(environment);
  const port = reader.read('PORT', 3000, portRange);
  const host = reader.read('HOST', '127.0.0.1', listenHost);
  const url = reader.read('BASE_URL', baseUrlOf(host, port), baseUrl);
  const trustedProxies = reader.read('TRUSTED_PROXIES', none, cidrList);
  const isPublic = isPublicHub({ host, baseUrl: url, trustedProxies });
  const dataDir = resolve(environment['DATA_DIR']?.trim() || './data');
  // `reader` reports the faults of the same settings.
  const behindProxy = isPublic ? null : Object.freeze(readLimits(new SettingsReader(environment), true));
  const database = Object.freeze(
    reader.read(
      'DATABASE_URL',
      { kind: 'sqlite', file: defaultSqliteFile(dataDir) } as const,
      databaseUrl(dataDir),
    ),
  );
  const settings = {
    /** 0 lets the system choose. The supervisor resolves it before it starts a process. */
    port,
    host,
    /** Whether other machines can reach the hub; see `isPublicHub`. */
    isPublic,
    /** Prefix of every absolute link, without a trailing slash. */
    baseUrl: url,
    /** An absolute path. Reading the settings creates nothing. */
    dataDir,
    database,
    /** URL or socket path, as ioredis accepts. Null: the supervisor runs a private Redis and passes its path on. */
    redisUrl: reader.read('REDIS_URL', null, redisUrl),
    ...readKeys(reader),
    ...readMail(reader),
    ...readRuns(reader, isPublic),
    ...readLimits(reader, isPublic),
    /** The limits of a private hub from the first sign of a proxy on. The limits of a public hub do not change. */
    behindProxy,
    /** Whether `/mcp` is served. */
    mcp: reader.read('MCP', true, onOrOff),
    /** Origins, or `*`. */
    corsOrigins: reader.read('CORS_ORIGINS', none, originList),
    /** Minimum reputation to ask for verification. */
    verificationReputation: reader.read('VERIFICATION_REPUTATION', 100, reputations),
    /** 0 disables the allowance. */
    allowanceTokens: reader.read('ALLOWANCE_TOKENS', 0, allowances),
    allowanceDays: reader.read('ALLOWANCE_DAYS', 7, allowancePeriods),
    ...readRetention(reader),
    /** CIDRs with a prefix length. */
    trustedProxies,
    ...readProcesses(reader),
    backups: readBackups(reader, { dataDir, onPostgres: database.kind === 'postgres' }),
    /** Null: tracing is off. */
    tracing: readTracing(reader),
  };
  if (reader.faults.length > 0) throw new SettingsError(reader.faults);
  return Object.freeze(settings);
}

/** 0 keeps the rows forever. */
function readRetention(reader: SettingsReader) {
  return {
    inboxRetentionDays: reader.read('INBOX_RETENTION_DAYS', 365, retentionDays),
    deliveryLogRetentionDays: reader.read('DELIVERY_LOG_RETENTION_DAYS', 7, retentionDays),
    evalCasesRetentionDays: reader.read('EVAL_CASES_RETENTION_DAYS', 180, retentionDays),
    notificationRetentionDays: reader.read('NOTIFICATION_RETENTION_DAYS', 90, retentionDays),
  };
}

function readKeys(reader: SettingsReader) {
  return {
    /** The name of the hub on pages and in documents. */
    hubName: reader.read('HUB_NAME', defaultHubName, textLine(hubNameMax)),
    hubDescription: reader.read('HUB_DESCRIPTION', defaultDescription, textLine(hubDescriptionMax)),
    /** Where people read the rules of the hub; null if nowhere. */
    hubRulesUrl: reader.read('HUB_RULES_URL', null, httpUrl),
    maintainerDids: reader.read('MAINTAINER_DIDS', none, didList),
    inboxKey: reader.read('INBOX_KEY', null, guessableKey),
    operatorKey: reader.read('OPERATOR_KEY', null, guessableKey),
    /** Null: created once in `dataDir`. `loadSecretKey` (load-secret-key.ts) covers both cases. */
    secretKey: reader.read('SECRET_KEY', null, guessableKey),
    paymentsWebhookSecret: reader.read('PAYMENTS_WEBHOOK_SECRET', null, webhookSecret),
    inboundMailSecret: reader.read('INBOUND_MAIL_SECRET', null, webhookSecret),
    checkoutApiUrl: reader.read('CHECKOUT_API_URL', null, httpUrl),
    checkoutAccessToken: reader.read('CHECKOUT_ACCESS_TOKEN', null, headerKey),
  };
}

function readMail(reader: SettingsReader) {
  return {
    /** Null: mail is written to `dataDir/mail/*.eml`. */
    smtpUrl: reader.read('SMTP_URL', null, smtpUrl),
    mailFrom: reader.read('MAIL_FROM', null, mailAddress),
    contactTo: reader.read('CONTACT_TO', null, mailAddress),
    /** Null: no SMTP listener. */
    smtpInboundPort: reader.read('SMTP_INBOUND_PORT', null, optionalPort),
  };
}

const noCounts: Readonly<Record<string, number>> = Object.freeze({});

/** Used by `npm start`; see cli/supervisor. */
function readProcesses(reader: SettingsReader) {
  return {
    /** How many API processes `npm start` runs. Above 1 they share the port, also with any started by hand. */
    apiProcesses: reader.read('API_PROCESSES', 1, apiProcesses),
    /** First of the ports on which each API process of `npm start` serves operators. Null: none. */
    apiMetricsPort: reader.read('API_METRICS_PORT', null, optionalPort),
    /** How many worker processes `npm start` runs, by pool. A pool that is not listed gets one. */
    workerProcesses: reader.read('WORKER_PROCESSES', noCounts, processCounts),
    /** Pools whose first processes `npm start` runs as one, each group by itself. The others are alone. */
    startProcesses: reader.read('START_PROCESSES', defaultStartProcesses, processGroups),
    /** First of the ports on which the workers of `npm start` serve operators. Null: none. */
    workerMetricsPort: reader.read('WORKER_METRICS_PORT', null, optionalPort),
    /** The supervisor restarts a process that exceeds this. Null: never. */
    processMemoryMaxMb: reader.read('PROCESS_MEMORY_MAX_MB', 1_024, optionalMegabytes),
  };
}

/**
 * Limits, of which 0 disables one, and the targets that are allowed besides public ones. They are open on a private hub
 * unless set: only users of this machine can reach it.
 */
function readLimits(reader: SettingsReader, isPublic: boolean) {
  const limit = (name: string, onPublicHub: number): number =>
    reader.read(name, isPublic ? onPublicHub : 0, limitRange);
  // An empty EVAL_ALLOWED_TARGETS denies loopback, unlike an unset one: an empty list of exceptions has a
  // meaning.
  const opensLoopback = !isPublic && !reader.has('EVAL_ALLOWED_TARGETS');
  return {
    /** CIDRs with a prefix length, or the word `loopback`. Empty: no exceptions. */
    evalAllowedTargets: reader.read(
      'EVAL_ALLOWED_TARGETS',
      Object.freeze(opensLoopback ? ['loopback'] : []),
      targetList,
    ),
    registrationsPerMinute: limit('REGISTRATIONS_PER_MINUTE', 60),
    writesPerMinute: limit('WRITES_PER_MINUTE', 600),
    readsPerMinute: limit('READS_PER_MINUTE', 6000),
    searchesPerMinute: limit('SEARCHES_PER_MINUTE', 120),
    /** Runs of one agent that are at work at the same time. */
    openRunsPerAgent: limit('OPEN_RUNS_PER_AGENT', 5),
    /** Calls of the hub to one agent's targets, within 24 hours, in runs that failed and were refunded. */
    failedCallsPerDay: limit('FAILED_CALLS_PER_DAY', 5000),
    /** What an agent may store within a day. */
    agentMbPerDay: limit('AGENT_MB_PER_DAY', 100),
    /** What the agents and visitors of a network may store within a day. */
    networkMbPerDay: limit('NETWORK_MB_PER_DAY', 400),
  };
}

/** On a private hub nobody but its operator pays, and nobody is there to grant tokens. */
function readRuns(reader: SettingsReader, isPublic: boolean) {
  const price = (name: string, onPublicHub: number, range: typeof runCosts): number =>
    reader.read(name, isPublic ? onPublicHub : 0, range);
  return {
    /** Hosts that runs may call without a limit in rate, as if they had agreed to it. */
    consentedHosts: reader.read('CONSENTED_HOSTS', none, hostList),
    /** Hosts of other hubs whose `did:web` documents the hub fetches, to verify their credentials. */
    trustedIssuers: reader.read('TRUSTED_ISSUERS', none, hostList),
    evalCallTimeoutMs: reader.read('EVAL_CALL_TIMEOUT_MS', 30_000, callTimeoutsMs),
    /** Of an eval run; a long one costs twice as much. 0: free. */
    evalRunCostTokens: price('EVAL_RUN_COST', 1, runCosts),
    agentRunCostTokens: price('AGENT_RUN_COST', 1, runCosts),
    /** How many replies of a suite run one token pays for. 0: such runs are free. */
    suiteRunRepliesPerToken: price('SUITE_RUN_REPLIES_PER_TOKEN', 40, repliesPerToken),
    evalFreeRunSeconds: reader.read('EVAL_FREE_RUN_SECONDS', 300, runSeconds),
    evalPaidRunSeconds: reader.read('EVAL_PAID_RUN_SECONDS', 600, runSeconds),
  };
}

/** The URL for a client on this machine. A wildcard host serves every address, so it becomes `localhost`. */
export function baseUrlOf(host: string, port: number): string {
  const isWildcard = host === '0.0.0.0' || /^[0:]+$/.test(host);
  const name = isWildcard ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host;
  return `http://${name}${port === 80 ? '' : `:${port}`}`;
}

interface Reach {
  readonly host: string;
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
}

/**
 * The defaults of rate limits, eval targets and operator pages follow from the answer. Private means that only programs
 * on this machine reach the hub. A proxy in front of it, or an address elsewhere, makes it public, even if the hub itself
 * listens on loopback.
 */
function isPublicHub({ host, baseUrl, trustedProxies }: Reach): boolean {
  const hostOfBaseUrl = hostNameInUrl(baseUrl) ?? '';
  return !isLoopbackName(host) || !isLoopbackName(hostOfBaseUrl) || trustedProxies.length > 0;
}
