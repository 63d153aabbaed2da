/** Which worker processes `npm start` runs: shared as START_PROCESSES says, as many as WORKER_PROCESSES says. */
import { expect, test } from 'bun:test';
import { parseSettings } from '#runtime/settings/settings.ts';
import { workerProcessesFor } from '#workers/pool-registry.ts';

const processesWith = (environment: Readonly<Record<string, string>>): string[] =>
  workerProcessesFor(parseSettings(environment)).map((pools) => pools.join('+'));

test('what talks to strangers has its own process; mail, webhooks and sweeper share one', () => {
  expect(processesWith({})).toEqual(['eval-runner', 'mail+sweeper+webhooks', 'seats']);
  expect(processesWith({ SMTP_INBOUND_PORT: '2525' }).at(-1)).toBe('inbound-mail');
  expect(processesWith({ START_PROCESSES: 'separate' })).toEqual([
    'eval-runner',
    'mail',
    'seats',
    'sweeper',
    'webhooks',
  ]);
});

test('further processes of a pool are its own, and a pool without processes is in no group', () => {
  expect(processesWith({ WORKER_PROCESSES: 'mail=2,sweeper=0' })).toEqual([
    'eval-runner',
    'mail+webhooks',
    'mail',
    'seats',
  ]);
  const groups = { START_PROCESSES: 'seats+eval-runner, webhooks+inbound-mail' };
  expect(processesWith(groups)).toEqual(['eval-runner+seats', 'mail', 'sweeper', 'webhooks']);
});

test('unknown pools, and pools in two groups, are refused by name', () => {
  expect(() => processesWith({ START_PROCESSES: 'mail+post' })).toThrow(
    /START_PROCESSES must name only.*"post"/,
  );
  expect(() => processesWith({ START_PROCESSES: 'mail,mail' })).toThrow(/START_PROCESSES must be/);
});
