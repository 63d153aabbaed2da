/** The body of every error response. */
import { Type } from 'typebox';
import { component } from './object.ts';

/** Additional fields are allowed: a few errors carry one of their own. */
export const errorBody = component(
  'Error',
  Type.Object({
    error: Type.String({ description: 'A stable, machine-readable code.' }),
    message: Type.String({ description: 'What is wrong, in one sentence.' }),
    detail: Type.Optional(Type.String({ description: 'More detail about this request.' })),
    hint: Type.Optional(Type.String({ description: 'What to do next.' })),
    request_id: Type.String({ description: 'The value of the `X-Request-Id` header.' }),
  }),
);
