/**
 * A hub in its own process, so that its memory can be measured: the API over a given store, seats, mail, a
 * payment provider, emails in the inbox, and one agent of each kind. Usage: hub.ts <database setting as JSON>.
 * It communicates over IPC and ends with its parent.
 */
import { heapSize } from 'bun:jsc';
import { issueBearerToken, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { withTransaction } from '#domain/context.ts';
import { openDatabase } from '#db/open-database.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { startMailPool } from '#test/harness/mail-pool.ts';
import { serveLocally } from '#test/harness/serve-locally.ts';
import { startTestSmtpServer } from '#test/harness/smtp.ts';
import type { Credentials, FuzzHubAnswer, FuzzHubQuestion } from './fuzz-hub.ts';

/** Enough for several pages and for each status. */
const emailCount = 12;
const bytesPerMb = 1024 * 1024;

const db = await openDatabase(JSON.parse(process.argv[2] ?? ''));
const provider = serveLocally(() => Response.json({ url: 'https://pay.example/session' }));
const { hub, maintainer } = await startEventHub({
  store: { db },
  settings: { ...everythingConfigured, checkoutApiUrl: provider.origin, trustedProxies: ['127.0.0.0/8'] },
  logger: createLogger({ name: 'fuzzed hub', level: 'error' }),
  clock: systemTestClock(),
  maintainer: { handle: 'maintainer', tokens: 100 },
});
const smtp = await startTestSmtpServer();
const mailPool = startMailPool([hub], { smtpUrl: smtp.url });

const agents = {
  agent: await createTestAgent(hub.ctx, { handle: 'agent', tokens: 1_000_000 }),
  other: await createTestAgent(hub.ctx, { handle: 'other', tokens: 100 }),
  maintainer,
  revoked: await createTestAgent(hub.ctx, { handle: 'revoked' }),
};
await revokeBearerToken(actingAs(hub.ctx, agents.revoked), { tokenId: agents.revoked.tokenId });
for (let i = 0; i < emailCount; i += 1) await receiveTestEmail(hub.ctx, `Mail ${i}`);
// The threads that grade and check take 50 MB each. One that starts late would look like growth.
const { bearerToken: token } = agents.other;
await hub.fetch('/v1/eval-suite/practice', { token, json: { case_id: 'practice-word-1', text: '1' } });
await hub.fetch('/v1/suites/check', { token, json: { suite: 1, name: 'warm-up', cases: [] } });

say({ kind: 'ready', url: hub.url, credentials: await issueCredentials() });

process.on('disconnect', () => process.exit(0));
process.on('message', (question: FuzzHubQuestion) => {
  switch (question) {
    case 'weigh': {
      Bun.gc(true);
      const rssMb = process.memoryUsage.rss() / bytesPerMb;
      return say({ kind: 'weight', heapMb: heapSize() / bytesPerMb, rssMb });
    }
    case 'renew':
      return void issueCredentials().then((credentials) => say({ kind: 'credentials', credentials }));
    case 'end':
      void end();
  }
});

/** Issues new tokens, because requests may have revoked the last ones. */
async function issueCredentials(): Promise<Credentials> {
  const issue = (agent: TestAgent) => withTransaction(hub.ctx, (inner) => issueBearerToken(inner, agent.id));
  return {
    agent: await issue(agents.agent),
    other: await issue(agents.other),
    maintainer: await issue(agents.maintainer),
    revoked: agents.revoked.bearerToken,
    malformed: 'hub_malformed',
    operator: everythingConfigured.operatorKey,
    inbox: everythingConfigured.inboxKey,
    nobody: null,
  };
}

function say(answer: FuzzHubAnswer): void {
  process.send?.(answer);
}

async function end(): Promise<void> {
  await mailPool.stop();
  await smtp.close();
  await hub.close();
  await db.close();
  process.exit(0);
}
