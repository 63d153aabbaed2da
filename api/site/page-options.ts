import { errorCodes } from '#domain/errors.ts';
import type { ResponseDeclarations } from '../endpoint.ts';
import { errorTable } from '../errors/error-table.ts';
import { replies } from '../plugins/edge.ts';

const statuses = new Set([200, 303, 304, ...Object.values(errorTable).map(({ status }) => status)]);
const responses: ResponseDeclarations = Object.fromEntries(
  [...statuses].map((status) => [status, { description: 'A page.', contentType: 'text/html' }]),
);

/** What the routes of all pages have. */
export const pageOptions = {
  anyone: true,
  response: replies(responses),
  errors: errorCodes,
  hidden: true,
} as const;
