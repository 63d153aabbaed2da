/** The inbox: its key, its list and the status of its emails. */
import { createId } from '#runtime/create-id.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { type Check, type Checks, type RowChecks, saying } from '../row-checks.ts';
import type { World } from '../world.ts';

const nowhere = createId(new Date());
const statuses = ['new', 'triaged', 'archived'] as const;
const key = everythingConfigured.inboxKey;

interface ShownEmail {
  readonly id: string;
  readonly status: string;
}

function receive({ hub }: World): Promise<string> {
  hub.clock.advance(1); // The list is newest first.
  return receiveTestEmail(hub.ctx);
}

/** @returns the ids, newest first */
async function receiveMany(world: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.unshift(await receive(world));
  return ids;
}

export function list({ ask }: World, query = ''): Promise<TestResponse> {
  return ask(null, `/v1/inbox${query}`, undefined, { token: key });
}

function setStatus({ ask }: World, id: string, json: object): Promise<TestResponse> {
  return ask(null, `/v1/inbox/${id}`, json, { method: 'PATCH', token: key });
}

/** With one email more than fits on a page, the page has exactly the newest ones in order. */
export async function listPage(world: World, query: string, length: number): Promise<TestResponse> {
  const ids = await receiveMany(world, length + 1);
  const answer = await list(world, query);
  const shown = answer.body.emails?.map(({ id }: ShownEmail) => id);
  if (!Bun.deepEquals(shown, ids.slice(0, length))) throw new Error(`Unexpected emails: ${answer.text}`);
  return answer;
}

/**
 * Receives one email per status; the list has the one with the requested status first and no other status.
 */
async function listStatus(world: World, asked: (typeof statuses)[number]): Promise<TestResponse> {
  const ids = new Map<string, string>();
  for (const status of statuses) {
    const id = await receive(world);
    ids.set(status, id);
    await setStatus(world, id, { status });
  }
  const answer = await list(world, `?status=${asked}&limit=100`);
  const emails: readonly ShownEmail[] = answer.body.emails;
  if (emails[0]?.id !== ids.get(asked)) throw new Error(`The newest email is not first: ${answer.text}`);
  if (emails.some(({ status }) => status !== asked))
    throw new Error(`An email has another status: ${answer.text}`);
  return answer;
}

async function move(world: World, from: string, to: string): Promise<TestResponse> {
  const id = await receive(world);
  await setStatus(world, id, { status: from });
  const answer = await setStatus(world, id, { status: to });
  const { status, received_at, updated_at } = answer.body.email;
  const isNow = updated_at === world.hub.clock.now().toISOString() && updated_at > received_at;
  if (status !== to || !isNow) throw new Error(`The email must be ${to} now: ${answer.text}`);
  return answer;
}

/**
 * Without a key, with an invalid one, with credentials for other endpoints, and when no inbox key is
 * configured.
 */
function needsInboxKey(path: string, json?: object, method: 'GET' | 'PATCH' = 'GET'): Checks {
  const refused =
    (token?: (world: World) => string): Check =>
    (world) => {
      const credentials = token === undefined ? {} : { token: token(world) };
      const answer = world.ask(null, path, json, { method, ...credentials });
      return saying(answer, 'message', 'Invalid inbox key');
    };
  return {
    '401 invalid_inbox_key (none)': refused(),
    '401 invalid_inbox_key (a wrong one)': refused(() => `${key}x`),
    '401 invalid_inbox_key (the token of an agent)': refused(({ ada }) => ada.bearerToken),
    '401 invalid_inbox_key (the token of a maintainer)': refused(({ maintainer }) => maintainer.bearerToken),
    '401 invalid_inbox_key (the key of the operator)': refused(() => everythingConfigured.operatorKey),
    '503 inbox_not_configured': ({ bareHub }) =>
      bareHub.fetch(path, { method, token: key, ...(json === undefined ? {} : { json }) }),
  };
}

export const inboxRows = {
  'GET /v1/inbox': {
    checks: {
      200: async (world) => {
        await receive(world);
        return list(world);
      },
      '200 (new)': (world) => listStatus(world, 'new'),
      '200 (triaged)': (world) => listStatus(world, 'triaged'),
      '200 (archived)': (world) => listStatus(world, 'archived'),
      '400 invalid_parameter (an unknown status)': async (world) => {
        const answer = await list(world, '?status=read');
        const named = statuses.every((status) => answer.body.message.includes(`"${status}"`));
        if (!named) throw new Error(`The message must list the known statuses: ${answer.text}`);
        return answer;
      },
      '400 invalid_parameter (a status in upper case)': (world) => list(world, '?status=NEW'),
      '400 invalid_parameter (no cursor of the hub)': (world) => list(world, '?cursor=x'),
      ...needsInboxKey('/v1/inbox'),
    },
    shows: { Email: (body) => body.emails[0], Attachment: (body) => body.emails[0].attachments[0] },
  },
  'PATCH /v1/inbox/{id}': {
    checks: {
      200: async (world) => setStatus(world, await receive(world), { status: 'triaged' }),
      ...Object.fromEntries(
        statuses.flatMap((from) =>
          statuses.map((to): [string, Check] => [
            `200 (${to} after ${from})`,
            (world) => move(world, from, to),
          ]),
        ),
      ),
      '400 invalid_body (no status)': async (world) => setStatus(world, await receive(world), {}),
      '400 invalid_body (an unknown status)': async (world) =>
        setStatus(world, await receive(world), { status: 'read' }),
      '400 invalid_parameter': (world) => setStatus(world, '1', { status: 'new' }),
      '404 email_not_found': (world) => setStatus(world, nowhere, { status: 'new' }),
      ...needsInboxKey(`/v1/inbox/${nowhere}`, { status: 'new' }, 'PATCH'),
    },
    shows: { Email: (body) => body.email, Attachment: (body) => body.email.attachments[0] },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
