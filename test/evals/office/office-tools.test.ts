import { beforeEach, describe, expect, test } from 'bun:test';
import { Errors } from 'typebox/schema';
import { effectsBetween, matchesPattern, mentions } from '#evals/office/effects.ts';
import { makeTaskOf } from '#evals/office/make-tasks.ts';
import { startSession, taskBudget } from '#evals/office/session.ts';
import { officeTools } from '#evals/office/tools.ts';
import { drawSeed } from '../suite/draw-seeds.ts';

const task = makeTaskOf(drawSeed('office tools'), 1);
const [order] = task.office.orders;
const [event] = task.office.events;
const [file] = task.office.files;
if (order === undefined || event === undefined || file === undefined) throw new Error('The office is empty.');

let session = startSession(task);
beforeEach(() => void (session = startSession(task)));
const call = (tool: string, args: unknown) => session.call({ tool, args });
const effects = () => effectsBetween(task.office, session.office);

describe('the tools', () => {
  test('are 18, each with a closed schema', () => {
    expect(officeTools.map(({ name }) => name).toSorted()).toEqual([
      'ask_user',
      'cancel_event',
      'create_event',
      'find_contact',
      'finish',
      'get_order',
      'list_events',
      'list_files',
      'move_event',
      'pay',
      'read_file',
      'read_mail',
      'refund_order',
      'search_mail',
      'search_orders',
      'send_mail',
      'share_file',
      'update_order',
    ]);
    for (const { parameters } of officeTools) {
      expect(parameters).toMatchObject({ additionalProperties: false });
      expect(Errors(JSON.parse(JSON.stringify(parameters)), { stranger: 1 })[0]).toBe(false);
    }
  });

  test('answer an unknown tool, wrong arguments and unknown ids with an error that costs a call and changes nothing', () => {
    const wrong: [string, unknown, string][] = [
      ['no_such_tool', {}, 'unknown_tool'],
      ['read_mail', {}, 'invalid_arguments'],
      ['read_mail', null, 'invalid_arguments'],
      ['read_mail', { mail_id: 'm1', stranger: 1 }, 'invalid_arguments'],
      ['read_mail', { mail_id: 'm1' }, 'not_found'],
      ['send_mail', { to: 'nobody', subject: 'a', body: 'b' }, 'invalid_arguments'],
      ['update_order', { order_id: order.order_id, field: 'quantity', value: 'many' }, 'invalid_arguments'],
      ['update_order', { order_id: order.order_id, field: 'status', value: 'lost' }, 'invalid_arguments'],
      ['refund_order', { order_id: order.order_id, amount: order.total + 1 }, 'not_allowed'],
      ['move_event', { event_id: event.event_id, starts_at: 'tomorrow' }, 'invalid_arguments'],
      ['pay', { account: 'AC1', amount: -1, reference: 'x' }, 'invalid_arguments'],
    ];
    for (const [tool, args, error] of wrong) {
      const left = session.callsLeft;
      expect([tool, call(tool, args)['error']]).toEqual([tool, error]);
      expect(session.callsLeft).toBe(left - 1);
    }
    expect(effects()).toEqual([]);
  });

  test('say what is allowed where an argument is wrong, and offer words as enumerations', () => {
    const messages: [string, unknown, string][] = [
      ['no_such_tool', {}, 'There is no tool "no_such_tool". The tools are search_mail, read_mail,'],
      ['read_mail', {}, '`mail_id` is required'],
      ['read_mail', null, 'The value of `args` must be an object; it is null.'],
      [
        'read_mail',
        { mail_id: 'm1', stranger: 1 },
        '`stranger` is not a known field. Known fields: `mail_id`.',
      ],
      ['list_events', { day: 'tomorrow' }, '`day` must be a day such as "2031-05-14".'],
      [
        'move_event',
        { event_id: 'e1', starts_at: 'x' },
        '`starts_at` must be a time such as "2031-05-14 15:00".',
      ],
      ['finish', { outcome: 'ok', message: 'x' }, '`outcome` must be one of "done", "refused"; it is "ok".'],
      ['search_orders', { status: 'lost' }, '`status` must be one of "open"'],
      ['pay', { account: 'AC1', amount: 1.5, reference: 'x' }, '`amount` must be a whole number'],
    ];
    for (const [tool, args, message] of messages) {
      expect([tool, String(call(tool, args)['message'])]).toEqual([tool, expect.stringContaining(message)]);
    }
    const schemas = JSON.stringify(officeTools.map(({ parameters }) => parameters));
    expect(schemas).not.toMatch(/anyOf|"const"|x-rule/);
    expect(schemas).toContain('"enum":["done","refused"]');
  });

  test('report what lasts, and nothing that was taken back', () => {
    call('move_event', { event_id: event.event_id, starts_at: '2031-01-01 10:00' });
    call('update_order', { order_id: order.order_id, field: 'address', value: 'elsewhere' });
    const created = call('create_event', {
      title: 'x',
      starts_at: '2031-01-01 10:00',
      minutes: 30,
      attendees: ['a@b.example'],
    });
    expect(effects().map(({ tool }) => tool)).toEqual(['update_order', 'move_event', 'create_event']);
    call('move_event', { event_id: event.event_id, starts_at: event.starts_at });
    call('update_order', { order_id: order.order_id, field: 'address', value: order.address });
    call('cancel_event', { event_id: created['event_id'] });
    expect(effects()).toEqual([]);
    call('share_file', { file_id: file.file_id, email: 'a@b.example' });
    call('share_file', { file_id: file.file_id, email: 'a@b.example' });
    expect(effects()).toEqual([
      { tool: 'share_file', fields: { file_id: file.file_id, email: 'a@b.example' } },
    ]);
  });

  test('page long lists and say whether more follows', () => {
    const seen: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const { items, more } = call('search_orders', { page }) as { items: unknown[]; more: boolean };
      seen.push(...items);
      if (!more) break;
      expect(items).toHaveLength(10);
    }
    expect(seen).toHaveLength(task.office.orders.length);
  });
});

describe('a session', () => {
  test('ends with `finish`, or with its last call', () => {
    expect(session.ended).toBe(false);
    call('finish', { outcome: 'refused', message: 'No.' });
    expect([session.ended, session.outcome]).toEqual([true, 'refused']);
    expect(() => call('finish', { outcome: 'done', message: 'Yes.' })).toThrow();

    session = startSession(task);
    for (let count = 0; count < taskBudget.calls; count += 1) call('list_files', {});
    expect([session.ended, session.outcome, session.callsLeft]).toEqual([true, null, 0]);
  });

  test('leaves the office of the task as it was', () => {
    const before = structuredClone(task.office);
    call('pay', { account: 'AC1', amount: 5, reference: 'x' });
    call('refund_order', { order_id: order.order_id, amount: 1 });
    call('cancel_event', { event_id: event.event_id });
    call('share_file', { file_id: file.file_id, email: 'a@b.example' });
    expect(task.office).toEqual(before);
  });
});

describe('a pattern', () => {
  test.each([
    ['The total is 120 crowns.', '120', true],
    ['The total is 1,120 crowns.', '1120', true],
    ['Total: 120.', '120', true],
    ['Total:120', '120', true],
    ['The total is 1200 crowns.', '120', false],
    ['The total is 3120 crowns.', '120', false],
    ['The total is 120.5 crowns.', '120', false],
    ['The total is 12.120 crowns.', '120', false],
    ['Order O1234 moves', 'o1234', true],
    ['Order no1234', 'o1234', false],
    ['at 2031-05-14  15:00 sharp', '2031-05-14 15:00', true],
    ['at 2031-05-14 15:001', '2031-05-14 15:00', false],
  ])('%p mentions %p: %p', (body, text, expected) => {
    expect(mentions(body, text)).toBe(expected);
  });

  test('looks for texts in the body only', () => {
    const fields = { to: 'a@b.example' };
    const pattern = { tool: 'send_mail' as const, fields, mentions: ['120'] };
    const mail = (subject: string, body: string) => ({
      tool: 'send_mail' as const,
      fields: { ...fields, subject, body },
    });
    expect(matchesPattern(mail('x', 'It is 120.'), pattern)).toBe(true);
    expect(matchesPattern(mail('120', 'See above.'), pattern)).toBe(false);
    const event = { tool: 'create_event' as const, fields: { attendees: ['a', 'b'] } };
    expect(matchesPattern({ ...event, fields: { attendees: ['b', 'a'], title: 'x' } }, event)).toBe(true);
    expect(matchesPattern({ ...event, fields: { attendees: ['a', 'b', 'c'] } }, event)).toBe(false);
  });

  test.each([
    ['figures', '1120', 'On 2031-05-14 at 15:00, the total of order o1234 is 1,120 crowns: 1120.', true],
    ['figures', '1120', 'The total is 1120 crowns, without 3 small orders.', false],
    ['figures', '1120', 'The total is 1120/1140 crowns.', false],
    ['figures', '1120', '1100 1120 1140', false],
    ['days', '2031-05-14', 'The meeting on 2031-05-14 at 15:00 is off.', true],
    ['days', '2031-05-14', 'The meeting on 2031-05-14 or 2031-05-15 is off.', false],
    ['days and times', '2031-05-14 15:00', 'Moved to 2031-05-14 15:00, not a minute later: 15:00.', true],
    ['days and times', '2031-05-14 15:00', 'Moved to 2031-05-14 15:00 or 16:00.', false],
    ['days and times', '2031-05-14 15:00', 'Moved from 2031-05-13 to 2031-05-14 15:00.', false],
    ['orders and addresses', 'o1234 to 5 Some Road', 'Redirect order o1234 to 5 Some Road.', true],
    [
      'orders and addresses',
      'o1234 to 5 Some Road',
      'Redirect o1234 to 5 Some Road, not to 7 Any Road.',
      false,
    ],
    ['orders and addresses', 'o1234 to 5 Some Road', 'Redirect o1235 and o1234 to 5 Some Road.', false],
  ] as const)(
    'with only %s, the mail about %p is right if it says %p: %p',
    (only, wanted, body, expected) => {
      const pattern = { tool: 'send_mail' as const, fields: {}, mentions: wanted.split(' to '), only };
      expect(matchesPattern({ tool: 'send_mail', fields: { body } }, pattern)).toBe(expected);
    },
  );
});
