/** Office hours: who confirms a meeting, when it can be confirmed, and the mail about a booking. */
import { expect, test } from 'bun:test';
import type { SeatCommand } from '#domain/events/seat-commands.ts';
import { noticeIntervalMs } from '#domain/events/mail-hosts.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import type { Environment } from '#runtime/settings/settings-reader.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { cancel, carryOut, codeOf, handle, reserve, seatsOf } from './run-commands.ts';
import { type EventRow } from '#domain/events/event-rows.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const { agent: host } = useAgentCtx(ctx);
  const { agent } = useAgentCtx(ctx, { tokens: 100 });

  const officeHours = (times: Partial<EventRow> = {}) => {
    const hosted = { hostAgentId: host.id, hostHandle: host.handle };
    return createTestEvent(ctx, { kind: 'office_hours', seatsTotal: 1, ...hosted, ...times });
  };
  const confirm = (
    seatId: string,
    changes: Partial<SeatCommand & { kind: 'confirm-meeting' }> = {},
  ): SeatCommand & { kind: 'confirm-meeting' } => ({
    kind: 'confirm-meeting',
    seatId,
    startsAt: new Date(ctx.clock.now().getTime() + 1),
    place: 'Room 1',
    agentId: host.id,
    isMaintainer: false,
    ...changes,
  });
  const toldOf = async ({ id: agentId }: Pick<TestAgent, 'id'>, eventId: string) =>
    (await rowsOf(ctx, 'notifications', { agentId })).flatMap(({ kind, data }) =>
      data['event_id'] === eventId ? [{ kind, data }] : [],
    );
  const mailsAbout = async (text: string) =>
    (await rowsOf(ctx, 'mails')).filter((mail) => mail.text.includes(text));

  test('a booking must be confirmed within 24 hours, and the confirmation is stored with the seat', async () => {
    const event = await officeHours();
    const { seat } = await carryOut(ctx, event.id, reserve(agent, event.id));
    expect(seat.meetingConfirmBy).toEqual(new Date(ctx.clock.now().getTime() + 24 * hourMs));
    const command = confirm(seat.id);
    const confirmed = {
      ...seat,
      meetingConfirmedAt: ctx.clock.now(),
      meetingStartsAt: command.startsAt,
      meetingPlace: 'Room 1',
      calendarSequence: 1,
    };
    expect((await carryOut(ctx, event.id, command)).seat).toEqual(confirmed);
    ctx.clock.advance(1_000);
    const moved = confirm(seat.id, { place: 'Room 2', agentId: agent.id, isMaintainer: true });
    expect((await carryOut(ctx, event.id, moved)).seat).toEqual({
      ...confirmed,
      meetingConfirmedAt: ctx.clock.now(),
      meetingStartsAt: moved.startsAt,
      meetingPlace: 'Room 2',
      calendarSequence: 2,
    });
  });

  test('the host is notified of a booking, and the agent of the time and place', async () => {
    const [event, undone] = [await officeHours(), await officeHours()];
    const { seat } = await carryOut(ctx, event.id, reserve(agent, event.id));
    await handle(ctx, undone.id, reserve(agent, undone.id), cancel(agent));
    for (let times = 0; times < 2; times += 1) await carryOut(ctx, event.id, confirm(seat.id));
    const names = { seat_id: seat.id, event_id: event.id };
    expect(await toldOf(host, event.id)).toEqual([
      { kind: 'seat.reserved', data: { ...names, confirm_by: seat.meetingConfirmBy!.toISOString() } },
    ]);
    expect(await toldOf(host, undone.id)).toEqual([]);
    expect(await toldOf(agent, event.id)).toEqual([
      { kind: 'meeting.confirmed', data: { ...names, starts_at: confirm(seat.id).startsAt.toISOString() } },
    ]);
    // Nobody is notified of what they do themselves.
    const own = await officeHours({ hostAgentId: agent.id });
    const { seat: ownSeat } = await carryOut(ctx, own.id, reserve(agent, own.id));
    await carryOut(ctx, own.id, confirm(ownSeat.id, { agentId: agent.id }));
    expect(await toldOf(agent, own.id)).toEqual([]);
  });

  test('only the host and maintainers confirm, only a reserved seat of these office hours, and only for a future time', async () => {
    const [event, other, workshop] = [
      await officeHours(),
      await officeHours(),
      await createTestEvent(ctx, { hostAgentId: host.id }),
    ];
    const { seat } = await carryOut(ctx, event.id, reserve(agent, event.id));
    const { seat: elsewhere } = await carryOut(ctx, other.id, reserve(agent, other.id));
    const { seat: atWorkshop } = await carryOut(ctx, workshop.id, reserve(agent, workshop.id));
    expect(await codeOf(ctx, event.id, confirm(seat.id, { agentId: agent.id }))).toBe('not_allowed');
    expect(await codeOf(ctx, workshop.id, confirm(atWorkshop.id))).toBe('conflict');
    expect(await codeOf(ctx, event.id, confirm(elsewhere.id))).toBe('seat_not_found');
    expect(await codeOf(ctx, event.id, confirm(Bun.randomUUIDv7()))).toBe('seat_not_found');
    expect(await codeOf(ctx, event.id, confirm(seat.id, { startsAt: ctx.clock.now() }))).toBe('invalid_body');
    await carryOut(ctx, event.id, cancel(agent));
    expect(await codeOf(ctx, event.id, confirm(seat.id))).toBe('seat_not_found');
  });

  test('a seat cancelled in the same batch cannot be confirmed', async () => {
    const event = await officeHours();
    const { seat } = await carryOut(ctx, event.id, reserve(agent, event.id));
    const [, refusal] = await handle(ctx, event.id, cancel(agent), confirm(seat.id));
    expect(refusal).toMatchObject({ code: 'seat_not_found' });
    expect((await seatsOf(ctx, event.id))[0]).toMatchObject({
      status: 'cancelled',
      meetingConfirmedAt: null,
    });
  });

  test('mails the team about each booking of office hours, and not about workshops or bookings cancelled in the same batch', async () => {
    const mailing = { ...ctx, rules: { ...ctx.rules, mailsHosts: true } };
    const [event, undone, workshop] = [await officeHours(), await officeHours(), await createTestEvent(ctx)];
    const { seat } = await carryOut(mailing, event.id, reserve(agent, event.id));
    await handle(mailing, undone.id, reserve(agent, undone.id), cancel(agent));
    await carryOut(mailing, workshop.id, reserve(agent, workshop.id));
    const [mail] = await mailsAbout(event.id);
    expect(mail).toMatchObject({
      kind: 'notice',
      recipient: null,
      subject: `Office hours of ${host.handle} booked by ${agent.handle}`,
      text: [
        `${agent.handle} has booked office hours.`,
        '',
        `Event: ${event.title}`,
        `Host: ${host.handle}`,
        `Time: ${event.startsAt.toISOString()} to ${event.endsAt.toISOString()}`,
        `Confirm by: ${seat.meetingConfirmBy!.toISOString()}`,
        '',
        'The host, or a maintainer, confirms when and where to meet:',
        `https://hub.test/events/${event.id}`,
        '',
      ].join('\n'),
    });
    const others = [...(await mailsAbout(undone.id)), ...(await mailsAbout(workshop.id))];
    expect([(await mailsAbout(event.id)).length, others]).toEqual([1, []]);
    // No mail for a replayed booking, nor without a configured address.
    await carryOut(mailing, event.id, reserve(agent, event.id));
    const silent = await officeHours();
    await carryOut(ctx, silent.id, reserve(agent, silent.id));
    expect([(await mailsAbout(event.id)).length, await mailsAbout(silent.id)]).toEqual([1, []]);
  });

  test('mails once per agent, event and day', async () => {
    const mailing = { ...ctx, rules: { ...ctx.rules, mailsHosts: true } };
    const inAMonth = (hours: number) => new Date(ctx.clock.now().getTime() + (30 * 24 + hours) * 3_600_000);
    const event = await officeHours({ startsAt: inAMonth(0), endsAt: inAMonth(1) });
    const bookAndCancel = async () => {
      ctx.clock.advance(1_000);
      await carryOut(mailing, event.id, reserve(agent, `${ctx.clock.now().getTime()}`));
      await handle(mailing, event.id, cancel(agent));
    };
    for (let time = 0; time < 3; time += 1) await bookAndCancel();
    expect(await mailsAbout(event.id)).toHaveLength(1);
    ctx.clock.advance(noticeIntervalMs);
    await bookAndCancel();
    await bookAndCancel();
    expect(await mailsAbout(event.id)).toHaveLength(2);
  });
});

test('mails the team if a setting names its address, or another that stands in for it', () => {
  const mailsHosts = (environment: Environment) => hubRulesOf(parseSettings(environment)).mailsHosts;
  const [toTeam, toSender] = [{ CONTACT_TO: 'team@hub.test' }, { MAIL_FROM: 'hub@hub.test' }];
  expect([{}, toTeam, toSender].map(mailsHosts)).toEqual([false, true, true]);
});
