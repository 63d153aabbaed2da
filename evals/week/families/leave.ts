/** Deals with the meetings of a colleague who goes on leave. */
import type { Random } from '../../random.ts';
import { batchGoal, drawCases, drawFiller } from '../batch-goal.ts';
import { deciderOf, newId } from '../company.ts';
import { dayAfter } from '../days.ts';
import { meetings as policy } from '../manual/policies/meetings.ts';
import type { Facts } from '../manual/rules.ts';
import type { Family } from '../tasks.ts';
import { type Lookup, number, type Row, text, type World } from '../world.ts';

const rooms: Readonly<Record<string, readonly string[]>> = {
  online: ['video call', 'online, link in the invitation'],
  'in the house': ['room 2.14', 'the large room on the first floor', 'our own workshop'],
  elsewhere: ['at the Hotel Bristol', 'on the premises of the customer', 'at the notary in town'],
};

export const leaveFamily: Family = {
  name: 'leave',
  policy: policy.name,
  addBackground({ world, company, random }, count) {
    for (let index = 0; index < count; index += 1) {
      const facts = drawFiller(random, company, policy.name, () =>
        dayAfter(world.monday, random.int(-30, 40)),
      );
      addMeeting(world, random, facts, random.pick(world.rows('people')), String(facts['day']));
    }
  },
  make({ world, company, random, dials, cases }) {
    const days = Math.max(5, Math.ceil(cases / 3));
    const { first, last, free } = findAbsence(world, random.int(8, 14), days);
    const person = random.pick(free);
    const facts = drawCases({ random, company, dials, cases }, policy.name, {
      drawDay: () => dayAfter(first, random.int(0, days - 1)),
    });
    const caseIds = facts.map((own) => addMeeting(world, random, own, person, String(own['day'])));
    // Meetings before and after the absence are none of the cases.
    for (let index = 0; index < 3; index += 1) {
      const day = random.chance(0.5) ? dayAfter(first, -random.int(4, 9)) : dayAfter(last, random.int(4, 9));
      addMeeting(
        world,
        random,
        drawFiller(random, company, policy.name, () => day),
        person,
        day,
      );
    }
    const id = text(person, 'person_id');
    return batchGoal(company, {
      family: 'leave',
      policy: policy.name,
      table: 'meetings',
      tool: 'calendar_change',
      caseIds,
      request: random.pick([
        `${text(person, 'name')} (${id}) is on leave from ${first} to ${last}. Deal with all meetings of those days as the manual says.`,
        `From ${first} to ${last}, both included, ${text(person, 'name')} (${id}) will not be here. See to the meetings of that time by the manual.`,
      ]),
      figures: [
        { name: 'number of meetings that are moved', of: (booked) => count(booked, 'move') },
        { name: 'number of meetings that are cancelled', of: (booked) => count(booked, 'cancel') },
        { name: 'number of meetings that are handed over', of: (booked) => count(booked, 'hand_over') },
      ],
      linked: () => [[{ table: 'people', id }]],
      collect(oracle) {
        for (const post of ['Head of Service', 'Head of Operations']) oracle.deciderOf(post);
        return oracle
          .list('calendar_list', { person_id: id, from: first, to: last })
          .map((row) => text(row, 'meeting_id'));
      },
      factsOf: (lookup, own) => factsOf(lookup, own, id),
      fieldsOf(lookup, own, outcome) {
        const meeting = lookup.get('meetings', own);
        if (meeting['status'] === 'called off') return null;
        const action = String(outcome['action']);
        if (action === 'move')
          return { action, starts_on: dayAfter(text(meeting, 'starts_on'), Number(outcome['days'])) };
        if (action === 'hand_over')
          return { action, stand_in_id: standIn(world, lookup, id, String(outcome['stand_in'])) };
        return { action };
      },
      change(own, meetingId) {
        own.edit('meetings', meetingId, { status: 'called off' });
      },
    });
  },
};

function standIn(world: World, lookup: Lookup, personId: string, who: string): string {
  const person = lookup.get('people', personId);
  if (who === 'deputy') return text(person, 'deputy_id');
  if (who === 'manager') return text(person, 'manager_id');
  return text(deciderOf(world, who), 'person_id');
}

function count(rows: readonly Row[], action: string): number {
  return rows.filter((row) => row['action'] === action).length;
}

/** Only people without meetings this near the absence are chosen, so that its meetings are exactly the cases. */
const clearDays = 10;
const delayMaxDays = 2_000;

interface Absence {
  readonly first: string;
  readonly last: string;
  /** Those who can be absent then. */
  readonly free: readonly Row[];
}

/** The first absence, from `start` days ahead, at which somebody attends no meeting. */
function findAbsence(world: World, start: number, days: number): Absence {
  for (let ahead = start; ahead <= start + delayMaxDays; ahead += 1) {
    const first = dayAfter(world.today, ahead);
    const last = dayAfter(first, days - 1);
    const free = findFree(world, dayAfter(first, -clearDays), dayAfter(last, clearDays));
    if (free.length > 0) return { first, last, free };
  }
  throw new Error('Nobody of this office can be absent.');
}

function findFree(world: World, from: string, to: string): Row[] {
  const near = world
    .rows('meetings')
    .filter(({ starts_on }) => String(starts_on) >= from && String(starts_on) <= to);
  const taken = new Set(
    near.flatMap((row) => (Array.isArray(row['attendee_ids']) ? row['attendee_ids'] : [])),
  );
  return world
    .rows('people')
    .filter(
      (row) =>
        row['status'] === 'present' &&
        row['deputy_id'] !== null &&
        !taken.has(text(row, 'person_id')) &&
        !text(row, 'post').startsWith('Head'),
    );
}

function addMeeting(world: World, random: Random, facts: Facts, person: Row, day: string): string {
  const others = world.rows('people').filter((row) => row !== person);
  const attendees = [person, ...random.sample(others, random.int(1, 4))].map((row) => text(row, 'person_id'));
  const chair = facts['chair'] === 'own' ? attendees[0] : attendees[1];
  const meeting_id = newId(world, 'K');
  world.put('meetings', {
    meeting_id,
    title: `${String(facts['sort'])} ${random.pick(['autumn range', 'catalogue', 'new hall', 'returns', 'packaging', 'price list', 'stand at the fair'])}`,
    starts_on: day,
    starts_at: `${random.int(8, 16)}:${random.pick(['00', '15', '30'])}`.padStart(5, '0'),
    minutes: Number(facts['hours']),
    place: random.pick(rooms[String(facts['room'])] ?? []),
    rhythm: String(facts['rhythm']),
    host: String(facts['desk']),
    chair_id: chair ?? '',
    attendee_ids: attendees,
    guests: Number(facts['guests']),
    status: 'fixed',
    action: null,
  });
  return meeting_id;
}

function factsOf(lookup: Lookup, id: string, personId: string): Facts {
  const meeting = lookup.get('meetings', id);
  const sort = (policy.attributes['sort']?.kind === 'choice' ? policy.attributes['sort'].values : []).find(
    (value) => text(meeting, 'title').startsWith(value),
  );
  const room = Object.entries(rooms).find(([, names]) => names.includes(text(meeting, 'place')))?.[0];
  return {
    day: text(meeting, 'starts_on'),
    sort: sort ?? '',
    guests: number(meeting, 'guests'),
    hours: number(meeting, 'minutes'),
    chair: meeting['chair_id'] === personId ? 'own' : 'other',
    room: room ?? '',
    rhythm: text(meeting, 'rhythm'),
    desk: text(meeting, 'host'),
  };
}
