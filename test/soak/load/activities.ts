/** What the agents of a soak do. Each activity is one request or a few, drawn by its share. */
import nodemailer from 'nodemailer';
import { hubEndpoints } from '#api/routes.ts';
import type { Random } from '#evals/random.ts';
import { drawRequests } from '#test/fuzz/draw-requests.ts';
import { createKnownThings } from '#test/fuzz/placeholders.ts';
import type { FuzzRequest } from '#test/fuzz/requests.ts';
import { sendRequest } from '#test/fuzz/send-request.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { holdToDocument } from '#test/harness/hold-to-document.ts';
import { listOperations, type Operation } from '#test/harness/operations.ts';
import { drawAction, type Mix } from '#test/workload/actions.ts';
import type { Outcome } from '#test/workload/witness.ts';
import type { SoakHub } from '../soak-hub.ts';
import { actAsNewAgent } from './new-agent.ts';
import { isTemporary, type Session, TemporaryRefusal } from './session.ts';

export interface Activities {
  /** Performs the next activity. @throws if it fails */
  next(): Promise<void>;
  /** The ids of the emails that the hub's SMTP receiver accepted. */
  readonly mailed: readonly string[];
}

/** In percent. A new agent sends about 20 requests, the other activities one or a few. */
const shares = {
  seats: 20,
  offices: 2,
  runs: 2,
  writes: 18,
  reads: 36,
  wild: 15,
  pages: 3,
  mail: 2,
  contact: 1,
  'new-agent': 1,
} as const;
type ActivityName = keyof typeof shares;
const deck = (Object.keys(shares) as ActivityName[]).flatMap((name) =>
  Array.from({ length: shares[name] }, () => name),
);

/** Drawn in one go, because drawing blocks the event loop. */
const drawnAtOnce = 10;
const pagesRead = 3;
/** Known to drawn requests, which may do anything to them. */
const drawnAgents = 3;

export function createActivities(hub: SoakHub, session: Session, random: Random, tag: string): Activities {
  const mailed: string[] = [];
  const { population, targetOrigins } = hub;
  const mailer = nodemailer.createTransport({ host: '127.0.0.1', port: hub.smtpInboundPort, secure: false });
  const drawn = createDrawnActivities(hub, session, random);
  let turn = 0;

  async function act(mix: Mix, mark: string): Promise<void> {
    const targetOrigin = random.pick([targetOrigins.good, targetOrigins.slow]);
    const action = drawAction(mix, random, mark, { ...population, targetOrigin });
    // Without a final response, the client does not know whether the action took effect.
    let reply: Outcome['reply'] = null;
    try {
      reply = await session.ask('POST', action.path, { headers: action.headers(), body: action.body });
    } finally {
      session.witness.outcomes.push({ action, reply });
    }
  }

  async function readPages(): Promise<void> {
    const path = random.pick(['/v1/threads', '/v1/agents', '/v1/skills', '/v1/work-orders', '/v1/events']);
    let cursor = '';
    for (let page = 0; page < pagesRead; page += 1) {
      const { json } = await session.ask('GET', `${path}?limit=20${cursor}`, {}, [200]);
      const next = json!['next_cursor'];
      if (typeof next !== 'string') return;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  async function sendMail(mark: string): Promise<void> {
    const messageId = `<${mark}@smtp.example.org>`;
    await mailer.sendMail({
      from: 'ada@example.org',
      to: 'hub@hub.test',
      subject: mark,
      text: 'Hold on.',
      messageId,
    });
    mailed.push(messageId);
  }

  function writeToTeam(mark: string): Promise<unknown> {
    // From different addresses, because one address may send five messages an hour.
    const address = `100.${random.int(64, 127)}.${random.int(0, 255)}.${random.int(1, 254)}`;
    const json = { name: mark, contact: 'ada@example.org', message: 'How do you do?' };
    return session.ask('POST', '/v1/contact', { json, headers: { 'x-forwarded-for': address } }, [200, 429]);
  }

  function perform(name: ActivityName, mark: string): Promise<unknown> {
    switch (name) {
      case 'seats':
      case 'offices':
      case 'runs':
      case 'writes':
        return act(name, mark);
      case 'reads':
        return drawn.read();
      case 'wild':
        return drawn.write();
      case 'pages':
        return readPages();
      case 'mail':
        return sendMail(mark);
      case 'contact':
        return writeToTeam(mark);
      case 'new-agent': {
        // Drawn requests may suspend the last agents.
        const [implementer, reviewer] = random.sample(population.agents.slice(0, -drawnAgents), 2);
        return actAsNewAgent({
          session,
          random,
          mark,
          implementer: implementer!,
          reviewer: reviewer!,
          targetOrigin: random.pick([targetOrigins.good, targetOrigins.slow, targetOrigins.broken]),
          receiverUrl: population.receiver.url,
        });
      }
    }
  }

  return {
    mailed,
    next: async () => {
      turn += 1;
      // The first round performs each activity once, so that a short run covers all of them.
      const names = Object.keys(shares) as ActivityName[];
      await perform(names[turn - 1] ?? random.pick(deck), `${tag}-${turn}`);
    },
  };
}

/**
 * Excluded from drawn writes, because the checks at the end depend on the seats, runs and webhooks of the population.
 */
const excluded = /events|redemptions|webhooks|\/tokens\/\{id\}|inbound/;

/** Requests that the OpenAPI document allows, and some that it does not. */
function createDrawnActivities(hub: SoakHub, session: Session, random: Random) {
  const document = documentOf(hubEndpoints);
  const operations = listOperations(document, listDocumentedAnswers(document));
  const draw = (wanted: (operation: Operation) => boolean): Generator<FuzzRequest, never> =>
    drawRequests(operations.filter(wanted), random.int(0, 1e9), drawnAtOnce);
  // New agents read event streams, because they know when a stream ends.
  const reads = draw(({ method, path }) => method === 'GET' && !path.endsWith('/events'));
  const writes = draw(({ method, path }) => method !== 'GET' && !excluded.test(path));
  const context = {
    hub,
    // The last agents have no webhooks, which would receive nothing while their agent is suspended.
    known: createKnownThings(hub.population.agents.slice(-drawnAgents).map(({ handle }) => handle)),
    holdToDocument: holdToDocument(),
  };
  const send = async (drawn: FuzzRequest): Promise<void> => {
    // Another method could reach an excluded operation.
    const sent = { ...drawn, method: drawn.operation.method };
    const startedAt = performance.now();
    const { status, fault } = await sendRequest(context, sent);
    session.witness.count(status, performance.now() - startedAt);
    if (isTemporary(status)) throw new TemporaryRefusal(sent.path);
    if (fault !== null) throw new Error(`${sent.method} ${sent.path} by ${sent.caller}: ${fault}`);
  };
  return { read: () => send(reads.next().value), write: () => send(writes.next().value) };
}
