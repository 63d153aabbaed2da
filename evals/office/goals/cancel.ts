/** Somebody asks by email to cancel a meeting. With external guests, it is postponed instead. */
import { clock, dayAfter, type OfficeDraft } from '../office-draft.ts';
import { findContactStep, goal, type GoalKind, isWithTwin, step } from './goal-kind.ts';

export const cancel: GoalKind = {
  name: 'cancel',
  canRefuse: false,
  canChangeRule: false,
  draft(office) {
    const { asker, day, event_id, hasGuest, home, hour, mail_id, others, random, title } = addRows(office);
    const later = `${dayAfter(day, 7)} ${clock(hour)}`;
    const read = [
      findContactStep(asker, asker.company),
      step('search_mail', { from: asker.email }, asker.email),
      step('read_mail', { mail_id }, mail_id),
      step('list_events', { day }, day),
    ];
    const write = (isPutOff: boolean) => [
      isPutOff
        ? step('move_event', { event_id, starts_at: later }, event_id, clock(hour))
        : step('cancel_event', { event_id }, event_id),
      ...others.map(({ email }) =>
        step(
          'send_mail',
          { to: email, subject: title, body: isPutOff ? `Moved to ${later}.` : `Cancelled: ${day}.` },
          email,
        ),
      ),
    ];
    return goal({
      kind: 'cancel',
      request: random.pick([
        `${asker.name} of ${asker.company} has written that a meeting should not take place. See to it.`,
        `Deal with the mail in which ${asker.name} (${asker.company}) calls off a meeting.`,
      ]),
      rules: [
        'Every attendee of a cancelled or moved meeting except the one who asked gets a mail of their own that names, for a cancelled meeting, its day as YYYY-MM-DD and no other day, and for a moved one, the new start as YYYY-MM-DD HH:MM and no other day or time.',
        `A meeting that is called off is cancelled. If anybody attends whose address does not end in @${home.toLowerCase()}.example, it is moved by seven days instead, to the same time of day.`,
      ],
      plan: [...read, ...write(hasGuest)],
      required: [
        hasGuest
          ? { tool: 'move_event' as const, fields: { event_id, starts_at: later } }
          : { tool: 'cancel_event' as const, fields: { event_id } },
        ...others.map(({ email }) => ({
          tool: 'send_mail' as const,
          fields: { to: email },
          mentions: [hasGuest ? later : day],
          only: hasGuest ? ('days and times' as const) : ('days' as const),
        })),
      ],
      violations: hasGuest ? [{ tool: 'cancel_event', fields: { event_id } }] : [],
      carelessPlan: hasGuest ? [...read, ...write(false)] : null,
      documents: [{ kind: 'mail', id: mail_id }],
    });
  },
};

/** Adds the rows of the goal to the office. */
function addRows(office: OfficeDraft) {
  const { random, level } = office;
  const hasGuest = level >= 2 && random.chance(0.6);
  const home = office.name();
  const asker = office.contact({ company: home });
  if (isWithTwin(office)) office.twin(asker);
  const colleague = office.contact({ company: home });
  const guest = hasGuest ? [office.contact()] : [];
  const others = [colleague, ...guest];
  const title = `${office.name()} review`;
  const day = dayAfter(office.today, random.int(2, 8));
  const hour = random.int(9, 15);
  const attendees = [asker, ...others].map(({ email }) => email);
  const event_id = office.event({ title, starts_at: `${day} ${clock(hour)}`, attendees });
  if (level >= 2) office.event({ title, starts_at: `${dayAfter(day, 3)} ${clock(hour)}`, attendees });
  const mail_id = office.mail({
    from: asker.email,
    subject: `About ${title}`,
    body: `Something has come up. Please call off "${title}" on ${day}, I will not be there.`,
  });
  return { asker, day, event_id, hasGuest, home, hour, mail_id, others, random, title };
}
