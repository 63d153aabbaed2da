/** The clock of some processes is a day wrong, as on a machine that has just booted, and is then corrected. */
import { failureOf } from '#test/harness/failure-of.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { emailAction } from '../actions.ts';
import type { HubUnderTest } from '../hub-under-test.ts';
import type { Disturbance } from './disturbance.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** A process reads the file of its clock 20 times a second. */
const effectiveAfterMs = 300;
const deliveredWithinMs = 10_000;

export function shiftClock(role: 'api' | 'workers', days: 1 | -1): Disturbance {
  const processes = role === 'api' ? 'the API' : 'the workers';
  return {
    name: `the clock of ${processes} a day ${days > 0 ? 'ahead' : 'behind'}`,
    start: async (hub) => {
      await hub.setClock(role, days * dayMs);
      await Bun.sleep(effectiveAfterMs);
      const result = await sendMail(hub);
      if (result !== (role === 'api' ? 'invalid_signature' : 200))
        throw new Error(`The response to a signed mail was ${result}.`);
      const delivered = failureOf(replyAndAwaitDelivery(hub));
      return async () => {
        await hub.setClock(role, 0);
        const cause = await delivered;
        if (cause !== null) throw new Error('No webhook arrived while the clock was wrong.', { cause });
        await waitUntil(async () => (await sendMail(hub)) === 200, deliveredWithinMs);
        await replyAndAwaitDelivery(hub);
      };
    },
  };
}

/** @returns the status, or the error code of a refusal */
async function sendMail({ url, population }: HubUnderTest): Promise<number | string> {
  const { maintainer, inboundMailSecret } = population;
  const { path, headers, body } = emailAction(crypto.randomUUID(), maintainer, inboundMailSecret);
  const response = await fetch(url + path, { method: 'POST', headers: headers(), body: body ?? null });
  const text = await response.text();
  return response.ok ? response.status : (JSON.parse(text) as { error: string }).error;
}

/** The webhook of the thread's author must arrive soon, whichever clock is right. */
async function replyAndAwaitDelivery({ url, population }: HubUnderTest): Promise<void> {
  const { receiver, threadIds, maintainer } = population;
  const before = receiver.received.length;
  const response = await fetch(`${url}/v1/threads/${threadIds[0]}/posts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${maintainer.bearerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body: 'What time is it?' }),
  });
  if (!response.ok)
    throw new Error(`The response to a reply was ${response.status}: ${await response.text()}`);
  await waitUntil(async () => receiver.received.length > before, deliveredWithinMs);
}
