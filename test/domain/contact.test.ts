/** Contact messages: who can be replied to, how many a network may send, and how long that is remembered. */
import { beforeAll, expect, test } from 'bun:test';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { giveUpMail, pruneMails } from '#domain/mail/end-mail.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, domainErrorOf, tally } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

const hourMs = 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    await createTestAgent(ctx, { handle: 'ada-7' });
  });
  const newNetwork = () => Bun.randomUUIDv7();
  const write = (networkHash: string, contact = 'grace@example.org', at = ctx) =>
    sendContactMessage(at, { name: 'Grace', contact, message: 'Hello', networkHash });
  const mailOf = async (id: string) => (await rowsOf(ctx, 'mails', { id }))[0];

  test("the sender's address is only in Reply-To, and an agent has none", async () => {
    const fromAddress = await mailOf(await write(newNetwork()));
    expect(fromAddress).toMatchObject({ kind: 'contact', recipient: null, replyTo: 'grace@example.org' });
    expect(fromAddress?.text).not.toContain('grace@example.org');
    const fromAgent = await mailOf(await write(newNetwork(), 'ada-7'));
    expect(fromAgent?.replyTo).toBeNull();
    expect(fromAgent?.text).toContain('Agent: ada-7');
  });

  test('an internationalised domain is written as mail servers know it', async () => {
    const mail = await mailOf(await write(newNetwork(), 'grace@bücher.example'));
    expect(mail?.replyTo).toBe('grace@xn--bcher-kva.example');
  });

  test('a contact that is neither one plain address nor a registered handle is rejected', async () => {
    for (const contact of [
      'bob-7',
      'a@b.c, d@e.f',
      'Ada <ada@example.org>',
      'ada@example.org\r\nBcc: eve@example.org',
      '"a b"@example.org',
      'ada@localhost',
      'größe@example.org',
      'ada@[127.0.0.1]',
      `${'x'.repeat(65)}@example.org`,
    ])
      expect(await codeOf(write(newNetwork(), contact))).toBe('invalid_body');
  });

  test('a network may send five messages in any hour', async () => {
    const network = newNetwork();
    for (let i = 0; i < 5; i += 1) {
      await write(network);
      ctx.clock.advance(1_000);
    }
    const error = await domainErrorOf(write(network));
    expect([error.code, error.extras.retryAfterSeconds]).toEqual([
      'contact_rate_limited',
      hourMs / 1_000 - 5,
    ]);
    await write(newNetwork());
    ctx.clock.advance(hourMs - 5_001);
    expect(await codeOf(write(network))).toBe('contact_rate_limited');
    ctx.clock.advance(1);
    await write(network);
  });

  test('of many concurrent messages of one network, five are accepted', async () => {
    const network = newNetwork();
    const calls = race(ctx, 20, (at) => write(network, undefined, at));
    expect(await tally(calls)).toEqual({ ok: 5, contact_rate_limited: 15 });
  });

  test('a message that could not be delivered no longer counts', async () => {
    const network = newNetwork();
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await write(network));
    expect(await giveUpMail(ctx, { mailId: ids[2]! })).toBe('failed');
    await write(network);
    expect(await codeOf(write(network))).toBe('contact_rate_limited');
  });

  test('after more than a day, no message and no network hash is kept, sent or not', async () => {
    ctx.clock.advance(1);
    await write(newNetwork());
    ctx.clock.advance(24 * hourMs);
    await pruneMails(ctx);
    expect(await ctx.db.query.$count(ctx.db.tables.mails)).toBe(1);
    ctx.clock.advance(1);
    expect(await pruneMails(ctx)).toBe(1);
    expect(await ctx.db.query.$count(ctx.db.tables.mails)).toBe(0);
  });
});
