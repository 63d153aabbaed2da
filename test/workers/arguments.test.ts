/** The command line of a worker process: what it accepts, and its messages for everything else. */
import { describe, expect, test } from 'bun:test';
import { parseWorkerArguments, WorkerArgumentsError, workerHelp } from '#workers/arguments.ts';
import { poolNames } from '#workers/pool-registry.ts';

describe('workers/main.ts', () => {
  test('accepts one pool, several pools, and a concurrency', () => {
    expect(parseWorkerArguments(['--pool', 'sweeper'])).toEqual({
      pools: ['sweeper'],
      concurrency: null,
      metricsPort: null,
    });
    expect(
      parseWorkerArguments([
        '--pool=sweeper',
        '--pool',
        'eval-runner',
        '--pool',
        'sweeper',
        '--concurrency',
        '20',
        '--metrics-port=0',
      ]),
    ).toEqual({ pools: ['sweeper', 'eval-runner'], concurrency: 20, metricsPort: 0 });
  });

  test('accepts the minimum and maximum concurrency', () => {
    for (const concurrency of [1, 1_000]) {
      const words = ['--pool', 'sweeper', '--concurrency', String(concurrency)];
      expect(parseWorkerArguments(words)?.concurrency).toBe(concurrency);
    }
  });

  test.each([
    [[], 'Name at least one with --pool'],
    [['--pool', 'cooks'], 'Unknown pool: cooks'],
    [['--pool', 'toString'], 'Unknown pool: toString'],
    [['--pool', 'sweeper', '--concurrency', '0'], '--concurrency must be a whole number from 1 to 1000'],
    [['--pool', 'sweeper', '--concurrency', '1001'], '--concurrency must be'],
    [['--pool', 'sweeper', '--concurrency', '2.5'], '--concurrency must be'],
    [
      ['--pool', 'sweeper', '--metrics-port', '65536'],
      '--metrics-port must be a whole number from 0 to 65535',
    ],
    [['--pool', 'sweeper', '--speed', '9'], '--speed'],
    [['sweeper'], 'sweeper'],
  ])('rejects %j and says why', (words, reason) => {
    expect(() => parseWorkerArguments(words)).toThrow(WorkerArgumentsError);
    expect(() => parseWorkerArguments(words)).toThrow(reason);
  });

  test('--help names every pool', () => {
    expect(parseWorkerArguments(['--help'])).toBeNull();
    for (const name of poolNames) expect(workerHelp).toContain(name);
  });
});
