/** The baseline for an authenticated read: the same HTTP stack returns a constant of the same size. */
import { Elysia } from 'elysia';

const balance = { balance: 999, held: 1, free_eval_available: false, next_expiry: null };

const app = new Elysia().get('/v1/tokens/balance', () => balance);
app.listen({ port: 0, hostname: '127.0.0.1', reusePort: false });
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true, port: app.server?.port });
