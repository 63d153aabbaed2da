import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { describeExposure } from '#runtime/settings/describe-exposure.ts';
import { SettingsError } from '#runtime/settings/settings-error.ts';
import { parseSettings } from '#runtime/settings/settings.ts';

function faultsOf(environment: Record<string, string>): SettingsError {
  try {
    parseSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('These settings were accepted.');
}

const publicLimits = {
  registrationsPerMinute: 60,
  writesPerMinute: 600,
  readsPerMinute: 6000,
  searchesPerMinute: 120,
  agentMbPerDay: 100,
  networkMbPerDay: 400,
};

test('a hub that others can reach is public: it has rate limits and no address exceptions', () => {
  const reachable: Record<string, string>[] = [
    ...['0.0.0.0', '::', '192.0.2.7', 'hub.example.org', '::ffff:127.0.0.1'].map((HOST) => ({ HOST })),
    { BASE_URL: 'https://hub.example.org' },
    { BASE_URL: 'http://127.0.0.1.example.org' },
    { HOST: 'localhost', TRUSTED_PROXIES: '127.0.0.1' },
    { HOST: '0.0.0.0', BASE_URL: 'http://localhost:3000' },
  ];
  for (const environment of reachable) {
    const wanted = { environment, ...publicLimits, isPublic: true, evalAllowedTargets: [] };
    expect({ environment, ...parseSettings(environment) }).toMatchObject(wanted);
  }
});

test('a hub is private if host and base URL are loopback in any spelling and no proxy is named', () => {
  for (const HOST of ['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST']) {
    expect(parseSettings({ HOST }).isPublic).toBe(false);
  }
  const addresses = 'http://localhost https://LOCALHOST:3000/ http://[::1]:80 http://127.1'.split(' ');
  for (const BASE_URL of ['', ...addresses]) {
    expect([BASE_URL, parseSettings({ BASE_URL, TRUSTED_PROXIES: ' ' }).isPublic]).toEqual([BASE_URL, false]);
  }
});

test('the line printed at start shows the decision and what explicit settings changed', () => {
  const line = (environment: Record<string, string>) => describeExposure(parseSettings(environment));
  expect(line({})).toBe(
    'private hub: rate limits off, loopback targets allowed, operator pages open with the key in DATA_DIR/operator-key',
  );
  expect(line({ BASE_URL: 'https://hub.example.org' })).toBe(
    'public hub: rate limits on, loopback targets refused, operator pages open with the key in DATA_DIR/operator-key',
  );
  const explicit = { READS_PER_MINUTE: '0', EVAL_ALLOWED_TARGETS: '127.0.0.0/8' };
  expect(line({ HOST: '0.0.0.0', OPERATOR_KEY: 'x'.repeat(16), ...explicit })).toBe(
    'public hub: rate limits partly on, loopback targets allowed, operator pages open with OPERATOR_KEY',
  );
  // In demo mode, no key is written.
  expect(line({ DATABASE_URL: 'none' })).toContain('operator pages closed (OPERATOR_KEY is not set)');
});

test('a private hub has the limits of a public one in reserve, except those that are set', () => {
  const settings = parseSettings({ READS_PER_MINUTE: '7', EVAL_ALLOWED_TARGETS: 'loopback' });
  expect(settings.behindProxy).toEqual({
    ...publicLimits,
    readsPerMinute: 7,
    openRunsPerAgent: 5,
    failedCallsPerDay: 5000,
    evalAllowedTargets: ['loopback'],
  });
  expect(parseSettings({ HOST: '0.0.0.0' }).behindProxy).toBeNull();
});

test('no secret may contain the placeholder of the example files', () => {
  for (const [name, value] of [
    ['SECRET_KEY', 'change-me-change-me-change-me'],
    ['OPERATOR_KEY', 'please-CHANGE-ME-now-please'],
    ['INBOX_KEY', 'x-change-me-x-change-me'],
    ['CHECKOUT_ACCESS_TOKEN', 'change-me'],
    ['PAYMENTS_WEBHOOK_SECRET', 'whsec_change-me'],
    ['INBOUND_MAIL_SECRET', 'whsec_changeme'],
    ['DATABASE_URL', 'postgres://hub:change-me@db/hub'],
    ['REDIS_URL', 'redis://:change-me@redis:6379'],
    ['SMTP_URL', 'smtp://hub:change-me@mail.example'],
  ] as const) {
    const error = faultsOf({ [name]: value });
    expect([name, error.exitCode, error.message.includes('placeholder')]).toEqual([name, 78, true]);
  }
});

test('explicit limits and targets apply on a private hub too', () => {
  const limits = { REGISTRATIONS_PER_MINUTE: '5', WRITES_PER_MINUTE: '0', READS_PER_MINUTE: '7' };
  const set = { registrationsPerMinute: 5, writesPerMinute: 0, readsPerMinute: 7 };
  expect(parseSettings(limits)).toMatchObject(set);
  expect(parseSettings({ EVAL_ALLOWED_TARGETS: '' }).evalAllowedTargets).toEqual([]);
  expect(parseSettings({ EVAL_ALLOWED_TARGETS: 'none' }).evalAllowedTargets).toEqual([]);
});

test('all faults are reported at once, each with the name, the rule and the given value', () => {
  const error = faultsOf({
    PORT: '70000',
    HOST: '300.1.1.1',
    EVAL_ALLOWED_TARGETS: 'loopback, 10.0.0.0/33',
    MAIL_FROM: 'me',
  });
  expect(error.faults.map(({ name }) => name)).toEqual(['PORT', 'HOST', 'MAIL_FROM', 'EVAL_ALLOWED_TARGETS']);
  expect(error.message.split('\n')).toHaveLength(5);
  expect(error.message).toContain('PORT must be a whole number from 0 to 65535 (given: "70000")');
});

test('the value of a secret is never shown', () => {
  const secret = 'hunter2 hunter2 hunter2';
  const names = ['INBOX_KEY', 'OPERATOR_KEY', 'SECRET_KEY', 'PAYMENTS_WEBHOOK_SECRET', 'INBOUND_MAIL_SECRET'];
  const keys = Object.fromEntries([...names, 'CHECKOUT_ACCESS_TOKEN'].map((name) => [name, secret]));
  const url = 'ftp://user:hunter2@host/';
  const urls = { DATABASE_URL: url, REDIS_URL: url, SMTP_URL: url, BASE_URL: url, CHECKOUT_API_URL: url };
  const error = faultsOf({ ...keys, ...urls });
  expect(error.faults).toHaveLength(11);
  expect(error.message).not.toContain('hunter2');
});

const acceptedValues: Record<string, readonly string[]> = {
  BASE_URL: ['https://hub.example.org', 'http://localhost:3000/'],
  DATABASE_URL: [
    ...'none sqlite: sqlite:./x.db sqlite:///srv/x.db postgres://u:p@h:5432/d'.split(' '),
    ...'postgresql://h/d postgres://u:p,q@one:5432,[::1]:2,three/d?pool_mode=transaction'.split(' '),
    ...'postgres://h/d?pool_size=2&pool_mode=transaction postgres://h/d?pool_size=100'.split(' '),
  ],
  REDIS_URL: [
    ...'redis://localhost redis://:p@h:6379/1 rediss://u:p@h /run/hub/redis.sock'.split(' '),
    ...'redis+sentinel://one,two:26380/hub'.split(' '),
    ...'rediss+sentinel://u:p%40@[::1]:1/hub/2?sentinel_user=v&sentinel_password=s'.split(' '),
    ...'redis+cluster://one,two:6380,[::1]:1 rediss+cluster://u:p%40@one/'.split(' '),
  ],
  MAINTAINER_DIDS: [
    `did:key:z6Mk${'a'.repeat(44)}`,
    `did:key:z6Mk${'a'.repeat(44)}, did:key:z6Mk${'b'.repeat(44)},`,
  ],
  INBOX_KEY: ['x'.repeat(16), 'x'.repeat(512)],
  OPERATOR_KEY: ['0123456789abcdef'],
  PAYMENTS_WEBHOOK_SECRET: [
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    `whsec_${Buffer.alloc(25).toString('base64')}`,
  ],
  SMTP_URL: ['smtp://localhost', 'smtps://u:p@mail.example.org:465'],
  MAIL_FROM: ['hub@example.org', 'Agent Hub <hub@example.org>'],
  SMTP_INBOUND_PORT: ['off', '2525'],
  EVAL_ALLOWED_TARGETS: ['loopback', '10.0.0.0/8,fd00::/8', '192.0.2.1'],
  CORS_ORIGINS: ['*', 'https://a.example,http://localhost:5173'],
  TRUSTED_PROXIES: ['10.0.0.0/8', '2001:db8::/32', '::1'],
  CONSENTED_HOSTS: ['api.example.org', 'API.Example.org, 192.0.2.1', '2001:db8::1'],
  TRUSTED_ISSUERS: ['hub.example.org'],
  API_PROCESSES: process.platform === 'linux' ? ['1', '2', '64'] : ['1'],
  API_METRICS_PORT: ['off', '9480'],
  WORKER_PROCESSES: ['eval-runner=3', 'eval-runner=64, mail=0,', 'seats = 2'],
  WORKER_METRICS_PORT: ['off', '9464'],
  PROCESS_MEMORY_MAX_MB: ['off', '128', '4096'],
};

const refusedValues: Record<string, readonly string[]> = {
  PORT: ['-1', '3000.5', '0x50', '3e3', 'http', '65536'],
  HOST: ['[::1]', 'a b', '1.2.3', 'a..b', '-a'],
  BASE_URL: 'hub.example.org ftp://h https://h/?a=1 https://h/#a https://u:p@h https:h https://h/hub'.split(
    ' ',
  ),
  DATABASE_URL: [
    ...'mysql://h/d postgres://h postgres://one,two postgres://one,/d postgres://one,two:x/d'.split(' '),
    ...'postgres://one,two/d?pool_mode=session postgres://h/d?pool_size=1'.split(' '),
    ...'postgres://h/d?pool_size=101 postgres://h/d?pool_size=many sqlite::memory:'.split(' '),
    ...'sqlite://host/x.db sqlite:x.db?mode=ro hub.db'.split(' '),
    ...'postgres://u:p%zz@h/d postgres://u%@one,two/d postgres://h/d%'.split(' '),
  ],
  REDIS_URL: [
    ...'localhost:6379 http://h redis:// redis://h/name //h/1 / redis+sentinel://one'.split(' '),
    ...'redis+sentinel://one,/hub redis+sentinel://one:0/hub redis+sentinel://one/hub?pool=1'.split(' '),
    ...'redis+cluster:// redis+cluster://one, redis+cluster://one:65536'.split(' '),
    ...'redis+cluster://one/1 redis+cluster://one?password=p redis+cluster://u:%zz@one'.split(' '),
    ...'redis+ring://one redis://:p%zz@h redis://u%:p@h'.split(' '),
  ],
  MAINTAINER_DIDS: ['did:web:example.org', 'did:key:z6Mk', `did:key:z6Mk${'0'.repeat(44)}`],
  SECRET_KEY: ['short', 'with spaces with spaces'],
  INBOX_KEY: ['x'.repeat(15), 'x'.repeat(513), 'with spaces with spaces'],
  OPERATOR_KEY: ['x'.repeat(15), 'é'.repeat(16), 'with spaces with spaces'],
  PAYMENTS_WEBHOOK_SECRET: [
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ...'whsec_ whsec_c2hvcnQ= whsec_not-base64!'.split(' '),
  ],
  SMTP_URL: ['mail.example.org', 'http://h', 'smtp://'],
  MAIL_FROM: ['a@b@c', 'a@b, c@d', 'A <a@b', 'a b@c', 'a@b\nBcc: c@d'],
  CONTACT_TO: ['not an address'],
  SMTP_INBOUND_PORT: ['on', '99999'],
  EVAL_ALLOWED_TARGETS: [
    ...'10.0.0.0/33 ::/129 10.0.0/8 fe80::1%eth0/64 10.0.0.0/08 localhost'.split(' '),
    ...'10.0.0.5/8 ::ffff:10.0.0.1'.split(' '),
  ],
  EVAL_CALL_TIMEOUT_MS: ['0', '600001', '30s'],
  READS_PER_MINUTE: ['-1', 'off'],
  CORS_ORIGINS: ['example.org', 'https://a.example/path', 'https://u@a.example'],
  TRUSTED_PROXIES: ['loopback', '10.0.0.0/33'],
  CONSENTED_HOSTS: ['https://api.example.org', 'api.example.org:443', 'a@b', 'a/b', 'a b'],
  TRUSTED_ISSUERS: ['https://hub.example.org', 'a/b'],
  API_PROCESSES: process.platform === 'linux' ? ['0', '65', 'two'] : ['0', '2', 'two'],
  API_METRICS_PORT: ['on', '65536'],
  WORKER_PROCESSES: ['3', 'mail=65', 'mail=-1', 'mail=1.5', 'mail=', '=2', 'mail=1,mail=2', 'mail:2'],
  WORKER_METRICS_PORT: ['on', '65536'],
  PROCESS_MEMORY_MAX_MB: ['on', '127', '1.5', '1GB'],
};

test.each(Object.entries(acceptedValues))('%s is accepted in each of its forms', (name, values) => {
  for (const value of values) expect(() => parseSettings({ [name]: value })).not.toThrow();
});

test.each(Object.entries(refusedValues))('%s is rejected when it breaks its rule', (name, values) => {
  for (const value of values)
    expect(faultsOf({ [name]: value }).faults.map((fault) => fault.name)).toEqual([name]);
});

test('accepted values are normalized', () => {
  expect(parseSettings({ BASE_URL: 'https://Hub.Example.org/' }).baseUrl).toBe('https://hub.example.org');
  expect(parseSettings({ HOST: '::1', PORT: '80' }).baseUrl).toBe('http://[::1]');
  expect(parseSettings({ HOST: '0.0.0.0' }).baseUrl).toBe('http://localhost:3000');
  const { trustedProxies } = parseSettings({ TRUSTED_PROXIES: '192.0.2.1, ::1' });
  expect(trustedProxies).toEqual(['192.0.2.1/32', '::1/128']);
  expect(parseSettings({ PORT: '  ', OPERATOR_KEY: '' })).toMatchObject({ port: 3000, operatorKey: null });
});

test('settings are immutable, including their lists', () => {
  const settings = parseSettings({ TRUSTED_PROXIES: '10.0.0.0/8' });
  for (const part of [settings, settings.database, settings.trustedProxies, settings.maintainerDids]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test('for any text, the parser either succeeds or throws its own error', () => {
  const names = [...new Set([...Object.keys(acceptedValues), ...Object.keys(refusedValues)])];
  const others = [fc.webUrl(), fc.ipV4(), fc.ipV6(), fc.emailAddress()];
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), ...others);
  fc.assert(
    fc.property(fc.constantFrom(...names), text, (name, value) => {
      try {
        parseSettings({ [name]: value });
      } catch (error) {
        expect(error).toBeInstanceOf(SettingsError);
      }
    }),
  );
});

test('scheduled backups are off on Postgres unless they are asked for', () => {
  const DATABASE_URL = 'postgres://hub@db.internal/hub';
  const everyMs = (environment: Record<string, string>) => parseSettings(environment).backups.everyMs;
  expect(everyMs({ DATABASE_URL })).toBeNull();
  expect(everyMs({ DATABASE_URL, BACKUP_EVERY: ' ' })).toBeNull();
  expect(everyMs({ DATABASE_URL, BACKUP_EVERY: '1d' })).toBe(86_400_000);
  expect(everyMs({ BACKUP_EVERY: 'off' })).toBeNull();
  expect(parseSettings({ BACKUP_KEEP: '0h:30d:0w' }).backups.keep).toEqual({ hours: 0, days: 30, weeks: 0 });
  for (const BACKUP_EVERY of ['6', '1s', '31d', '-1h', 'daily'])
    expect(() => parseSettings({ BACKUP_EVERY })).toThrow(/BACKUP_EVERY must be a time from 10s to 30d/);
  for (const BACKUP_KEEP of ['24h', '7d:24h:8w', '24h:7d:8w:1y'])
    expect(() => parseSettings({ BACKUP_KEEP })).toThrow(/BACKUP_KEEP must be hours, days and weeks/);
});
