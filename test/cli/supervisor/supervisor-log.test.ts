/** On a terminal the supervisor's log lines look like those of the processes it runs. */
import { expect, test } from 'bun:test';
import { prettyFactory } from 'pino-pretty';
import { readableLine, type SupervisorLine } from '#cli/supervisor/supervisor-log.ts';
import { readableForm } from '#runtime/tracing/log.ts';

const time = new Date(2027, 0, 31, 14, 5, 6, 7);

test.each([
  { level: 'info', time, fields: { reason: 'SIGINT' }, message: 'shutting down' },
  { level: 'warn', time, fields: { service: 'api', pauseMs: 250 }, message: 'starting it again' },
  { level: 'error', time, fields: {}, message: 'the hub did not start' },
] satisfies SupervisorLine[])('a line of level $level looks as the logger would write it', (line) => {
  const { level, fields, message } = line;
  const logged = { level, time: time.toISOString(), pid: 1, name: 'supervisor', ...fields, msg: message };
  for (const isColoured of [true, false]) {
    const expected = prettyFactory(readableForm(isColoured))(logged);
    expect(`${readableLine(line, isColoured)}\n`).toBe(expected);
    expect(expected.includes('\x1b[')).toBe(isColoured);
  }
});
