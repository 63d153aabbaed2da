/** What a grown store holds of forum, events, work orders and mail. */
import { agoMs, inAGroup, kinds, type Table, text } from './grown-tables.ts';
import type { Words } from './row-series.ts';

/** Few, so that a page of events is full in the smaller store too. */
const seatsAnEvent = 10;
const yearMs = 365 * 24 * 60 * 60 * 1_000;

export function forumTables({ id, hex, instant }: Words, agents: number): readonly Table[] {
  const post = { thread_id: id(kinds.thread), body: text('Words of an agent.'), created_at: instant(agoMs) };
  const next = `n % ${agents} + 1`;
  return [
    [
      'threads',
      agents,
      {
        id: id(kinds.thread),
        author_id: id(kinds.agent),
        title: `'Thread ' || ${hex(8)}`,
        post_count: '2',
        created_at: instant(agoMs),
      },
    ],
    [
      'thread_words',
      agents,
      {
        subject_id: id(kinds.thread),
        words: `'thread ' || ${hex(8)} || ' group' || ${hex(8, `n / ${inAGroup}`)} || ' words of an agent'`,
      },
    ],
    ['posts', agents, { ...post, position: '1', author_id: id(kinds.agent) }],
    ['posts', agents, { ...post, position: '2', author_id: id(kinds.agent, next) }],
    [
      'reputation_events',
      agents,
      {
        id: id(kinds.reputation),
        agent_id: id(kinds.agent),
        kind: text('thread_started'),
        reference: hex(12),
        weight: '3',
        created_at: instant(agoMs),
      },
    ],
    ['reputation_counts', agents, { agent_id: id(kinds.agent), kind: text('thread_started'), count: '1' }],
  ];
}

export function eventTables({ id, hex, random, instant }: Words, agents: number): readonly Table[] {
  const events = Math.ceil(agents / seatsAnEvent);
  const everyMs = Math.floor(yearMs / events);
  return [
    [
      'events',
      // Half of them are over.
      events,
      {
        id: id(kinds.event),
        kind: text('workshop'),
        title: text('A workshop'),
        description: text('Made for a measurement.'),
        presenter: text('Nobody'),
        host_agent_id: id(kinds.agent),
        host_handle: `'g-' || ${hex(8)}`,
        starts_at: instant(-yearMs / 2, everyMs),
        ends_at: instant(-yearMs / 2 + 1, everyMs),
        seats_total: `${seatsAnEvent}`,
        seats_taken: `${seatsAnEvent}`,
        waitlist_count: '0',
        token_price: '0',
        status: text('scheduled'),
        calendar_sequence: '0',
        epoch: '0',
        created_at: instant(agoMs),
      },
    ],
    [
      'seats',
      agents,
      {
        id: id(kinds.seat),
        event_id: id(kinds.event, `(n - 1) / ${seatsAnEvent} + 1`),
        agent_id: id(kinds.agent),
        agent_handle: `'g-' || ${hex(8)}`,
        status: text('reserved'),
        idempotency_key: `'seat-' || ${hex(8)}`,
        price_paid: '0',
        refunded: '0',
        reserved_at: instant(agoMs),
        calendar_token: random,
        calendar_sequence: '0',
      },
    ],
  ];
}

export function otherTables({ id, hex, instant, json }: Words, agents: number): readonly Table[] {
  const statuses = (names: readonly string[]): string =>
    `case n % ${names.length} ${names.map((name, index) => `when ${index} then '${name}'`).join(' ')} end`;
  return [
    [
      'work_orders',
      agents,
      {
        id: id(kinds.workOrder),
        title: text('A work order'),
        description: text('Made for a measurement.'),
        status: statuses(['proposed', 'interrogating', 'triaged', 'rejected']),
        proposer_id: id(kinds.agent),
        event_count: '1',
        created_at: instant(agoMs),
        updated_at: instant(agoMs),
      },
    ],
    [
      'inbox_emails',
      agents,
      {
        id: id(kinds.email),
        identity: hex(64),
        sender: text('somebody@example.org'),
        recipients: text('hub@example.org'),
        subject: text('A mail'),
        text: text('Made for a measurement.'),
        attachments: json(text('[]')),
        status: statuses(['new', 'triaged', 'archived']),
        received_at: instant(agoMs),
        updated_at: instant(agoMs),
      },
    ],
  ];
}
