/** The meetings of a colleague who goes on leave. */
import type { Random } from '../../random.ts';
import { batchGoal, drawCases, drawFiller } from '../batch-goal.ts';
import { deciderOf, newId, posts, presentPeople } from '../company.ts';
import { dayAfter } from '../days.ts';
import type { Facts } from '../manual/rules.ts';
import type { Area } from '../tasks.ts';
import { day, declareDecisions, oneOf } from '../tools/decisions.ts';
import { maybe, word } from '../tools/tool.ts';
import { type Lookup, type Office, type Row, text } from '../office.ts';
import { counted, policyOf } from './area.ts';
import {
  choice,
  count,
  department,
  figure,
  measure,
  noted,
  option,
  parts,
  readFacts,
  type Sentences,
} from './facts.ts';

const actions = 'keep, move, cancel, hand_over';
const sorts = 'review, interview, supplier visit, training, planning, one-to-one';
const standIns = 'deputy, manager, Head of Service, Head of Operations';
const rooms: Sentences = {
  online: 'video call | online, link in the invitation',
  'in the house': 'room 2.14 | the large room on the first floor | our own workshop',
  elsewhere: 'at the Hotel Bristol | on the premises of the customer | at the notary in town',
};

const facts = {
  sort: choice(`the sort of meeting | sort | ${sorts}`),
  guests: count('the number of guests from outside | guests | 0 12 1 1: 2 3 4 5 6 8'),
  hours: measure('the length of the meeting | minutes | minutes | 30 480 30 15: 75 105 135 165 225 285'),
  chair: choice('the chair of the meeting | chair | own, other'),
  room: noted('the room of the meeting', rooms),
  rhythm: choice('the rhythm of the meeting | rhythm | once, weekly, monthly'),
  desk: department('the host of the meeting | host'),
};

const policy = policyOf({
  name: 'leave',
  topic: 'meetings',
  titles: ['Absence and the calendar', 'Meetings of those who are away', 'Appointments and leave'],
  facts,
  terms: ['meeting, round, session | guests hours room', 'date, appointment, gathering | chair rhythm desk'],
  questions: {
    action: option(`the action on a meeting | ${actions}`),
    days: figure('the distance of a move | days | 7 14 21 28 35'),
    stand_in: option(`the stand-in at a meeting | ${standIns}`),
  },
  readings: [
    'For meetings the day in the calendar decides, before any move. The chair is "own" if the one who is away takes it.',
    'This chapter is about meetings on the days of absence, from the first to the last.',
    'The distance counts only for what is moved, the stand-in only for what is handed over. Deputy and manager are those whom the directory names; for a head, who may also be the manager, whoever decides for that post stands in.',
    'Each of these meetings is entered, also where it stays as it is ("keep").',
    'Meetings whose status is "called off" are not touched.',
  ],
});

const tool = declareDecisions({
  name: 'calendar_change',
  description: 'Moves, cancels or hands over meetings, or confirms that they stay as they are.',
  table: 'meetings',
  fields: {
    action: oneOf(actions.split(', ')),
    starts_on: maybe(day('The new day, if it is moved.')),
    stand_in_id: maybe(word('Who attends instead, if it is handed over.', 40)),
  },
});

export const leave: Area = {
  owner: 'Head of People',
  policy,
  tool,
  addBackground({ office, company, random }, count) {
    for (let index = 0; index < count; index += 1) {
      const facts = drawFiller(random, company, policy.name, dayAfter(office.monday, random.int(-30, 40)));
      addMeeting(office, random, facts, random.pick(office.rows('people')));
    }
  },
  make(input) {
    const { office, company, random, cases } = input;
    const days = Math.max(5, Math.ceil(cases / 3));
    const { first, last, free } = findAbsence(office, random.int(8, 14), days);
    const person = random.pick(free);
    const id = text(person, 'person_id');
    const name = text(person, 'name');
    const drawDay = () => dayAfter(first, random.int(0, days - 1));
    const drawn = drawCases(input, policy.name, { drawDay });
    const caseIds = drawn.map((facts) => addMeeting(office, random, facts, person));
    // Meetings before and after the absence are none of the cases.
    for (let index = 0; index < 3; index += 1) {
      const day = random.chance(0.5) ? dayAfter(first, -random.int(4, 9)) : dayAfter(last, random.int(4, 9));
      addMeeting(office, random, drawFiller(random, company, policy.name, day), person);
    }
    return batchGoal(company, {
      policy: policy.name,
      table: 'meetings',
      tool: tool.name,
      caseIds,
      request: random.pick([
        `${name} (${id}) is on leave from ${first} to ${last}. Deal with all meetings of those days as the manual says.`,
        `From ${first} to ${last}, both included, ${name} (${id}) will not be here. See to the meetings of that time by the manual.`,
      ]),
      figures: [
        counted('number of meetings that are moved', ({ action }) => action === 'move'),
        counted('number of meetings that are cancelled', ({ action }) => action === 'cancel'),
        counted('number of meetings that are handed over', ({ action }) => action === 'hand_over'),
      ],
      answers: [],
      linked: () => [{ table: 'people', id }],
      collect(oracle) {
        oracle.fetch('people', [id]);
        const manager = text(oracle.get('people', id), 'manager_id');
        oracle.fetch('people', [manager]);
        const post = text(oracle.get('people', manager), 'post');
        for (const one of [post, 'Head of Service', 'Head of Operations']) oracle.deciderOf(one);
        const listed = oracle.list('calendar_list', { person_id: id, from: first, to: last });
        return listed.map((row) => text(row, 'meeting_id'));
      },
      factsOf: (lookup, own) => factsOf(lookup, own, id),
      fieldsOf(lookup, own, { action = '', days: distance, stand_in: who }) {
        const meeting = lookup.get('meetings', own);
        if (meeting['status'] === 'called off') return null;
        if (action === 'move')
          return { action, starts_on: dayAfter(text(meeting, 'starts_on'), Number(distance)) };
        return action === 'hand_over'
          ? { action, stand_in_id: standIn(office, lookup.get('people', id), String(who)) }
          : { action };
      },
      change: (own, meetingId) => own.edit('meetings', meetingId, { status: 'called off' }),
    });
  },
};

function standIn(office: Office, person: Row, who: string): string {
  if (who === 'deputy') return text(person, 'deputy_id');
  const post = who === 'manager' ? text(office.get('people', text(person, 'manager_id')), 'post') : who;
  return text(deciderOf(office, post), 'person_id');
}

/** Only people without meetings this near the absence are chosen, so that its meetings are exactly the cases. */
const clearDays = 10;
const delayMaxDays = 2_000;

/** The first absence, from `start` days ahead, at which somebody attends no meeting, with those who can be absent. */
function findAbsence(office: Office, start: number, days: number) {
  for (let ahead = start; ahead <= start + delayMaxDays; ahead += 1) {
    const first = dayAfter(office.today, ahead);
    const last = dayAfter(first, days - 1);
    const free = findFree(office, dayAfter(first, -clearDays), dayAfter(last, clearDays));
    if (free.length > 0) return { first, last, free };
  }
  throw new Error('Nobody of this office can be absent.');
}

function findFree(office: Office, from: string, to: string): Row[] {
  // Nobody stands in for themselves.
  const deciders = new Set(posts.map((post) => deciderOf(office, post)['person_id']));
  const near = office
    .rows('meetings')
    .filter(({ starts_on }) => String(starts_on) >= from && String(starts_on) <= to);
  const taken = new Set(near.flatMap(({ attendee_ids: ids }) => (Array.isArray(ids) ? ids : [])));
  return presentPeople(office).filter(
    (row) =>
      row['deputy_id'] !== null &&
      !deciders.has(text(row, 'person_id')) &&
      !taken.has(text(row, 'person_id')) &&
      !text(row, 'post').startsWith('Head'),
  );
}

const subjects = 'autumn range, catalogue, new hall, returns, packaging, price list, stand at the fair'.split(
  ', ',
);

function addMeeting(office: Office, random: Random, facts: Facts, person: Row): string {
  const others = office.rows('people').filter((row) => row !== person);
  const attendees = [person, ...random.sample(others, random.int(1, 4))].map((row) => text(row, 'person_id'));
  const meeting_id = newId(office, 'K');
  office.put('meetings', {
    meeting_id,
    title: `${String(facts['sort'])} ${random.pick(subjects)}`,
    starts_on: String(facts['day']),
    starts_at: `${random.int(8, 16)}:${random.pick(['00', '15', '30'])}`.padStart(5, '0'),
    minutes: Number(facts['hours']),
    place: random.pick(parts(rooms[String(facts['room'])] ?? '')),
    rhythm: String(facts['rhythm']),
    host: String(facts['desk']),
    chair_id: attendees[facts['chair'] === 'own' ? 0 : 1] ?? '',
    attendee_ids: attendees,
    guests: Number(facts['guests']),
    status: 'fixed',
    action: null,
  });
  return meeting_id;
}

function factsOf(lookup: Lookup, id: string, personId: string): Facts {
  const meeting = lookup.get('meetings', id);
  const sort = sorts.split(', ').find((one) => text(meeting, 'title').startsWith(one)) ?? '';
  const chair = meeting['chair_id'] === personId ? 'own' : 'other';
  const day = text(meeting, 'starts_on');
  return readFacts(facts, {
    day,
    entry: { ...meeting, sort, chair },
    party: {},
    note: text(meeting, 'place'),
  });
}
