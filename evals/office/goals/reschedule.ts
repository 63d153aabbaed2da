/** Somebody asks by email to move a meeting. Everybody else is informed, and a conflict moves it further. */
import { clock, dayAfter, type OfficeDraft } from '../office-draft.ts';
import { findContactStep, goal, type GoalKind, isWithTwin, step } from './goal-kind.ts';

export const reschedule: GoalKind = {
  name: 'reschedule',
  canRefuse: false,
  canChangeRule: false,
  draft(office) {
    const { askedHour, asker, clashes, day, event_id, mail_id, newHour, others, random, title } =
      addRows(office);
    const read = [
      findContactStep(asker, asker.company),
      step('search_mail', { from: asker.email }, asker.email),
      step('read_mail', { mail_id }, mail_id),
      step('list_events', { day }, day),
    ];
    const move = (hour: number) => [
      step('move_event', { event_id, starts_at: `${day} ${clock(hour)}` }, event_id, day, clock(askedHour)),
      ...others.map(({ email }) =>
        step(
          'send_mail',
          { to: email, subject: title, body: `${title} now starts at ${day} ${clock(hour)}.` },
          email,
        ),
      ),
    ];
    return goal({
      kind: 'reschedule',
      request: random.pick([
        `${asker.name} of ${asker.company} has asked for another time for a meeting. Arrange it.`,
        `Move the meeting that ${asker.name} (${asker.company}) has written about.`,
      ]),
      rules: [
        'A meeting is moved to the time that was asked for, or, if an attendee has another event then, to the next full hour of that day at which all attendees are free.',
        'Every attendee except the one who asked gets a mail of their own that names the new start as YYYY-MM-DD HH:MM, and no other day or time.',
      ],
      plan: [...read, ...move(newHour)],
      required: [
        { tool: 'move_event', fields: { event_id, starts_at: `${day} ${clock(newHour)}` } },
        ...others.map(({ email }) => ({
          tool: 'send_mail' as const,
          fields: { to: email },
          mentions: [`${day} ${clock(newHour)}`],
          only: 'days and times' as const,
        })),
      ],
      violations: clashes
        ? [{ tool: 'move_event', fields: { event_id, starts_at: `${day} ${clock(askedHour)}` } }]
        : [],
      carelessPlan: clashes ? [...read, ...move(askedHour)] : null,
      documents: [{ kind: 'mail', id: mail_id }],
    });
  },
};

/** Adds the rows of the goal to the office. */
function addRows(office: OfficeDraft) {
  const { random, level } = office;
  const clashes = level >= 2;
  const asker = office.contact();
  if (isWithTwin(office)) office.twin(asker);
  const others = [office.contact(), ...(level >= 3 ? [office.contact()] : [])];
  const everybody = [asker, ...others].map(({ email }) => email);
  const title = `${office.name()} planning`;
  const day = dayAfter(office.today, random.int(2, 8));
  const oldHour = random.int(9, 10);
  const askedHour = random.int(11, 13);
  const event_id = office.event({ title, starts_at: `${day} ${clock(oldHour)}`, attendees: everybody });
  if (level >= 2)
    office.event({ title, starts_at: `${dayAfter(day, 7)} ${clock(oldHour)}`, attendees: everybody });
  const busyHours = clashes ? Array.from({ length: random.int(1, 2) }, (_, index) => askedHour + index) : [];
  for (const hour of busyHours) {
    const attendees = random.sample(others, 1).map(({ email }) => email);
    office.event({ title: `${office.noun()} call`, starts_at: `${day} ${clock(hour)}`, attendees });
  }
  const newHour = askedHour + busyHours.length;
  const mail_id = office.mail({
    from: asker.email,
    subject: title,
    body: `I cannot make it to "${title}" on ${day} at ${clock(oldHour)}. Could we have it at ${clock(askedHour)} that day?`,
  });
  return { askedHour, asker, clashes, day, event_id, mail_id, newHour, others, random, title };
}
