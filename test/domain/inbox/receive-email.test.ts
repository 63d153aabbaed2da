/** The inbox: which emails are stored, once, and how they are listed and marked. */
import { expect, test } from 'bun:test';
import { listEmails, setEmailStatus, showEmail } from '#domain/inbox/list-emails.ts';
import { pruneEmails, receiveEmail } from '#domain/inbox/receive-email.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const mail = (subject: string, messageId: string | null = null) =>
    Buffer.from(`${messageId === null ? '' : `Message-ID: ${messageId}\r\n`}Subject: ${subject}\r\n\r\nText`);
  function receive(raw: Uint8Array, at = ctx) {
    at.clock.advance(1);
    return receiveEmail(at, { raw });
  }
  const list = (status: 'new' | 'triaged' | null = null, limit = 100, cursor: string | null = null) =>
    listEmails(ctx, { status, limit, cursor });
  const newest = async () => (await list()).items[0]!;

  test('of emails with one Message-ID the first is stored, even when they arrive concurrently', async () => {
    const arrivals = await Promise.all(
      race(ctx, 12, (at, i) => receive(mail(`Copy ${i}`, '<one@x.org>'), at)),
    );
    expect(arrivals.filter((isNew) => isNew)).toHaveLength(1);
    const { subject } = await newest();
    expect(await receive(mail('Late copy', '<one@x.org>'))).toBe(false);
    expect((await newest()).subject).toBe(subject);
  });

  test('without a Message-ID, only identical bytes are the same email', async () => {
    const arrivals = [mail('Same'), mail('Same'), mail('Same '), mail('Other')];
    const stored: boolean[] = [];
    for (const raw of arrivals) stored.push(await receive(raw));
    expect(stored).toEqual([true, false, true, true]);
  });

  test('the SMTP envelope fills in a missing sender and missing recipients', async () => {
    const envelope = { sender: 'a@x.org', recipients: ['b@x.org', 'c@x.org'] };
    await receiveEmail(ctx, { raw: mail('No headers'), envelope });
    expect(await newest()).toMatchObject({ sender: 'a@x.org', recipients: 'b@x.org, c@x.org' });
    ctx.clock.advance(1);
    await receiveEmail(ctx, { raw: Buffer.from('From: d@x.org\r\nTo: e@x.org\r\n\r\nText'), envelope });
    expect(await newest()).toMatchObject({ sender: 'd@x.org', recipients: 'e@x.org' });
  });

  test('an email has between one byte and 10 MiB', async () => {
    expect(await codeOf(receive(new Uint8Array()))).toBe('invalid_body');
    expect(await receive(Buffer.alloc(10 * 1024 * 1024, 'x'))).toBe(true);
    expect(await codeOf(receive(Buffer.alloc(10 * 1024 * 1024 + 1, 'x')))).toBe('body_too_large');
    expect(await receive(Buffer.from('x'))).toBe(true);
  });

  test('any status may follow any other, and an unknown email is not found', async () => {
    await receive(mail('Status'));
    const { id } = await newest();
    for (const status of ['archived', 'triaged', 'new', 'new', 'archived'] as const) {
      ctx.clock.advance(1);
      const changed = await setEmailStatus(ctx, { emailId: id, status });
      expect(changed).toMatchObject({ status, updatedAt: ctx.clock.now() });
      expect(await showEmail(ctx, { emailId: id })).toEqual(changed);
    }
    const emailId = Bun.randomUUIDv7();
    expect(await codeOf(showEmail(ctx, { emailId }))).toBe('email_not_found');
    expect(await codeOf(setEmailStatus(ctx, { emailId, status: 'triaged' }))).toBe('email_not_found');
  });

  test('the list is newest first, page by page, and by status', async () => {
    const ids: string[] = [];
    for (const subject of ['One', 'Two', 'Three']) {
      await receive(mail(subject, `<${subject}@x.org>`));
      ids.unshift((await newest()).id);
    }
    for (const emailId of ids) await setEmailStatus(ctx, { emailId, status: 'triaged' });
    const first = await list('triaged', 2);
    const second = await list('triaged', 2, first.nextCursor);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect((await list('new')).items.some(({ id }) => ids.includes(id))).toBe(false);
  });

  test('archived emails older than the retention are deleted, and no others; with 0, none are', async () => {
    await receive(mail('Kept'));
    await receive(mail('Archived'));
    const { id } = await newest();
    await setEmailStatus(ctx, { emailId: id, status: 'archived' });
    const prune = (retentionDays: number) => pruneEmails(ctx, { retentionDays });
    ctx.clock.advance(365 * 24 * 3_600_000);
    await prune(365);
    expect([(await newest()).id, await prune(0)]).toEqual([id, 0]);
    ctx.clock.advance(1);
    const before = (await list()).items.length;
    expect([await prune(0), await prune(365)]).toEqual([0, 1]);
    expect((await list()).items).toHaveLength(before - 1);
    expect((await newest()).subject).toBe('Kept');
  });
});
