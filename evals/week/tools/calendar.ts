/** The calendars of all colleagues. */
import { Type } from 'typebox';
import { declareDecisions } from './decisions.ts';
import { cursor, declareTool, getRows, ids, maybe, pageOf, pick, type Tool, word } from './tool.ts';

const listed = ['meeting_id', 'title', 'starts_on', 'starts_at', 'status'];

const list = declareTool(
  { name: 'calendar_list', description: 'The meetings that a colleague attends, in order.' },
  {
    person_id: word('The colleague.'),
    from: maybe(word('First day, YYYY-MM-DD.')),
    to: maybe(word('Last day, YYYY-MM-DD.')),
    cursor: cursor(),
  },
  ({ world }, { person_id, from = '0', to = '9', cursor: at }) => {
    const rows = world.rows('meetings').filter((row) => {
      const { attendee_ids, starts_on } = row;
      return (
        Array.isArray(attendee_ids) &&
        attendee_ids.includes(person_id) &&
        String(starts_on) >= from &&
        String(starts_on) <= to
      );
    });
    const sorted = rows.toSorted((left, right) =>
      `${String(left['starts_on'])}${String(left['starts_at'])}` <
      `${String(right['starts_on'])}${String(right['starts_at'])}`
        ? -1
        : 1,
    );
    return pageOf(
      world,
      sorted.map((row) => pick(row, listed)),
      ['calendar', person_id, from, to],
      at,
    );
  },
);

const get = declareTool(
  { name: 'calendar_get', description: 'Meetings with all details.' },
  { meeting_ids: ids('meetings') },
  ({ world }, { meeting_ids }) => getRows(world, 'meetings', meeting_ids),
);

const change = declareDecisions({
  name: 'calendar_change',
  description: 'Moves, cancels or hands over meetings, or confirms that they stay as they are.',
  table: 'meetings',
  fields: {
    action: Type.Enum(['keep', 'move', 'cancel', 'hand_over'], { type: 'string' }),
    starts_on: maybe(word('The new day, if it is moved.', 10)),
    stand_in_id: maybe(word('Who attends instead, if it is handed over.', 40)),
  },
});

export const calendarTools: readonly Tool[] = [list, get, change];
