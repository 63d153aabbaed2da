/** The body of every refusal (interface.md "Errors"; decisions.md section 1). */
import { Type } from 'typebox';
import { component } from './object.ts';

/** Open to further fields: a few refusals carry one of their own. */
export const errorBody = component(
  'Error',
  Type.Object({
    error: Type.String({ description: 'A stable code for programs.' }),
    message: Type.String({ description: 'What is wrong, in a sentence.' }),
    detail: Type.Optional(Type.String({ description: 'More about what was wrong with this request.' })),
    hint: Type.Optional(Type.String({ description: 'What to do next.' })),
    request_id: Type.String({ description: 'The same as the header `X-Request-Id`.' }),
  }),
);
