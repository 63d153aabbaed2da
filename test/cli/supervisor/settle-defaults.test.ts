import { expect, test } from 'bun:test';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

test('port 0 becomes a free port', async () => {
  const port = await settlePort('127.0.0.1', 0);
  const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() });
  expect(port).toBeGreaterThan(0);
  await server.stop();
});

test('a port in use is refused, even if its owner would share it', async () => {
  for (const reusePort of [false, true]) {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort, fetch: () => new Response() });
    const failure = await failureOf(settlePort('127.0.0.1', server.port ?? 0));
    expect(String(failure)).toContain(`Port ${server.port} on 127.0.0.1 is in use`);
    await server.stop();
  }
});

test('an address of another machine is refused, with the address and the remedy', async () => {
  expect(String(await failureOf(settlePort('192.0.2.1', 0)))).toMatch(
    /192\.0\.2\.1 is not an address of this machine\. Set HOST to/,
  );
});
