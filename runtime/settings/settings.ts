/**
 * Every setting of the hub, read from the environment once at the start of a process, checked as a whole, frozen and
 * handed down. No other module takes a setting from the environment. docs/settings.md lists the same names.
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { SettingsError } from './settings-error.ts';
import { cidrList, didList, mailAddress, originList, targetList } from './list-rules.ts';
import { apiProcesses, optionalMegabytes, processCounts } from './process-rules.ts';
import { SettingsReader, type Environment } from './settings-reader.ts';
import {
  baseUrl,
  databaseUrl,
  type DatabaseSetting,
  defaultSqliteFile,
  guessableKey,
  headerKey,
  httpUrl,
  listenHost,
  optionalPort,
  redisUrl,
  smtpUrl,
  webhookSecret,
  wholeNumber,
} from './rules.ts';
import { readTracing, type TracingSettings } from './tracing-settings.ts';

export type { DatabaseSetting } from './rules.ts';

export interface Settings {
  /** 0 lets the system choose; the supervisor settles it before it starts a process. */
  readonly port: number;
  readonly host: string;
  /** Whether `host` can only be reached from this machine. */
  readonly hostIsLoopback: boolean;
  /** Prefix of every absolute link, without a trailing slash. */
  readonly baseUrl: string;
  /** Absolute path; nothing is created by reading the settings. */
  readonly dataDir: string;
  readonly database: DatabaseSetting;
  /** URL or socket path, as ioredis takes it. Null: the supervisor runs a private Redis and passes its path on. */
  readonly redisUrl: string | null;
  readonly maintainerDids: readonly string[];
  readonly inboxKey: string | null;
  readonly operatorKey: string | null;
  /** Null: made once in `dataDir`. Use `loadSecretKey` (load-secret-key.ts), which covers both cases. */
  readonly secretKey: string | null;
  readonly paymentsWebhookSecret: string | null;
  readonly inboundMailSecret: string | null;
  readonly checkoutApiUrl: string | null;
  readonly checkoutAccessToken: string | null;
  /** Null: mail is written to `dataDir/mail/*.eml`. */
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  readonly contactTo: string | null;
  /** Null: no SMTP listener. */
  readonly smtpInboundPort: number | null;
  /** CIDRs with a prefix length, or the word `loopback`; empty when no exception is made. */
  readonly evalAllowedTargets: readonly string[];
  readonly evalCallTimeoutMs: number;
  /** 0 is off, here and in the two below. */
  readonly registrationsPerMinute: number;
  readonly writesPerMinute: number;
  readonly readsPerMinute: number;
  /** Origins, or `*`. */
  readonly corsOrigins: readonly string[];
  /** Reputation from which an agent may ask for verification. */
  readonly verificationReputation: number;
  /** CIDRs with a prefix length. */
  readonly trustedProxies: readonly string[];
  /** How many API processes `npm start` runs; above 1 they share the port, and so may those that are run by hand. */
  readonly apiProcesses: number;
  /** The first of the ports on which the API processes of `npm start` answer operators, each by itself; null: they do not. */
  readonly apiMetricsPort: number | null;
  /** How many worker processes `npm start` runs, by the name of the pool; one of each pool that is not named. */
  readonly workerProcesses: Readonly<Record<string, number>>;
  /** The first of the ports on which the workers of `npm start` answer operators; null: they do not. */
  readonly workerMetricsPort: number | null;
  /** Above this the supervisor ends a process and starts it again; null: never. */
  readonly processMemoryMaxMb: number | null;
  /** Null: nothing is traced. */
  readonly tracing: TracingSettings | null;
}

const portRange = wholeNumber(0, 65_535);
const perMinuteRange = wholeNumber(0, 1_000_000);
const callTimeoutsMs = wholeNumber(1, 600_000);
const reputations = wholeNumber(0, 1_000_000_000);

/**
 * Reads and checks all settings (decisions, section 10). Unknown variables are none of its business.
 * @throws {SettingsError} with every fault at once
 */
export function parseSettings(environment: Environment): Settings {
  const reader = new SettingsReader(environment);
  const port = reader.read('PORT', 3000, portRange);
  const host = reader.read('HOST', '127.0.0.1', listenHost);
  const hostIsLoopback = isLoopbackHost(host);
  const dataDir = resolve(environment['DATA_DIR']?.trim() || './data');
  const settings: Settings = {
    port,
    host,
    hostIsLoopback,
    baseUrl: reader.read('BASE_URL', baseUrlOf(host, port), baseUrl),
    dataDir,
    database: Object.freeze(
      reader.read(
        'DATABASE_URL',
        { kind: 'sqlite', file: defaultSqliteFile(dataDir) } as const,
        databaseUrl(dataDir),
      ),
    ),
    redisUrl: reader.read('REDIS_URL', null, redisUrl),
    ...readKeys(reader),
    ...readMail(reader),
    ...readLimits(reader, hostIsLoopback),
    corsOrigins: reader.read('CORS_ORIGINS', Object.freeze([]), originList),
    verificationReputation: reader.read('VERIFICATION_REPUTATION', 100, reputations),
    trustedProxies: reader.read('TRUSTED_PROXIES', Object.freeze([]), cidrList),
    ...readProcesses(reader),
    tracing: readTracing(reader),
  };
  if (reader.faults.length > 0) throw new SettingsError(reader.faults);
  return Object.freeze(settings);
}

function readKeys(reader: SettingsReader) {
  return {
    maintainerDids: reader.read('MAINTAINER_DIDS', Object.freeze([]), didList),
    inboxKey: reader.read('INBOX_KEY', null, guessableKey),
    operatorKey: reader.read('OPERATOR_KEY', null, guessableKey),
    secretKey: reader.read('SECRET_KEY', null, guessableKey),
    paymentsWebhookSecret: reader.read('PAYMENTS_WEBHOOK_SECRET', null, webhookSecret),
    inboundMailSecret: reader.read('INBOUND_MAIL_SECRET', null, webhookSecret),
    checkoutApiUrl: reader.read('CHECKOUT_API_URL', null, httpUrl),
    checkoutAccessToken: reader.read('CHECKOUT_ACCESS_TOKEN', null, headerKey),
  };
}

function readMail(reader: SettingsReader) {
  return {
    smtpUrl: reader.read('SMTP_URL', null, smtpUrl),
    mailFrom: reader.read('MAIL_FROM', null, mailAddress),
    contactTo: reader.read('CONTACT_TO', null, mailAddress),
    smtpInboundPort: reader.read('SMTP_INBOUND_PORT', null, optionalPort),
  };
}

/** What `npm start` makes of it; see cli/supervisor. */
function readProcesses(reader: SettingsReader) {
  return {
    apiProcesses: reader.read('API_PROCESSES', 1, apiProcesses),
    apiMetricsPort: reader.read('API_METRICS_PORT', null, optionalPort),
    workerProcesses: reader.read('WORKER_PROCESSES', Object.freeze({}), processCounts),
    workerMetricsPort: reader.read('WORKER_METRICS_PORT', null, optionalPort),
    processMemoryMaxMb: reader.read('PROCESS_MEMORY_MAX_MB', 1_024, optionalMegabytes),
  };
}

/** Rate limits are off on loopback unless set by hand: whoever reaches the hub there owns the machine. */
function readLimits(reader: SettingsReader, hostIsLoopback: boolean) {
  const perMinute = (name: string, elsewhere: number): number =>
    reader.read(name, hostIsLoopback ? 0 : elsewhere, perMinuteRange);
  // An empty EVAL_ALLOWED_TARGETS closes what loopback would open: for an exception list, empty has a meaning.
  const opensLoopback = hostIsLoopback && !reader.has('EVAL_ALLOWED_TARGETS');
  return {
    evalAllowedTargets: reader.read(
      'EVAL_ALLOWED_TARGETS',
      Object.freeze(opensLoopback ? ['loopback'] : []),
      targetList,
    ),
    evalCallTimeoutMs: reader.read('EVAL_CALL_TIMEOUT_MS', 30_000, callTimeoutsMs),
    registrationsPerMinute: perMinute('REGISTRATIONS_PER_MINUTE', 60),
    writesPerMinute: perMinute('WRITES_PER_MINUTE', 600),
    readsPerMinute: perMinute('READS_PER_MINUTE', 6000),
  };
}

/** The address a client on this machine can use. A wildcard host answers on every address, so `localhost` names it. */
export function baseUrlOf(host: string, port: number): string {
  const isWildcard = host === '0.0.0.0' || /^[0:]+$/.test(host);
  const name = isWildcard ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host;
  return `http://${name}${port === 80 ? '' : `:${port}`}`;
}

function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host.toLowerCase() === 'localhost' || /^[0:]*:0*1$/.test(host);
}
