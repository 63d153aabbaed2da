/** An eval target at ADDRESS that gives every prompt the same response after PAUSE_MS, or at once without it. */

const pauseMs = Number(process.env['PAUSE_MS'] ?? 0);
const server = Bun.serve({
  port: 0,
  hostname: process.env['ADDRESS'] ?? '127.0.0.1',
  fetch: async (request) => {
    await request.json();
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    return Response.json({
      text: 'An answer of the usual length that is wrong for every prompt.',
    });
  },
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true, port: server.port });
