/** What the hub sees of a request, for `hub setup --check`, which compares it with what it sent through the proxy. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { nullable, object } from '../schemas/object.ts';
import { edge, replies } from '../plugins/edge.ts';

export const operatorConnectionRoutes = new Elysia({ tags: ['operation'] }).use(edge).get(
  '/admin/connection',
  ({ clientAddress, request: { headers } }) => ({
    client_address: clientAddress(),
    forwarded_for: headers.get('x-forwarded-for'),
    host: headers.get('host'),
  }),
  {
    operator: true,
    response: replies({
      200: {
        description: 'The connection.',
        schema: object({
          client_address: Type.String({ description: 'The address that counts for rate limits.' }),
          forwarded_for: nullable(Type.String({ description: 'The header `X-Forwarded-For`.' })),
          host: nullable(Type.String({ description: 'The header `Host`.' })),
        }),
      },
    }),
    limit: 'none',
    hidden: true,
    detail: { summary: 'Get what the hub sees of this request' },
  },
);
