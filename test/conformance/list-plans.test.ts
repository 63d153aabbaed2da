/** No list of the API scans or sorts a table, whatever its filter and page, so that it stays fast on a large store. */
import { beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createThings } from '#test/harness/create-things.ts';
import { everythingConfigured, tokensFor } from '#test/harness/everything-configured.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { register, tell } from '#test/harness/webhooks.ts';

/** What a filter looks for, if it names no fixed values. */
const wanted: Readonly<Record<string, string>> = {
  author: 'agent',
  proposer: 'agent',
  implementer: 'agent',
  reviewer: 'agent',
  owner: 'agent',
  label: 'main',
  tag: 'one',
  overdue: 'true',
};
/** Lists in a parameter, and the waits of one agent and the meetings of one event. */
const bounded = /json_each|ProjectSet|waitlist_entries|seats_unconfirmed/;

const lists = hubEndpoints.flatMap(({ method, path, auth, query }) => {
  if (method !== 'GET' || query === undefined || !('cursor' in query.properties)) return [];
  const filters = Object.entries(query.properties).flatMap(([name, schema]) => {
    const values = 'enum' in schema ? (schema.enum as readonly string[]) : [wanted[name]];
    return name === 'format'
      ? []
      : values.flatMap((value) => (value === undefined ? [] : [`${name}=${value}`]));
  });
  return [{ path, auth, filters: ['', ...filters] }];
});

forEachStore((store) => {
  const { hub, maintainer } = useEventHub({ store, settings: everythingConfigured });
  const agent = useTestAgent(hub, { handle: 'agent', tokens: 100 });
  /** What stands for the parameters of paths. */
  const filledIn: Record<string, string> = { ':owner/:name': '@agent/asked' };
  const addressOf = (path: string) =>
    Object.entries(filledIn).reduce((address, [parameter, value]) => address.replace(parameter, value), path);

  beforeAll(async () => {
    for (let times = 0; times < 2; times += 1) {
      const things = await createThings(hub, agent);
      filledIn[':event_id'] = things['events'] ?? '';
      for (const kind of ['threads', 'work-orders']) filledIn[`${kind}/:id`] = `${kind}/${things[kind]}`;
    }
    const cases = ['one', 'two'].map((id) => ({ id, prompt: id, tags: ['one'], expect: [{ equals: id }] }));
    const as = actingAs(hub.ctx, agent);
    await publishTestSuite(as, { suite: 1, name: 'asked', cases });
    const { webhook } = await register(hub.ctx, agent, 'http://127.0.0.1:9/');
    await tell(hub.ctx, agent, 2);
    filledIn['webhooks/:id'] = `webhooks/${webhook.id}`;
    for (let times = 0; times < 2; times += 1)
      filledIn[':run_id'] = await playSuiteRun(as, '@agent/asked', 'one', { label: 'main' });
  });

  test('no list scans or sorts a table', async () => {
    const tokens: Readonly<Record<string, string | undefined>> = tokensFor(agent, maintainer);
    const faults: string[] = [];
    for (const { path, auth, filters } of lists) {
      for (const filter of filters) {
        const read = async (page: string) => {
          const url = `${addressOf(path)}?${[filter, page].filter(Boolean).join('&')}`;
          const response = await hub.fetch(url, { token: tokens[auth] ?? agent.bearerToken });
          if (response.status !== 200)
            faults.push(`${url}: ${response.status} ${response.text.slice(0, 200)}`);
          return response;
        };
        const { next_cursor: cursor } = (await read('limit=1')).body;
        for (const page of ['', ...(cursor == null ? [] : [`cursor=${encodeURIComponent(cursor)}`])]) {
          const plans = await plansOf(store, () => read(`limit=20&${page}`));
          for (const plan of plans)
            if (faultOf(plan) !== null && !bounded.test(plan))
              faults.push(`${path} ${filter} ${page}: ${plan}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });
});
