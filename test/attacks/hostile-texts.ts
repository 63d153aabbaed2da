/**
 * Many agents send hostile texts to every door of the API that takes text, while `/v1/health` is read. Harmless texts of
 * the same size show what the machine takes anyway.
 */
import { and, inArray } from 'drizzle-orm';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { hostileShapes } from '#test/hostile-texts/shapes.ts';
import type { AttackSize } from './attack-size.ts';
import type { WatchedHub } from './attack-hub.ts';
import { type AttackedHub, serveAt } from './attacked-hub.ts';
import { timeHealthDuring } from './health-times.ts';

export interface TextFigures {
  /** The duration of each `GET /v1/health` of the attacked process, in milliseconds. */
  readonly harmless: readonly number[];
  readonly hostile: readonly number[];
  /** The responses by door and status. */
  readonly statuses: ReadonlyMap<string, number>;
}

const concurrency = 40;
const metricsPauseMs = 3;
const textLength = 60_000;
/** Of posts and comments. */
const blockLength = 8_000;
const prose = 'The ferry leaves at noon, and the harbour master writes down who is on board. ';
const harmlessTexts = [prose.repeat(Math.ceil(textLength / prose.length)).slice(0, textLength)];

interface Attacker extends TestAgent {
  runId: string;
  threadId: string | null;
  /** @returns the id of a new run */
  readonly startRun: () => Promise<string>;
}

type Send = (path: string, body?: string) => Promise<Response>;
type Door = (send: Send, attacker: Attacker, text: string) => Promise<Response>;

const json = (value: unknown) => JSON.stringify(value);
/** A text that a field accepts: without control characters and lone surrogates. */
const plain = (text: string, length: number) =>
  text
    .replaceAll(/(?![\n\t])\p{Cc}/gu, ' ')
    .slice(0, length)
    .toWellFormed()
    .trim() || 'a';

const practiceIds = ['word', 'copy', 'length', 'json', 'list', 'extraction', 'long-reply'];
let practised = 0;

const doors: Readonly<Record<string, Door>> = {
  practice: (send, _, text) =>
    send(
      '/v1/eval-suite/practice',
      json({
        case_id: `practice-${practiceIds[practised++ % practiceIds.length]}-1`,
        text: plain(text, textLength),
      }),
    ),
  answers: async (send, attacker, text) => {
    const { runId } = attacker;
    const next = await send(`/v1/runs/${runId}/cases/next?worker=w${Math.random()}`);
    // The hub's own response, without cases if the run has ended.
    const { cases } = (await next.json()) as { cases?: readonly { case_id: string }[] };
    if (cases === undefined && attacker.runId === runId) attacker.runId = await attacker.startRun();
    const one = cases?.[0];
    if (one === undefined) return next;
    return send(
      `/v1/runs/${runId}/answers`,
      json({ answers: [{ case_id: one.case_id, text: plain(text, textLength) }] }),
    );
  },
  'a body that is not JSON': (send, _, text) => send('/v1/threads', text),
  'a thread': (send, _, text) => send('/v1/threads', json({ title: 'Text', body: plain(text, blockLength) })),
  'a post': (send, { threadId }, text) =>
    send(`/v1/threads/${threadId}/posts`, json({ body: plain(text, blockLength) })),
  'a page of posts': (send, { threadId }) => send(`/forum/${threadId}`),
  'posts as Markdown': (send, { threadId }) => send(`/v1/threads/${threadId}?format=md`),
  'a search': (send, _, text) =>
    send(`/v1/threads?q=${encodeURIComponent(plain(text.replaceAll('\n', ' '), 200))}`),
  'an unknown field': (send, _, text) => send('/v1/threads', json({ [plain(text, textLength)]: 1 })),
  'a tool call': (send, _, text) =>
    send(
      '/mcp',
      json({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'post_to_forum', arguments: { title: 'Text', body: plain(text, blockLength) } },
      }),
    ),
};

/** Starts an API process. */
export async function measureHostileTexts(hub: AttackedHub, size: AttackSize): Promise<TextFigures> {
  const url = await hub.startApi();
  const attackers = await Promise.all(
    Array.from({ length: size.textAgents }, async (): Promise<Attacker> => {
      const agent = await createTestAgent(hub.ctx, { tokens: 100 });
      const startRun = async () => (await redeem(hub.ctx, agent.id, null)).evalRun.id;
      return { ...agent, runId: await startRun(), threadId: null, startRun };
    }),
  );
  const statuses = new Map<string, number>();
  const rounds = Object.keys(doors).length * size.textsPerDoor;
  for (const attacker of attackers) {
    const started = await sendAs(url, attacker)('/v1/threads', json({ title: 'Own', body: 'Start' }));
    // The hub's own response.
    attacker.threadId = ((await started.json()) as { id: string }).id;
  }
  // Compiles what the measurements run.
  await attack(url, attackers, hostileTexts(20), 100, new Map());
  const harmless = await attack(url, attackers, harmlessTexts, rounds, new Map());
  const hostile = await attack(url, attackers, hostileTexts(size.textsPerDoor), rounds, statuses);
  return { harmless, hostile, statuses };
}

/** Of all shapes evenly, and every fourth text of marks, whose order once took quadratic time. */
function hostileTexts(count: number): readonly string[] {
  const step = Math.max(1, hostileShapes.length / count);
  return Array.from({ length: Math.min(count, hostileShapes.length) }, (_, place) => {
    const shape = place % 4 === 0 ? marks : hostileShapes[Math.floor(place * step)];
    return (shape ?? marks).text(textLength);
  });
}

const marks = { text: (length: number) => '\u0301\u0316'.repeat(length / 2) };

/** Each round sends one text to one door. @returns the times of `/v1/health` meanwhile */
async function attack(
  url: string,
  attackers: readonly Attacker[],
  texts: readonly string[],
  rounds: number,
  statuses: Map<string, number>,
): Promise<readonly number[]> {
  const names = Object.keys(doors);
  let round = 0;
  const lane = async (): Promise<void> => {
    for (let own = round++; own < rounds; own = round++) {
      const name = names[own % names.length] ?? '';
      const attacker = attackers[own % attackers.length];
      const text = texts[Math.floor(own / names.length) % texts.length] ?? '';
      const door = doors[name];
      if (attacker === undefined || door === undefined) throw new Error('There are attackers and doors.');
      const response = await door(sendAs(url, attacker), attacker, text);
      if (!response.bodyUsed) await response.body?.cancel();
      const key = `${name}: ${response.status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
  };
  return timeHealthDuring(url, () => Promise.all(Array.from({ length: concurrency }, lane)));
}

function sendAs(url: string, { bearerToken }: TestAgent): Send {
  return (path, body) =>
    fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      body: body ?? null,
      headers: {
        authorization: `Bearer ${bearerToken}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      },
    });
}

export interface RunnerFigures {
  /** The longest time in which the runner did not respond, in milliseconds. */
  readonly longestMs: number;
  readonly replies: number;
  /** How each of the ranked runs ended. */
  readonly ends: readonly string[];
}

/** Targets of ranked runs reply with hostile texts. Starts a runner process. */
export async function measureHostileReplies(hub: WatchedHub, size: AttackSize): Promise<RunnerFigures> {
  const { operatorUrl } = await hub.startPool('eval-runner');
  const texts = hostileTexts(hostileShapes.length);
  const served = { replies: 0 };
  const target = serveAt('127.0.0.1', () => {
    const text = texts[(served.replies * 7) % texts.length] ?? '';
    served.replies += 1;
    return Response.json({ text: text.toWellFormed() });
  });
  try {
    const runIds: string[] = [];
    for (let index = 0; index < size.textAgents; index += 1) {
      const { id } = await createTestAgent(hub.ctx, { tokens: 1 });
      runIds.push((await redeem(hub.ctx, id, target.url.href, { ranked: true })).evalRun.id);
    }
    let longestMs = 0;
    let ends: readonly string[] = [];
    while (ends.length < runIds.length) {
      const startedAt = performance.now();
      await (await fetch(`${operatorUrl}/metrics`)).text();
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await Bun.sleep(metricsPauseMs);
      ends = await endsOf(hub, runIds);
    }
    return { longestMs, replies: served.replies, ends };
  } finally {
    await target.stop(true);
  }
}

/** Of the runs that have ended. */
async function endsOf({ ctx: { db } }: WatchedHub, runIds: readonly string[]): Promise<string[]> {
  const { runs } = db.tables;
  const ended = await db.query
    .select({ failureCode: runs.failureCode })
    .from(runs)
    .where(and(inArray(runs.id, runIds), inArray(runs.status, ['completed', 'failed'])));
  return ended.map(({ failureCode }) => failureCode ?? 'completed');
}
