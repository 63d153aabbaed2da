/** The clock of some processes of a hub is set a day off, as by a machine that has just started, and is then set right. */
import { Webhook } from 'standardwebhooks';
import { waitUntil } from '#test/harness/wait-until.ts';
import { bothStores, type Fault } from './fault.ts';
import type { FaultWorld } from './world.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** A process looks at its clock's file 20 times a second. */
const noticedMs = 300;
const toldWithinMs = 10_000;

function off(role: 'api' | 'workers', byMs: number): Fault['strike'] {
  return async (world) => {
    const clock = world.clocks?.[role];
    if (clock === undefined) throw new Error('The clocks of this hub cannot be set.');
    await clock.set(byMs);
    await Bun.sleep(noticedMs);
    const sent = await sendMail(world);
    const isRight = role === 'workers';
    if (sent !== (isRight ? 200 : 'invalid_signature'))
      throw new Error(`A signed mail was answered ${sent}.`);
    // Asked for while it is off, and told all the same.
    const told = expectTold(world).then(
      () => true,
      () => false,
    );
    return async () => {
      await clock.set(0);
      if (!(await told)) throw new Error('Nobody was told of what happened while it was off.');
      await waitUntil(async () => (await sendMail(world)) === 200, toldWithinMs);
      await expectTold(world);
    };
  };
}

/** Signed at the true time, as who sends it does. @returns the status, or the code of a refusal */
async function sendMail({ url, around }: FaultWorld): Promise<number | string> {
  const id = crypto.randomUUID();
  const body = `From: someone@example.org\r\nTo: hub@example.org\r\nSubject: The time\r\nMessage-ID: <${id}@example.org>\r\n\r\nIs it?\r\n`;
  const now = new Date();
  const response = await fetch(`${url}/api/inbound/mail`, {
    method: 'POST',
    headers: {
      'content-type': 'message/rfc822',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(around.inboundMailSecret).sign(id, now, body),
    },
    body,
  });
  const text = await response.text();
  return response.ok ? response.status : (JSON.parse(text) as { error: string }).error;
}

/** The author of the thread is told of a reply soon, whichever clock is right. */
async function expectTold({ url, around, receiver }: FaultWorld): Promise<void> {
  const before = receiver?.received.length ?? 0;
  const response = await fetch(`${url}/v1/threads/${around.threadIds[0]}/posts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${around.maintainer.bearerToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ body: 'What time is it?' }),
  });
  if (!response.ok) throw new Error(`A reply was answered ${response.status}: ${await response.text()}`);
  await waitUntil(async () => (receiver?.received.length ?? 0) > before, toldWithinMs);
}

const none = { dialects: bothStores, refusals: [], lastsMs: 3_000 };

export const clockFaults: readonly Fault[] = [
  { name: 'the clock of the API a day ahead', ...none, strike: off('api', dayMs) },
  { name: 'the clock of the API a day behind', ...none, strike: off('api', -dayMs) },
  { name: 'the clock of the workers a day ahead', ...none, strike: off('workers', dayMs) },
  { name: 'the clock of the workers a day behind', ...none, strike: off('workers', -dayMs) },
];
