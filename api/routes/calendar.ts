/** The calendar file of a seat, for calendar programs that cannot send bearer tokens. */
import { showCalendar } from '#domain/events/show-calendar.ts';
import { endpoint } from '../endpoint.ts';
import { object } from '../schemas/object.ts';
import { patterned } from '../schemas/text.ts';

const extension = '.ics';

const show = endpoint({
  method: 'GET',
  path: '/v1/calendar/:file',
  summary: 'Get the calendar file of a seat',
  description:
    'iCalendar (RFC 5545). Needs no token, because the URL (`ics_url` of the seat) cannot be guessed.',
  tag: 'events',
  auth: 'none',
  params: object({
    file: patterned(String.raw`^[A-Za-z0-9_-]{24}\.ics$`, 'be the file name in `ics_url`', {
      description: 'The file name in `ics_url`.',
    }),
  }),
  responses: { 200: { description: 'The calendar file.', contentType: 'text/calendar' } },
  errors: ['calendar_not_found'],
  handle: async ({ ctx, params }) => {
    const calendarToken = params.file.slice(0, -extension.length);
    return new Response(await showCalendar(ctx, { calendarToken }), {
      headers: { 'content-type': 'text/calendar; charset=utf-8' },
    });
  },
});

export const calendarEndpoints = [show];
