/** A long document is read piece by piece, at the pace of its client, and lets all other work have its turn. */
import { expect, test } from 'bun:test';
import { createReadTurns } from '#api/access/read-turns.ts';
import { download } from '#api/streams/download.ts';
import { textStream } from '#api/streams/text-stream.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';

const hub = useTestHub();

async function* endless(): AsyncGenerator<string> {
  for (;;) yield 'a'.repeat(70_000);
}

const agent = (id: string, network: string) => ({ id, network, handle: id, did: id, verifiedBadge: false });
const signal = () => new AbortController().signal;

function callOf(downloads: ReturnType<typeof createReadTurns>, id: string, network: string) {
  return { ctx: { ...hub.ctx, agent: agent(id, network) }, deps: { downloads }, signal };
}

const open = () => ({ type: 'text/plain', name: 'a.txt', texts: endless() });

test('each piece takes a turn of the event loop', async () => {
  const reader = textStream(endless()).getReader();
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  for (let piece = 0; piece < 200; piece += 1) await reader.read();
  clearInterval(counting);
  await reader.cancel();
  expect(turns).toBeGreaterThan(5);
});

test('a stream whose client stops reading ends', async () => {
  let ended = 0;
  const stream = textStream(endless(), { onEnd: () => (ended += 1), stalledMs: 20 });
  await Bun.sleep(100);
  expect(ended).toBeGreaterThan(0);
  // Without an error, which Bun would print.
  expect(stream.getReader().read()).rejects.toBeUndefined();
});

/** Reads a piece every 150 ms. @returns whether the stream ended before its client did */
async function isCut(isWaitedFor: () => boolean): Promise<boolean> {
  const reader = textStream(endless(), { turn: { keptMs: 1, isWaitedFor } }).getReader();
  for (let piece = 0; piece < 8; piece += 1) {
    const failed = await reader.read().then(
      () => false,
      () => true,
    );
    if (failed) return true;
    await Bun.sleep(150);
  }
  await reader.cancel();
  return false;
}

test('a client that reads slowly keeps its turn while nobody waits, and gives it to others that do', async () => {
  expect(await Promise.all([isCut(() => false), isCut(() => true)])).toEqual([false, true]);
});

test('a client that reads as fast as it gets the document keeps its turn until the end', async () => {
  const reader = textStream(endless(), { turn: { keptMs: 200, isWaitedFor: () => true } }).getReader();
  for (let piece = 0; piece < 200; piece += 1) expect((await reader.read()).done).toBe(false);
  await reader.cancel();
});

test('one network leaves turns to others, and a document that ends gives its turn back', async () => {
  const downloads = createReadTurns('downloads');
  const held = await Promise.all(
    Array.from({ length: 12 }, (_, hog) => download(callOf(downloads, `hog-${hog}`, 'hogs'), open)),
  );
  const waiting = download(callOf(downloads, 'hog-0', 'hogs'), open);
  const other = await download(callOf(downloads, 'other', 'elsewhere'), open);
  await other.body?.cancel();
  await held[0]?.body?.cancel();
  await (await waiting).body?.cancel();
  await Promise.all(held.map(({ body }) => body?.cancel()));
});

test('a slow client gives its turn to its own agent, and to networks and agents within its own that hold fewer', async () => {
  const downloads = createReadTurns('downloads');
  const take = (agentId: string, network: string) => downloads.take({ agentId, network });
  const hogs = await Promise.all(Array.from({ length: 10 }, () => take('hog', 'hogs')));
  const others = [await take('neighbour', 'hogs'), await take('honest', 'elsewhere')];
  const giveWay = () => [hogs[0], ...others].map((turn) => turn?.isWaitedFor());
  const again = take('hog', 'hogs');
  expect(giveWay()).toEqual([true, false, false]);
  const newcomer = take('newcomer', 'hogs');
  expect(giveWay()).toEqual([true, true, false]);
  for (const end of [...hogs, ...others]) end();
  for (const end of await Promise.all([again, newcomer])) end();
});

test('a document that cannot be opened gives its turn back', async () => {
  const downloads = createReadTurns('downloads');
  const failing = () => Promise.reject(new Error('no such document'));
  for (let time = 0; time < 20; time += 1)
    expect(download(callOf(downloads, 'one', 'here'), failing)).rejects.toThrow('no such document');
  await (await download(callOf(downloads, 'one', 'here'), open)).body?.cancel();
});

test('an agent that gets no turn is told when to try again', async () => {
  const { id, bearerToken: token } = await createTestAgent(hub.ctx);
  const releases = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      hub.deps.downloads.take({ agentId: `${id}-${at}`, network: `taken${at}` }),
    ),
  );
  // The agent's own line is full too, so that it is told at once.
  const waiting = Array.from({ length: 16 }, async () =>
    (await hub.deps.downloads.take({ agentId: id, network: 'own' }))(),
  );
  const paths = ['/v1/agents/me/export', `/v1/runs/${id}/report`];
  for (const refused of await Promise.all(paths.map((path) => hub.fetch(path, { token })))) {
    expectError(refused, 503, 'busy');
    expect(refused.headers.get('retry-after')).toBe('2');
  }
  for (const release of releases) release();
  await Promise.all(waiting);
  expect((await hub.fetch('/v1/agents/me/export', { token })).status).toBe(200);
});
