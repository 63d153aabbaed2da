import { expect, test } from 'bun:test';
import { createLogger, logPlainly } from '#runtime/tracing/log.ts';
import { expectSuccess } from '#test/harness/expect-end.ts';
import { runProgram } from '#test/harness/run-program.ts';

function captured() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'trace', destination });
  const fields = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines, fields };
}

/** Runs a program with a logger whose crashes are logged. */
function runLogged(program: string) {
  const start = `
    const { createLogger } = await import('${import.meta.resolve('#runtime/tracing/log.ts')}');
    const { logCrashes } = await import('${import.meta.resolve('#runtime/process/log-crashes.ts')}');
    const logger = createLogger({ name: 'child' });
    logCrashes(logger);
  `;
  return runProgram([process.execPath, '-e', start + program]);
}

test('a line is one JSON object with level, time, name and message', () => {
  const { logger, fields } = captured();
  logger.info({ agents: 3 }, 'hello');
  const [line] = fields();
  expect(line).toMatchObject({ level: 'info', name: 'test', agents: 3, msg: 'hello' });
  expect(String(line?.['time'])).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});

test('a plain line is the same line, without the search for secrets', () => {
  const { logger, fields } = captured();
  const child = logger.child({ pool: 'seats' });
  const request = { request_id: '0123456789abcdef', method: 'POST' };
  const safe = { ...request, status: 200, duration_ms: 1.25, quoted: 'a "b"' };
  child.info(safe, 'request');
  logPlainly(child, safe, 'request');
  const [usual, plain] = fields();
  expect(Object.keys(plain ?? {})).toEqual(Object.keys(usual ?? {}));
  expect({ ...plain, time: null }).toEqual({ ...usual, time: null });
  child.level = 'warn';
  logPlainly(child, safe, 'request');
  expect(fields()).toHaveLength(2);
});

test('fields named like a secret are redacted at any depth, in child loggers and in errors', () => {
  const { logger, lines } = captured();
  const usual = 'token accessToken Authorization signature secret client_secret'.split(' ');
  const names = [...usual, 'key', 'inboxKey', 'cookie'];
  for (const name of names) {
    logger.info({ [name]: 'hunter2', deep: { list: [{ [name]: 'hunter2' }] } }, 'fields');
    logger.info({ [name]: { inner: 'hunter2' } }, 'an object under the name');
    logger.child({ [name]: 'hunter2' }).info('child');
    const cause = Object.assign(new Error('inner'), { [name]: 'hunter2' });
    logger.error({ err: Object.assign(new Error('outer', { cause }), { [name]: 'hunter2' }) }, 'error');
  }
  expect(lines).toHaveLength(names.length * 4);
  expect(lines.join('')).not.toContain('hunter2');
});

test('token amounts are not redacted', () => {
  const { logger, fields } = captured();
  logger.info({ tokens: 3, token: true }, 'amounts');
  expect(fields()[0]).toMatchObject({ tokens: 3, token: true });
});

test('the parameters of a failed statement are removed wherever the error repeats them', () => {
  const { logger, lines } = captured();
  const failed = (): Error =>
    Object.assign(new Error('Failed query: insert into x\nparams: hunter2,\nhunter2\n    at hunter2'), {
      params: ['hunter2'],
    });
  logger.error({ err: failed() }, 'under err');
  logger.error({ err: failed() });
  logger.error(failed());
  logger.error({ err: new Error('outer', { cause: failed() }) }, 'as a cause');
  expect(lines).toHaveLength(4);
  for (const line of lines) {
    expect(line).toContain('Failed query');
    expect(line).not.toContain('hunter2');
  }
});

test('bearer tokens, webhook secrets, and the users, passwords and queries of URLs are redacted in any text', () => {
  const { logger, lines } = captured();
  const texts = [
    'no such token: hub_hunter2hunter2hunter2hunter2hunter2hunter2hunter2',
    'Authorization: Bearer hunter2hunter2',
    'authorization: basic hunter2hunter2=',
    'signed with whsec_hunter2+/==',
    'cannot connect to postgres://hunter2:hunter2@db:5432/hub',
    'redis://:hunter2@cache/0 is away',
    'GET https://target.test/answer?key=hunter2&x=hunter2#hunter2 failed',
    'https://hunter2@target.test/',
  ];
  for (const text of texts) {
    logger.info(text);
    logger.info({ text, deep: { list: [text] } }, text);
    logger.warn({ err: new Error(text, { cause: new Error(text) }) });
    logger.warn({ err: Object.assign(new Error('outer'), { said: text }), other: new Error(text) }, 'errors');
  }
  expect(lines).toHaveLength(texts.length * 4);
  expect(lines.filter((line) => line.includes('hunter2'))).toEqual([]);
  expect(lines.join('')).toContain('https://target.test/answer?[redacted]');
});

test('the input that a parser quotes in its error is removed', () => {
  const { logger, lines } = captured();
  for (const parse of [() => JSON.parse('{hunter2'), () => new URL('hunter2 and more')]) {
    try {
      parse();
    } catch (err) {
      logger.error({ err }, 'under err');
      logger.error(err);
    }
  }
  expect(lines).toHaveLength(4);
  expect(lines.filter((line) => line.includes('hunter2'))).toEqual([]);
});

test('an error outside `err` also loses its values, and its causes keep their stack frames', () => {
  const { logger, lines, fields } = captured();
  const driver = Object.assign(new Error('duplicate key'), {
    detail: 'Key (handle)=(hunter2) already exists.',
  });
  const failed = new Error('Failed query: insert\nparams: hunter2', { cause: driver });
  logger.error({ err: new Error('outer', { cause: failed }), firstError: failed, many: [failed] }, 'failed');
  expect(lines.join('')).not.toContain('hunter2');
  expect(fields()[0]).toMatchObject({
    err: { message: 'outer', cause: { cause: { message: 'duplicate key', detail: '[redacted]' } } },
    firstError: { message: 'Failed query: insert\nparams: [redacted]' },
  });
  expect(JSON.stringify(fields()[0])).toMatch(/log\.test\.ts:\d+/);
});

test('an uncaught error is one log line without its values', async () => {
  for (const fault of ['throw', 'void Promise.reject(']) {
    const program = `
      const fault = Object.assign(new Error('Failed query: x\\nparams: hunter2'), { params: ['hunter2'] });
      setTimeout(() => { ${fault} fault ${fault.endsWith('(') ? ')' : ''} }, 1);
      setInterval(() => {}, 60_000);
    `;
    const { exitCode, printed, complaints } = await runLogged(program);
    expect(exitCode).toBe(1);
    expect(JSON.parse(printed)).toMatchObject({ level: 'fatal', err: { type: 'Error' } });
    expect(printed + complaints).not.toContain('hunter2');
  }
});

test('a runtime warning is a normal log line, and nothing else is printed', async () => {
  const warn = "process.emitWarning('no such token: hub_hunter2hunter2hunter2hunter2');";
  const { printed } = await expectSuccess(runLogged(`${warn} await Bun.sleep(50);`));
  const err = { message: 'no such token: hub_[redacted]' };
  expect(JSON.parse(printed)).toMatchObject({ level: 'warn', err });
});

test('a value that JSON cannot represent is logged anyway', () => {
  const { logger, fields } = captured();
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  logger.info({ loop, big: 10n, many: Array.from({ length: 1000 }, (_, index) => index) }, 'odd');
  expect(fields()[0]).toMatchObject({ big: '10', msg: 'odd' });
  expect(JSON.stringify(fields()[0]).length).toBeLessThan(5000);
});

test('a process that exits right after logging has written all lines in order, and no error', async () => {
  const program = `
    for (let line = 0; line < 2000; line += 1) logger[line % 500 === 7 ? 'warn' : 'info']({ line }, 'x'.repeat(100));
    process.on('exit', () => logger.info({ line: 2000 }, 'the last'));
    process.exit(7);
  `;
  const { exitCode, printed, complaints } = await runLogged(program);
  expect(exitCode).toBe(7);
  const lines = printed.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([...Array(2001).keys()]);
  expect(complaints).toBe('');
});
