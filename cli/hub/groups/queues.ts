/** `hub queues`: shows queues; pauses, drains and retries them. */
import { Argument, type Command } from 'commander';
import { kindsOfQueue, queueNames } from '#domain/jobs/job-kinds.ts';
import { confirm, wholeNumber, yesOption } from '../arguments.ts';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';
import { drainQueue, findQueues, type QueueStatus, readQueueStatus, retryQueue } from '../operator/queues.ts';
import { tableLines } from '../output.ts';

const about =
  'Show, pause, drain and retry queues.\n\nThe queues only carry jobs from the API to the workers. A job stays open in the database until its work is committed, and is published again if its queue loses it. So no command here can lose a job. Only Redis knows that a queue is paused, so a queue resumes if Redis loses its data.';

export const addQueuesCommands: CommandGroup = (program, line) => {
  const queues = program.command('queues').description(about).summary('Show, pause, drain and retry queues');
  addStatus(queues, line);
  addPause(queues, line);
  addResume(queues, line);
  addRetry(queues, line);
  addDrain(queues, line);
};

const everyQueue = 'all';

function queueArgument(names: readonly string[]): Argument {
  return new Argument('<queue...>', 'Names of queues').choices([...names, everyQueue]);
}

function namesOf(given: readonly string[], all: readonly string[]): readonly string[] {
  return given.includes(everyQueue) ? all : [...new Set(given)];
}

function addStatus(queues: Command, line: CommandLine): void {
  queues
    .command('status')
    .description(
      'Show every queue: jobs by state from Redis, open jobs and the age of the oldest waiting one from the database',
    )
    .addHelpText('after', '\nExample:\n  hub queues status --json')
    .action(() =>
      withOperator(async (operator) => {
        const found = await findQueues(operator, queueNames);
        show(line, await Promise.all(found.map((queue) => readQueueStatus(operator, queue))));
      }),
    );
}

function show(line: CommandLine, statuses: readonly QueueStatus[]): void {
  line.output().result(
    {
      queues: statuses.map(({ oldestWaitingMs, ...status }) => ({
        ...status,
        oldest_waiting_seconds: oldestWaitingMs / 1_000,
      })),
    },
    tableLines(
      ['queue', 'state', 'workers', 'waiting', 'active', 'delayed', 'open', 'oldest waits'],
      statuses.map((status) => [
        status.name,
        status.paused ? 'PAUSED' : 'running',
        status.workers,
        status.waiting,
        status.active,
        status.delayed,
        status.open,
        `${(status.oldestWaitingMs / 1_000).toFixed(1)} s`,
      ]),
    ),
  );
}

const pauseMeans = `
While a queue is paused, workers finish their current jobs and take no new ones:
  eval-runs    runs are accepted and wait
  mail         POST /v1/contact returns 502; other mail waits
  webhooks     deliveries wait
  actor-wakes  requests that reserve or cancel seats return 503`;

function addPause(queues: Command, line: CommandLine): void {
  queues
    .command('pause')
    .addArgument(queueArgument(queueNames))
    .description('Stop workers from taking new jobs of a queue, until `hub queues resume`')
    .option(...yesOption)
    .addHelpText('after', `${pauseMeans}\n\nExample:\n  hub queues pause eval-runs --yes`)
    .action((given: readonly string[], { yes }: { yes: boolean }) =>
      withOperator(async (operator) => {
        const names = namesOf(given, queueNames);
        const found = await findQueues(operator, names);
        await confirm(`Workers will take no new jobs from ${names.join(', ')}.`, yes);
        for (const queue of found) await queue.pause();
        show(line, await Promise.all(found.map((queue) => readQueueStatus(operator, queue))));
      }),
    );
}

function addResume(queues: Command, line: CommandLine): void {
  queues
    .command('resume')
    .addArgument(queueArgument(queueNames))
    .description('Resume a paused or drained queue')
    .addHelpText('after', '\nExample:\n  hub queues resume all')
    .action((given: readonly string[]) =>
      withOperator(async (operator) => {
        const found = await findQueues(operator, namesOf(given, queueNames));
        for (const queue of found) await queue.resume();
        show(line, await Promise.all(found.map((queue) => readQueueStatus(operator, queue))));
      }),
    );
}

const queuesOfJobs = queueNames.filter((name) => kindsOfQueue(name).length > 0);

function addRetry(queues: Command, line: CommandLine): void {
  queues
    .command('retry')
    .addArgument(queueArgument(queuesOfJobs))
    .description(
      'Run every open job of a queue now, including emails and deliveries waiting for another attempt, and publish those that the queue has lost',
    )
    .addHelpText(
      'after',
      '\nClosed jobs stay closed: a failed eval run has been refunded, and its agent can redeem another.\n\nExample:\n  hub queues retry mail',
    )
    .action((given: readonly string[]) =>
      withOperator(async (operator) => {
        const found = await findQueues(operator, namesOf(given, queuesOfJobs));
        const retried = [];
        for (const queue of found)
          retried.push({ queue: queue.name, jobs: await retryQueue(operator, queue) });
        line.output().result(
          { retried },
          retried.map(({ queue, jobs }) => `${queue}: ${jobs} open jobs are due now`),
        );
      }),
    );
}

const drainSeconds = { usual: 600, most: 86_400 };

function addDrain(queues: Command, line: CommandLine): void {
  queues
    .command('drain')
    .addArgument(queueArgument(queueNames))
    .description(
      'Pause a queue and wait until its workers have finished their current jobs, for example before an upgrade. Waiting jobs are kept; continue with `hub queues resume`',
    )
    .option(
      '--timeout <seconds>',
      'Maximum time to wait',
      wholeNumber(1, drainSeconds.most),
      drainSeconds.usual,
    )
    .option(...yesOption)
    .addHelpText(
      'after',
      `${pauseMeans}\n\nExits with 1 if jobs are still running after that time. The queue stays paused.\n\nExample:\n  hub queues drain eval-runs --timeout 900 --yes`,
    )
    .action((given: readonly string[], { timeout, yes }: { timeout: number; yes: boolean }) =>
      withOperator(async (operator) => {
        const names = namesOf(given, queueNames);
        const found = await findQueues(operator, names);
        await confirm(`Workers will take no new jobs from ${names.join(', ')}.`, yes);
        const until = performance.now() + timeout * 1_000;
        for (const queue of found) await queue.pause();
        for (const queue of found) await drainQueue(queue, until, line.output());
        const statuses = await Promise.all(found.map((queue) => readQueueStatus(operator, queue)));
        show(line, statuses);
        endWith(statuses.every(({ active }) => active === 0));
      }),
    );
}
