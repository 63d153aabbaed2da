/** `hub queues`: shows queues; pauses, drains and retries them. */
import { Argument, Option } from 'commander';
import { kindsOfQueue, queueNames } from '#domain/jobs/job-kinds.ts';
import { wholeNumber } from '../arguments.ts';
import { endWith } from '../command-line.ts';
import type { Operator } from '../operator/open-operator.ts';
import { drainQueue, findQueues, type QueueStatus, readQueueStatus, retryQueue } from '../operator/queues.ts';
import { commandTable, operatorCommand } from '../operator-command.ts';
import { type Cell, tableOf } from '../output.ts';

const about =
  'Show, pause, drain and retry queues.\n\nThe queues only carry jobs from the API to the workers. A job stays open in the database until its work is committed, and is published again if its queue loses it. So no command here can lose a job. Only Redis knows that a queue is paused, so a queue resumes if Redis loses its data.';

const everyQueue = 'all';
const queuesOfJobs = queueNames.filter((name) => kindsOfQueue(name).length > 0);

function queueArgument(names: readonly string[]): Argument {
  return new Argument('<queue...>', 'Names of queues').choices([...names, everyQueue]);
}

interface GivenQueues {
  readonly queue: readonly string[];
}

interface GivenDrain extends GivenQueues {
  readonly timeout: number;
}

function namesIn({ queue }: GivenQueues, all: readonly string[] = queueNames): readonly string[] {
  return queue.includes(everyQueue) ? all : [...new Set(queue)];
}

type Columns = Readonly<Record<string, (status: QueueStatus) => Cell>>;

const columns: Columns = {
  queue: ({ name }) => name,
  state: ({ paused }) => (paused ? 'PAUSED' : 'running'),
  workers: ({ workers }) => workers,
  waiting: ({ waiting }) => waiting,
  active: ({ active }) => active,
  delayed: ({ delayed }) => delayed,
  open: ({ open }) => open,
  'oldest waits': ({ oldestWaitingMs }) => `${(oldestWaitingMs / 1_000).toFixed(1)} s`,
};

type Queues = Awaited<ReturnType<typeof findQueues>>;

async function statusOf(operator: Operator, queues: Queues) {
  const statuses = await Promise.all(queues.map((queue) => readQueueStatus(operator, queue)));
  const shown = statuses.map(({ oldestWaitingMs, ...status }) => ({
    ...status,
    oldest_waiting_seconds: oldestWaitingMs / 1_000,
  }));
  return [{ queues: shown }, tableOf(columns, statuses)] as const;
}

const pauseMeans = `
While a queue is paused, workers finish their current jobs and take no new ones:
  eval-runs    runs are accepted and wait
  mail         POST /v1/contact returns 502; other mail waits
  webhooks     deliveries wait
  actor-wakes  requests that reserve or cancel seats return 503`;

const pausing = (given: GivenQueues) => `Workers will take no new jobs from ${namesIn(given).join(', ')}.`;

const drainSeconds = { usual: 600, most: 86_400 };

export const addCommands = commandTable('queues', about, [
  operatorCommand({
    name: 'status',
    about:
      'Show every queue: jobs by state from Redis, open jobs and the age of the oldest waiting one from the database',
    examples: ['--json'],
    run: async (_ctx, _given, operator) => statusOf(operator, await findQueues(operator, queueNames)),
  }),
  operatorCommand({
    name: 'pause',
    about: 'Stop workers from taking new jobs of a queue, until `hub queues resume`',
    args: [queueArgument(queueNames)],
    help: pauseMeans,
    examples: ['eval-runs --yes'],
    consequence: (_ctx, given: GivenQueues) => pausing(given),
    run: async (_ctx, given: GivenQueues, operator) => {
      const found = await findQueues(operator, namesIn(given));
      for (const queue of found) await queue.pause();
      return statusOf(operator, found);
    },
  }),
  operatorCommand({
    name: 'resume',
    about: 'Resume a paused or drained queue',
    args: [queueArgument(queueNames)],
    examples: ['all'],
    run: async (_ctx, given: GivenQueues, operator) => {
      const found = await findQueues(operator, namesIn(given));
      for (const queue of found) await queue.resume();
      return statusOf(operator, found);
    },
  }),
  operatorCommand({
    name: 'retry',
    about:
      'Run every open job of a queue now, including emails and deliveries waiting for another attempt, and publish those that the queue has lost',
    args: [queueArgument(queuesOfJobs)],
    help: 'Closed jobs stay closed: a failed eval run has been refunded, and its agent can redeem another.',
    examples: ['mail'],
    run: async (_ctx, given: GivenQueues, operator) => {
      const retried: { queue: string; jobs: number }[] = [];
      for (const queue of await findQueues(operator, namesIn(given, queuesOfJobs)))
        retried.push({ queue: queue.name, jobs: await retryQueue(operator, queue) });
      return [{ retried }, retried.map(({ queue, jobs }) => `${queue}: ${jobs} open jobs are due now`)];
    },
  }),
  operatorCommand({
    name: 'drain',
    about:
      'Pause a queue and wait until its workers have finished their current jobs, for example before an upgrade. Waiting jobs are kept; continue with `hub queues resume`',
    args: [queueArgument(queueNames)],
    options: [
      new Option('--timeout <seconds>', 'Maximum time to wait')
        .argParser(wholeNumber(1, drainSeconds.most))
        .default(drainSeconds.usual),
    ],
    help: `${pauseMeans}\n\nExits with 1 if jobs are still running after that time. The queue stays paused.`,
    examples: ['eval-runs --timeout 900 --yes'],
    consequence: (_ctx, given: GivenDrain) => pausing(given),
    run: async (_ctx, given: GivenDrain, operator, output) => {
      const found = await findQueues(operator, namesIn(given));
      const until = performance.now() + given.timeout * 1_000;
      for (const queue of found) await queue.pause();
      for (const queue of found) await drainQueue(queue, until, output);
      const printed = await statusOf(operator, found);
      endWith(printed[0].queues.every(({ active }) => active === 0));
      return printed;
    },
  }),
]);
