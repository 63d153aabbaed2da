/** What the agents of a soak do, each act one request or a few, drawn by how often it is to be done. */
import nodemailer from 'nodemailer';
import { hubEndpoints } from '#api/routes/index.ts';
import type { Random } from '#domain/eval-suite/random.ts';
import { type ClientSort, drawAttempt } from '#test/crash/attempts.ts';
import type { Outcome } from '#test/crash/client.ts';
import { drawRequests } from '#test/fuzz/draw-requests.ts';
import { createKnownThings } from '#test/fuzz/placeholders.ts';
import type { FuzzRequest } from '#test/fuzz/requests.ts';
import { sendRequest } from '#test/fuzz/send-request.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { holdToDocument } from '#test/harness/hold-to-document.ts';
import { listOperations, type Operation } from '#test/harness/operations.ts';
import type { SoakWorld } from '../world.ts';
import { beNewcomer } from './newcomer.ts';
import { AskAgain, isAskAgain, type Visitor } from './visitor.ts';

export interface Acts {
  /** Does the next one. @throws when it does not go as it must */
  next(): Promise<void>;
  /** What was asked for under a mark, and what came of it. */
  readonly outcomes: readonly Outcome[];
  /** Of the mails that the SMTP receiver has taken, their ids. */
  readonly mailed: readonly string[];
}

/** How often each is done, in a hundred. A newcomer asks some twenty times, the others once or a few times. */
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
  newcomer: 1,
} as const;
type ActName = keyof typeof shares;
const deck = (Object.keys(shares) as ActName[]).flatMap((name) =>
  Array.from({ length: shares[name] }, () => name),
);

/** Drawn at once, as drawing holds everybody up. */
const drawnAtOnce = 10;
const pagesWalked = 3;

export function createActs(world: SoakWorld, visitor: Visitor, random: Random, tag: string): Acts {
  const outcomes: Outcome[] = [];
  const mailed: string[] = [];
  const { around, targetOrigins } = world;
  const mailer = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.smtpInboundPort,
    secure: false,
  });
  const drawn = createDrawnActs(world, visitor, random);
  let turn = 0;

  async function attempt(sort: ClientSort, mark: string): Promise<void> {
    const target = { ...around, targetOrigin: random.pick([targetOrigins.good, targetOrigins.slow]) };
    const wanted = drawAttempt(sort, random, mark, target);
    const question = { headers: wanted.headers(), body: wanted.body };
    // Who gets no answer, or is told to ask again, does not know whether it was done.
    let answer: Outcome['answer'] = null;
    try {
      answer = await visitor.ask('POST', wanted.path, question);
    } finally {
      outcomes.push({ attempt: wanted, answer });
    }
  }

  async function walkPages(): Promise<void> {
    const path = random.pick(['/v1/threads', '/v1/agents', '/v1/skills', '/v1/work-orders', '/v1/events']);
    let cursor = '';
    for (let page = 0; page < pagesWalked; page += 1) {
      const { json } = await visitor.ask('GET', `${path}?limit=20${cursor}`, {}, [200]);
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
    // Each from a network of its own, as one may write five times an hour.
    const address = `100.${random.int(64, 127)}.${random.int(0, 255)}.${random.int(1, 254)}`;
    const json = { name: mark, contact: 'ada@example.org', message: 'How do you do?' };
    return visitor.ask('POST', '/v1/contact', { json, headers: { 'x-forwarded-for': address } }, [200, 429]);
  }

  function act(name: ActName, mark: string): Promise<unknown> {
    switch (name) {
      case 'seats':
      case 'offices':
      case 'runs':
      case 'writes':
        return attempt(name, mark);
      case 'reads':
        return drawn.read();
      case 'wild':
        return drawn.write();
      case 'pages':
        return walkPages();
      case 'mail':
        return sendMail(mark);
      case 'contact':
        return writeToTeam(mark);
      case 'newcomer': {
        const [implementer, reviewer] = random.sample([...around.agents], 2);
        const origin = random.pick([targetOrigins.good, targetOrigins.slow, targetOrigins.broken]);
        const others = { implementer: implementer!, reviewer: reviewer! };
        return beNewcomer({
          visitor,
          random,
          mark,
          ...others,
          targetOrigin: origin,
          receiverUrl: around.receiver.url,
        });
      }
    }
  }

  return {
    outcomes,
    mailed,
    next: async () => {
      turn += 1;
      // The first round does each thing once, so that a short run has it all.
      const names = Object.keys(shares) as ActName[];
      await act(names[turn - 1] ?? random.pick(deck), `${tag}-${turn}`);
    },
  };
}

/** What others live on is theirs: the seats, the runs and the webhooks of the agents who are asked about in the end. */
const spared = /events|redemptions|webhooks|\/tokens\/\{id\}|inbound/;

/** Whatever the document allows, and what it does not: every list and page, and writes good and bad. */
function createDrawnActs(world: SoakWorld, visitor: Visitor, random: Random) {
  const document = documentOf(hubEndpoints);
  const operations = listOperations(document, listDocumentedAnswers(document));
  const draw = (wanted: (operation: Operation) => boolean): Generator<FuzzRequest, never> =>
    drawRequests(operations.filter(wanted), random.int(0, 1e9), drawnAtOnce);
  // Streams are followed by newcomers, who know when they end.
  const reads = draw(({ method, path }) => method === 'GET' && !path.endsWith('/events'));
  const writes = draw(({ method, path }) => method !== 'GET' && !spared.test(path));
  const context = {
    hub: { url: world.url, credentials: world.credentials },
    known: createKnownThings(world.around.agents.slice(0, 3).map(({ handle }) => handle)),
    holdToDocument: holdToDocument(),
  };
  const send = async (request: FuzzRequest): Promise<void> => {
    // With another method it would be one of the operations that are spared.
    const sent = { ...request, method: request.operation.method };
    const startedAt = performance.now();
    const { status, fault } = await sendRequest(context, sent);
    visitor.count(status, performance.now() - startedAt);
    if (isAskAgain(status)) throw new AskAgain(sent.path);
    if (fault !== null) throw new Error(`${sent.method} ${sent.path} by ${sent.caller}: ${fault}`);
  };
  return { read: () => send(reads.next().value), write: () => send(writes.next().value) };
}
