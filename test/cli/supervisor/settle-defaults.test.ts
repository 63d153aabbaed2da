import { expect, test } from 'bun:test';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { prettyFactory } from 'pino-pretty';
import { readableLine, type SupervisorLine } from '#cli/supervisor/supervisor-log.ts';
import { readableForm } from '#runtime/tracing/log.ts';

test('port 0 becomes a free port', async () => {
  const port = await settlePort('127.0.0.1', 0);
  const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() });
  expect(port).toBeGreaterThan(0);
  await server.stop();
});

test('a port in use is refused, even if its owner would share it', async () => {
  for (const reusePort of [false, true]) {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort, fetch: () => new Response() });
    await expect(settlePort('127.0.0.1', server.port ?? 0)).rejects.toThrow(
      `Port ${server.port} on 127.0.0.1 is in use`,
    );
    await server.stop();
  }
});

test('an address of another machine is refused, with the address and the remedy', async () => {
  await expect(settlePort('192.0.2.1', 0)).rejects.toThrow(
    '192.0.2.1 is not an address of this machine. Set HOST to',
  );
});

/** On a terminal the supervisor's log lines look like those of the processes it runs. */
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
