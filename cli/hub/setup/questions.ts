/** What `hub setup` asks. Each answer is checked as it is given: services are called, names resolved, ports tried. */
import { lookup } from 'node:dns/promises';
import { rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemDataFolder } from '#cli/find-settings.ts';
import { settleDataDir, settlePort } from '#cli/supervisor/settle-defaults.ts';
import { SchemaTooOldError, someCause } from '#db/errors.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { reservedHandles } from '#domain/agents/agent-limits.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';
import { hostNameInUrl, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { faultOfSmtpServer } from '#workers/mail/smtp-transport.ts';

/** By the name of the flag. Empty until asked. */
export type Answers = Readonly<Partial<Record<QuestionName, string>>>;

export type QuestionName =
  | 'data'
  | 'address'
  | 'port'
  | 'database'
  | 'redis'
  | 'mail'
  | 'mail-from'
  | 'run-cost'
  | 'maintainer';

export interface Question {
  readonly name: QuestionName;
  /** Of the flag. */
  readonly value: string;
  readonly about: string;
  /** That the answer becomes, if messages name it. */
  readonly setting?: string;
  /** Whether it matters, given the answers so far. */
  isAsked(answers: Answers): boolean;
  proposal(answers: Answers): string;
  /** @returns the answer in its final form. @throws StartError with what is wrong and what to do */
  check(answer: string, answers: Answers): Promise<string>;
}

const smtpTimeoutMs = 10_000;
export const none = 'none';
export const privateRedis = 'private';
const always = (): boolean => true;

export const questions: readonly Question[] = [
  {
    name: 'data',
    setting: 'DATA_DIR',
    value: '<folder>',
    about: 'The folder for the data of the hub and its settings',
    isAsked: always,
    proposal: () => (process.getuid?.() === 0 ? systemDataFolder : resolve('data')),
    check: async (answer) => {
      const folder = resolve(answer);
      await tryDataDir(folder);
      return folder;
    },
  },
  {
    name: 'address',
    setting: 'BASE_URL',
    value: '<url>',
    about:
      'The address at which agents reach the hub, such as https://hub.example.org; none for this machine only',
    isAsked: always,
    proposal: () => none,
    check: checkAddress,
  },
  {
    name: 'port',
    setting: 'PORT',
    value: '<port>',
    about: 'The port on this machine',
    isAsked: ({ address = none }) => !address.startsWith('http://'),
    proposal: () => '3000',
    check: async (answer) => {
      const { host, port } = parseSettings({ PORT: answer });
      await settlePort(host, port);
      return String(port);
    },
  },
  {
    name: 'database',
    setting: 'DATABASE_URL',
    value: '<url>',
    about: 'The database: sqlite, or postgres://user:password@host/database',
    isAsked: always,
    proposal: () => 'sqlite',
    check: checkDatabase,
  },
  {
    name: 'redis',
    setting: 'REDIS_URL',
    value: '<url>',
    about: 'Redis: private to run one with the hub, or the URL of a server',
    isAsked: always,
    proposal: () => privateRedis,
    check: checkRedisAnswer,
  },
  {
    name: 'mail',
    setting: 'SMTP_URL',
    value: '<url>',
    about: 'Mail: none to write it to files, or smtps://user:password@host',
    isAsked: always,
    proposal: () => none,
    check: checkMail,
  },
  {
    name: 'mail-from',
    setting: 'MAIL_FROM',
    value: '<address>',
    about: 'The sender of the mail',
    isAsked: ({ mail = none }) => mail !== none,
    proposal: ({ address = none }) =>
      `hub@${(address === none ? null : hostNameInUrl(address)) ?? 'localhost'}`,
    check: async (answer) => parseSettings({ MAIL_FROM: answer }).mailFrom ?? answer,
  },
  {
    name: 'run-cost',
    setting: 'EVAL_RUN_COST',
    value: '<tokens>',
    about: 'What a run costs, in tokens; 0 makes runs free',
    isAsked: always,
    proposal: ({ address = none }) => (isPrivate(address) ? '0' : '1'),
    check: async (answer) => String(parseSettings({ EVAL_RUN_COST: answer }).evalRunCostTokens),
  },
  {
    name: 'maintainer',
    value: '<handle>',
    about: 'Your handle as the first maintainer, who grants tokens and moderates',
    isAsked: always,
    proposal: () => 'keeper',
    check: async (answer) => {
      if (/^[a-z0-9-]{3,24}$/.test(answer) && !reservedHandles.has(answer)) return answer;
      throw wrong(
        `\`${answer}\` cannot be a handle. Use 3 to 24 lower-case letters, digits and hyphens; some words are reserved.`,
      );
    },
  },
];

/** Leaves no folder behind: the answers that follow may be wrong. */
async function tryDataDir(folder: string): Promise<void> {
  const created = await settleDataDir(folder);
  if (created === null) return;
  for (let at = folder; at.startsWith(created); at = dirname(at)) await rmdir(at);
}

export function isPrivate(address: string): boolean {
  return address === none || isLoopbackName(hostNameInUrl(address) ?? '');
}

async function checkAddress(answer: string): Promise<string> {
  if (answer === none) return none;
  const { baseUrl } = parseSettings({ BASE_URL: answer });
  const { hostname, protocol, port } = new URL(baseUrl);
  const name = hostname.replaceAll(/[[\]]/g, '');
  try {
    await lookup(name);
  } catch {
    throw wrong(`The name ${name} does not resolve. Create its DNS record, or correct the address.`);
  }
  if (protocol === 'http:') {
    // Without a proxy, the hub itself listens there.
    await settlePort(isPrivate(baseUrl) ? '127.0.0.1' : '0.0.0.0', Number(port || '80'));
  }
  return baseUrl;
}

async function checkDatabase(answer: string, { data = '' }: Answers): Promise<string> {
  if (answer === 'sqlite') return answer;
  const { database } = parseSettings({ DATABASE_URL: answer, DATA_DIR: data });
  if (database.kind !== 'postgres')
    throw wrong('Answer sqlite, or a URL such as postgres://user:password@host/database.');
  try {
    const db = await openExistingDatabase(database);
    await db.close();
  } catch (error) {
    // An empty database gets its tables at the end.
    if (!someCause(error, (cause) => cause instanceof SchemaTooOldError)) throw error;
  }
  return answer;
}

async function checkRedisAnswer(answer: string): Promise<string> {
  if (answer !== privateRedis) {
    const { redisUrl } = parseSettings({ REDIS_URL: answer });
    if (redisUrl !== null) await checkRedis(redisUrl);
    return answer;
  }
  if (findRedisServer() !== null) return answer;
  throw wrong(
    'There is no redis-server or valkey-server on this machine. Install one (Debian, Ubuntu: apt-get install redis-server), or name another server.',
  );
}

async function checkMail(answer: string): Promise<string> {
  if (answer === none) return none;
  const { smtpUrl } = parseSettings({ SMTP_URL: answer });
  const fault = smtpUrl === null ? null : await faultOfSmtpServer(smtpUrl, smtpTimeoutMs);
  if (fault === null) return answer;
  throw wrong(`The mail server cannot be used: ${fault} Correct the URL, or answer none for now.`);
}

function wrong(message: string): StartError {
  return new StartError(message, { isSetting: true });
}

/** The settings for complete answers, as they are in `hub.env`. */
export function settingsOf(answers: Answers, inboxKey: string): Readonly<Record<string, string>> {
  const { data = '', address = none, port = '3000', database = 'sqlite', redis = privateRedis } = answers;
  const { mail = none, 'mail-from': mailFrom = '', 'run-cost': cost = '1' } = answers;
  const url = address === none ? null : new URL(address);
  const isDirect = url?.protocol === 'http:';
  return {
    DATA_DIR: data,
    ...(url === null ? {} : { BASE_URL: address }),
    ...(isDirect && !isPrivate(address) ? { HOST: '0.0.0.0' } : {}),
    PORT: isDirect ? url.port || '80' : port,
    // The proxy that obtains the certificate is on this machine.
    ...(url?.protocol === 'https:' ? { TRUSTED_PROXIES: '127.0.0.1/32,::1/128' } : {}),
    ...(database === 'sqlite' ? {} : { DATABASE_URL: database }),
    ...(redis === privateRedis ? {} : { REDIS_URL: redis }),
    ...(mail === none ? {} : { SMTP_URL: mail, MAIL_FROM: mailFrom }),
    EVAL_RUN_COST: cost,
    AGENT_RUN_COST: cost,
    SUITE_RUN_REPLIES_PER_TOKEN: cost === '0' ? '0' : '40',
    INBOX_KEY: inboxKey,
  };
}
