/**
 * Mass assignment: a request cannot set fields it does not own. Sends every write endpoint, one by one, every
 * field name that occurs in any response but not in its own body.
 */
import { beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { createThings } from '#test/harness/create-things.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { everythingConfigured, tokensFor } from '#test/harness/everything-configured.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import type { TestHub } from '#test/harness/hub.ts';
import { listOperations, type Operation } from '#test/harness/operations.ts';
import { readStore } from '#test/harness/read-store.ts';
import { thingsThatExist, validRequest } from '#test/harness/valid-request.ts';

const document = documentOf(hubEndpoints);
const writes = listOperations(document, listDocumentedAnswers(document)).filter(
  ({ method, path, body, answers }) =>
    method !== 'GET' &&
    answers.includes('400 invalid_body') &&
    // The body is an email, or a file of another tool, not JSON.
    path !== '/api/inbound/mail' &&
    path !== '/v1/suites/import' &&
    // The faults of a suite, which name such fields, are listed together.
    path !== '/v1/suites' &&
    path !== '/v1/suites/check' &&
    // Any payload of the payment provider is accepted and none of it is stored.
    body?.additionalProperties !== true,
);
const fieldNames = [...new Set(propertyNamesIn(document)), '__proto__', 'constructor', 'agent_id', 'agentId'];

/** All names under `properties`, at any depth. */
function propertyNamesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own =
    'properties' in node && typeof node.properties === 'object' ? Object.keys(node.properties ?? {}) : [];
  return [...own, ...Object.values(node).flatMap(propertyNamesIn)];
}

/** Requests sent at once: one by one, they would take longer than a test may. */
const atOnce = 8;
/** A value of a type that a field with this name might have. */
const plausible = new Map<string, unknown>([
  ['verified_badge', true],
  ['reputation_total', 1_000_000],
  ['balance', 1_000_000],
  ['sponsor_tier', 'sponsor'],
  ['status', 'merged'],
]);

// A request is rejected before it reaches the store.
let things: ReturnType<typeof thingsThatExist>;
const { hub, maintainer } = useEventHub({
  settings: everythingConfigured,
  maintainer: { handle: 'maintainer' },
});
const agent = useTestAgent(hub, { handle: 'agent', tokens: 10 });
beforeAll(async () => {
  things = thingsThatExist('agent', {
    ...(await createThings(hub, agent)),
    inbox: await receiveTestEmail(hub.ctx),
  });
});

function send(operation: Operation, field: string): ReturnType<TestHub['fetch']> {
  const { path, json = {} } = validRequest(operation, things);
  const token = tokensFor(agent, maintainer)[operation.access] ?? agent.bearerToken;
  // Unlike an assignment, this makes `__proto__` an ordinary field.
  const body = Object.fromEntries([...Object.entries(json), [field, plausible.get(field) ?? 'x']]);
  return hub.fetch(path, { method: operation.method, token, json: body });
}

test('no write accepts an undeclared field or stores any of it', async () => {
  expect(writes.length).toBeGreaterThan(15);
  expect(fieldNames).toContain('verified_badge');
  const before = await readStore(hub.db);
  for (const operation of writes) {
    const own = Object.keys(operation.body?.properties ?? {});
    const notOwn = fieldNames.filter((name) => !own.includes(name));
    for (let from = 0; from < notOwn.length; from += atOnce) {
      const answers = await Promise.all(
        notOwn
          .slice(from, from + atOnce)
          .map(async (field) => [field, await send(operation, field)] as const),
      );
      for (const [field, { status, body }] of answers) {
        const asked = `${operation.method} ${operation.path} with ${field}`;
        expect(`${asked}: ${status} ${body?.error}`).toBe(`${asked}: 400 invalid_body`);
      }
    }
  }
  expect(await readStore(hub.db)).toEqual(before);
});
