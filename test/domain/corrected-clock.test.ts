/** A clock that was ahead and then corrected keeps nobody waiting: windows have both ends. */
import { expect, test } from 'bun:test';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { commentOnWorkOrder, listComments } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { newKey, registration, signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

const aheadMs = 3 * 60 * 60 * 1_000;

function outcomeOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
}

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('what was used up while the clock was ahead does not count after the correction', async () => {
    const { ctx: own } = await signUp(ctx);
    const others: string[] = [];
    for (let n = 0; n < 24; n += 1) others.push((await createTestAgent(ctx)).handle);
    const key = newKey();
    const acts: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
      report: (n) => reportSubject(own, { subject: { kind: 'agent', id: others[n] ?? '' }, reason: 'Spam' }),
      contact: () =>
        sendContactMessage(ctx, {
          name: null,
          contact: 'a@b.example',
          message: 'Hello',
          networkHash: 'a-network',
        }),
      propose: () => proposeWorkOrder(own, { title: 'A title', description: 'x' }),
      link: () => createSignInLink(own),
      'sign up': () => registerAgent(ctx, registration('late-bird', key)),
    };
    ctx.clock.advance(aheadMs);
    const used: string[] = [];
    for (const [name, act] of Object.entries(acts))
      for (let n = 0; n < 24; n += 1) {
        if ((await outcomeOf(act(n))) === 'ok') continue;
        used.push(name);
        break;
      }
    expect(used).toEqual(Object.keys(acts));
    ctx.clock.advance(-aheadMs);
    for (const [name, act] of Object.entries(acts))
      expect([name, await outcomeOf(act(23))]).toEqual([name, 'ok']);
  });

  test('comments stay in the order in which they were written', async () => {
    const { ctx: own } = await signUp(ctx);
    const { id: workOrderId } = await proposeWorkOrder(own, { title: 'A title', description: 'x' });
    const comment = (body: string) => commentOnWorkOrder(own, { workOrderId, body });
    ctx.clock.advance(aheadMs);
    await comment('first');
    ctx.clock.advance(-aheadMs);
    for (const body of ['second', 'third']) await comment(body);
    const first = await listComments(ctx, { workOrderId, cursor: null, limit: 1 });
    const others = await listComments(ctx, { workOrderId, cursor: first.nextCursor, limit: 9 });
    const bodies = [...first.items, ...others.items].map(({ body }) => body);
    expect(bodies).toEqual(['first', 'second', 'third']);
  });
});
