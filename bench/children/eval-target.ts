/** An eval target that answers every prompt at once, and always the same. */

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    await request.json();
    return Response.json({
      text: 'An answer of the usual length, which is wrong for every prompt there is.',
    });
  },
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true, port: server.port });
