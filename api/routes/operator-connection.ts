/** What the hub sees of a request, for `hub setup --check`, which compares it with what it sent through the proxy. */
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { nullable, object } from '../schemas/object.ts';

const connection = endpoint({
  method: 'GET',
  path: '/admin/connection',
  summary: 'Get what the hub sees of this request',
  tag: 'operation',
  auth: 'operator',
  responses: {
    200: {
      description: 'The connection.',
      schema: object({
        client_address: Type.String({ description: 'The address that counts for rate limits.' }),
        forwarded_for: nullable(Type.String({ description: 'The header `X-Forwarded-For`.' })),
        host: nullable(Type.String({ description: 'The header `Host`.' })),
      }),
    },
  },
  rateLimit: 'none',
  hidden: true,
  handle: ({ clientAddress, request: { headers } }) => ({
    client_address: clientAddress,
    forwarded_for: headers.get('x-forwarded-for'),
    host: headers.get('host'),
  }),
});

export const operatorConnectionEndpoints = [connection];
