/** The command line of a worker process: what it accepts, and its messages for everything else. */
import { describe, expect, test } from 'bun:test';
import { parseWorkerArguments, WorkerArgumentsError, workerHelp } from '#workers/arguments.ts';
import { poolNames, workerProcessesFor } from '#workers/pool-registry.ts';
import { parseSettings } from '#runtime/settings/settings.ts';

describe('workers/main.ts', () => {
  test('accepts one pool, several pools, and a concurrency', () => {
    const alone = { pools: ['sweeper'], concurrency: null, metricsPort: null } as const;
    expect(parseWorkerArguments(['--pool', 'sweeper'])).toEqual(alone);
    const words = '--pool=sweeper --pool eval-runner --pool sweeper --metrics-port=0 --concurrency'.split(
      ' ',
    );
    for (const concurrency of [1, 1_000])
      expect(parseWorkerArguments([...words, String(concurrency)])).toEqual({
        pools: ['sweeper', 'eval-runner'],
        concurrency,
        metricsPort: 0,
      });
  });

  test.each([
    ['', 'Name at least one with --pool'],
    ['--pool cooks', 'Unknown pool: cooks'],
    ['--pool toString', 'Unknown pool: toString'],
    ['--pool sweeper --concurrency 0', '--concurrency must be a whole number from 1 to 1000'],
    ['--pool sweeper --concurrency 1001', '--concurrency must be'],
    ['--pool sweeper --concurrency 2.5', '--concurrency must be'],
    ['--pool sweeper --metrics-port 65536', '--metrics-port must be a whole number from 0 to 65535'],
    ['--pool sweeper --speed 9', '--speed'],
    ['sweeper', 'sweeper'],
  ])('rejects "%s" and says why', (line, reason) => {
    const parse = () => parseWorkerArguments(line.split(' ').filter((word) => word !== ''));
    expect(parse).toThrow(WorkerArgumentsError);
    expect(parse).toThrow(reason);
  });

  test('--help names every pool', () => {
    expect(parseWorkerArguments(['--help'])).toBeNull();
    for (const name of poolNames) expect(workerHelp).toContain(name);
  });
});

/** Which worker processes `npm start` runs: shared as START_PROCESSES says, as many as WORKER_PROCESSES says. */
const processesWith = (environment: Readonly<Record<string, string>>): string[] =>
  workerProcessesFor(parseSettings(environment)).map((pools) => pools.join('+'));

test('what talks to strangers has its own process; mail, webhooks and sweeper share one', () => {
  expect(processesWith({})).toEqual(['eval-runner', 'mail+sweeper+webhooks', 'seats']);
  expect(processesWith({ SMTP_INBOUND_PORT: '2525' }).at(-1)).toBe('inbound-mail');
  expect(processesWith({ START_PROCESSES: 'separate' })).toEqual(
    'eval-runner mail seats sweeper webhooks'.split(' '),
  );
});

test('further processes of a pool are its own, and a pool without processes is in no group', () => {
  expect(processesWith({ WORKER_PROCESSES: 'mail=2,sweeper=0' })).toEqual(
    'eval-runner mail+webhooks mail seats'.split(' '),
  );
  const groups = { START_PROCESSES: 'seats+eval-runner, webhooks+inbound-mail' };
  expect(processesWith(groups)).toEqual(['eval-runner+seats', 'mail', 'sweeper', 'webhooks']);
});

test('unknown pools, and pools in two groups, are refused by name', () => {
  expect(() => processesWith({ START_PROCESSES: 'mail+post' })).toThrow(
    /START_PROCESSES must name only.*"post"/,
  );
  expect(() => processesWith({ START_PROCESSES: 'mail,mail' })).toThrow(/START_PROCESSES must be/);
});
