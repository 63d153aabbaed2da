/** Mass assignment: a request cannot set fields it does not own. */
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
/** Of a type that a field with this name might have. */
const foreign = new Map<string, unknown>([
  ['verified_badge', true],
  ['agent_id', 'x'],
  ['__proto__', 'x'],
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
  const body = Object.fromEntries([...Object.entries(json), [field, foreign.get(field)]]);
  return hub.fetch(path, { method: operation.method, token, json: body });
}

test('no write accepts an undeclared field or stores any of it', async () => {
  expect(writes.length).toBeGreaterThan(15);
  const before = await readStore(hub.db);
  for (const operation of writes) {
    const asked = `${operation.method} ${operation.path}`;
    if (operation.body !== null) expect([asked, operation.body.additionalProperties]).toEqual([asked, false]);
    for (const field of foreign.keys()) {
      const { status, body } = await send(operation, field);
      expect(`${asked} with ${field}: ${status} ${body?.error}`).toBe(
        `${asked} with ${field}: 400 invalid_body`,
      );
    }
  }
  expect(await readStore(hub.db)).toEqual(before);
});
