/**
 * Hundreds of forms of forbidden target, next to a listener that sees none of them, and legitimate targets
 * that are called.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp, type GuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { ResolveHost } from '#runtime/guarded-http/resolve-host.ts';

import { numberOf, urlFormsOfIpv4 } from './support/address-forms.ts';
import {
  type ForbiddenTarget,
  forbiddenTargets,
  honestLiterals,
  redirectsTo,
} from './support/forbidden-targets.ts';
import { type RawServer, startRawServer } from './support/raw-server.ts';

const hello = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
const formsMin = 500;
const honestMin = 50;

let canary: RawServer;
beforeAll(async () => {
  canary = await startRawServer((socket) => void socket.write(hello));
});
afterAll(() => canary[Symbol.asyncDispose]());

/** Whether the request would have been sent: records the chosen address, then aborts the call. */
async function addressChosenFor(http: GuardedHttp, url: string): Promise<string | null> {
  const giveUp = new AbortController();
  let chosen: string | null = null;
  await http.request({
    url,
    method: 'POST',
    body: '{}',
    signal: giveUp.signal,
    takeSlot: (address) => {
      chosen = address;
      giveUp.abort();
      return Promise.reject(new Error('That is all we wanted to know.'));
    },
  });
  return chosen;
}

function resolverOf(targets: readonly ForbiddenTarget[]): ResolveHost {
  const answers = new Map(targets.map(({ url, answers: given }) => [URL.parse(url)?.hostname, given]));
  return (hostname) => {
    const [first] = answers.get(hostname) ?? [];
    if (first === undefined) throw new Error(`The test knows no ${hostname}.`);
    return Promise.resolve(first);
  };
}

test('no form of a forbidden target is called: each is rejected before a connection is made', async () => {
  const targets = forbiddenTargets(canary.port);
  const families = Map.groupBy(targets, ({ family }) => family);
  console.log(
    `${targets.length} forms:`,
    Object.fromEntries([...families].map(([name, { length }]) => [name, length])),
  );
  expect(targets.length).toBeGreaterThanOrEqual(formsMin);
  const http = createGuardedHttp({ policy: createAddressPolicy([]), resolve: resolverOf(targets) });
  const wrong: unknown[] = [];
  for (const { family, url } of targets) {
    const outcome = await http.request({ url, method: 'POST', body: '{}' });
    if (outcome.ok || outcome.fault !== 'blocked') wrong.push([family, url, outcome]);
  }
  http.close();
  expect(wrong).toEqual([]);
  expect(canary.connections).toBe(0);
});

test('a name that changes to an internal address is blocked from that lookup on', async () => {
  const insides = forbiddenTargets(canary.port).flatMap(({ answers }) => answers ?? []);
  const http = createGuardedHttp({
    policy: createAddressPolicy(['127.0.0.9']),
    resolve: (() => {
      let lookups = 0;
      return () => Promise.resolve((lookups += 1) % 2 === 1 ? ['127.0.0.9'] : insides[lookups / 2 - 1]!);
    })(),
  });
  const url = `http://turning.test:${canary.port}/`;
  for (const inside of insides) {
    expect(await addressChosenFor(http, url)).toBe(`127.0.0.9:${canary.port}`);
    expect([inside, await addressChosenFor(http, url)]).toEqual([inside, null]);
  }
  http.close();
  expect(canary.connections).toBe(0);
});

test('a redirect from an allowed target to an internal address is not followed', async () => {
  const answers = [`http://127.0.0.1:${canary.port}/`, `//127.0.0.1:${canary.port}/`].flatMap(redirectsTo);
  let next = 0;
  await using target = await startRawServer((socket) => void socket.end(answers[next] ?? ''), '127.0.0.2');
  const http = createGuardedHttp({ policy: createAddressPolicy(['127.0.0.2']) });
  for (; next < answers.length; next += 1) {
    const outcome = await http.request({ url: target.url, method: 'POST', body: '{}' });
    const isTaken = /^HTTP\/1.1 2/.test(answers[next]!);
    expect([answers[next], outcome.ok ? 'taken' : outcome.fault]).toEqual([
      answers[next],
      isTaken ? 'taken' : 'bad_status',
    ]);
  }
  http.close();
  expect(canary.connections).toBe(0);
});

test('legitimate targets are called at exactly the address they name, and allowed ones are reached', async () => {
  const open = createGuardedHttp({
    policy: createAddressPolicy(['127.0.0.0/8']),
    resolve: () => Promise.resolve(['127.0.0.1']),
  });
  const honest = honestLiterals();
  for (const { host, address } of honest) {
    const chosen = await addressChosenFor(open, `http://${host}:8080/run`);
    expect([host, chosen]).toEqual([host, address.includes(':') ? `[${address}]:8080` : `${address}:8080`]);
  }
  // The listener works: it sees the same spellings where the operator allows the address.
  const forms = urlFormsOfIpv4(numberOf('127.0.0.1')).filter((_, index) => index % 20 === 0);
  const reached = [...forms, 'agent.example', 'Agent.Example.', 'xn--bcher-kva.example', 'inside'];
  for (const host of reached) {
    const outcome = await open.request({ url: `http://${host}:${canary.port}/`, method: 'POST', body: '{}' });
    expect([host, outcome.ok || outcome]).toEqual([host, true]);
  }
  open.close();
  expect(honest.length + reached.length).toBeGreaterThanOrEqual(honestMin);
  expect(canary.received.match(/POST \//g)).toHaveLength(reached.length);
});
