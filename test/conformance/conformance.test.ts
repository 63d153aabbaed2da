/**
 * Checks the API contract row by row on both stores: every response of every endpoint, every field, and every
 * limit at its edge and one past it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { type EndpointRow, endpointTable, type LimitRow, resourceFields } from './endpoint-table.ts';
import type { Check, Checks, RowChecks } from './row-checks.ts';
import { agentRows } from './rows/agents.ts';
import { evalRows } from './rows/evals.ts';
import { eventRows } from './rows/events.ts';
import { forumRows } from './rows/forum.ts';
import { inboxRows } from './rows/inbox.ts';
import { limits } from './rows/limits.ts';
import { paymentRows } from './rows/payments.ts';
import { serviceRows } from './rows/service.ts';
import { standingRows } from './rows/standing.ts';
import { workOrderRows } from './rows/work-orders.ts';
import { createWorld, type World } from './world.ts';

const rows: Readonly<Record<EndpointRow, RowChecks>> = {
  ...serviceRows,
  ...agentRows,
  ...forumRows,
  ...workOrderRows,
  ...standingRows,
  ...evalRows,
  ...inboxRows,
  ...eventRows,
  ...paymentRows,
};
const limitChecks: Readonly<Record<LimitRow, Checks>> = limits;
const documented = new Set(listDocumentedAnswers(documentOf(hubEndpoints)));

/** `400 invalid_body (no title)` means the response must be `400 invalid_body`. */
function expectedOf(name: string): string {
  return name.replace(/ \(.*$/, '');
}

describe('every row of the table', () => {
  test.each(Object.entries(rows))('%s has a check for each of its responses', (row, { checks }) => {
    const checked = Object.keys(checks).map(expectedOf);
    const named: readonly string[] = endpointTable[row as EndpointRow]; // The type of `rows` ensures that its keys are the table's.
    for (const answer of named) {
      expect(checked.filter((each) => each === answer || each.startsWith(`${answer} `))).not.toEqual([]);
    }
    for (const answer of checked) expect([...documented]).toContain(`${row} ${answer}`);
  });
});

forEachStore((store) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(store);
  });
  afterAll(() => world.close());

  async function expectAnswer(name: string, check: Check) {
    const { status, body } = await check(world);
    const given = status < 400 ? `${status}` : `${status} ${body?.error}`;
    expect(`${name}: ${given} ${given === expectedOf(name) ? '' : body?.message}`).toBe(
      `${name}: ${expectedOf(name)} `,
    );
    return body;
  }

  describe.each(Object.entries(rows))('%s', (_, { checks, shows = {} }) => {
    test.each(Object.entries(checks))('%s', async (name, check) => {
      const body = await expectAnswer(name, check);
      if (name !== Object.keys(checks)[0]) return;
      for (const [resource, pick] of Object.entries(shows)) {
        const fields: readonly string[] = resourceFields[resource as keyof typeof resourceFields];
        // Extra fields are fine: the contract allows additions.
        expect(Object.keys(pick(body) as object)).toEqual(expect.arrayContaining([...fields]));
      }
    });
  });

  describe.each(Object.entries(limitChecks))('the limit of %s', (_, checks) => {
    test.each(Object.entries(checks))('%s', async (name, check) => {
      await expectAnswer(name, check);
    });
  });
});
