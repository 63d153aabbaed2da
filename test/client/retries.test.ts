/** When the clients send a request again: only if that may help, changes nothing twice, and for about a minute. */
import { afterEach, describe, expect, jest, spyOn, test } from 'bun:test';
import { runPython } from '#test/harness/ask-python.ts';
import { Hub } from '../../client/src/hub.ts';

type Call = 'contact' | 'listSkills' | 'startThread';

const args = {
  contact: { contact: 'ada@example.org', message: 'Hello' },
  listSkills: {},
  startThread: { title: 'A title', body: 'A body' },
};

afterEach(() => {
  jest.restoreAllMocks();
});

/** Calls with a clock that pauses move on at once, and each request by `seconds`. @returns the status of an error */
async function callFromNode(url: string, name: Call, seconds: number): Promise<number | null> {
  let nowMs = 0;
  const [later, send] = [setTimeout, fetch];
  spyOn(performance, 'now').mockImplementation(() => nowMs);
  const pause = (work: () => void, ms = 0) => {
    nowMs += ms;
    return later(work, 0);
  };
  spyOn(globalThis, 'setTimeout').mockImplementation(pause as typeof setTimeout);
  const slow = (...given: Parameters<typeof fetch>) => {
    nowMs += seconds * 1_000;
    return send(...given);
  };
  spyOn(globalThis, 'fetch').mockImplementation(slow as typeof fetch);
  return new Hub(url, { token: 'hub_x' }).call(name, args[name]).then(
    () => null,
    (error: { status: number }) => error.status,
  );
}

const program = `from agent_hub_client import Hub, HubError, sending
class Clock:
    now = 0.0
    def monotonic(self): return self.now
    def sleep(self, seconds): self.now += seconds
clock = sending.time = Clock()
send = sending.open_without_redirects
def slow(*given):
    clock.now += float(sys.argv[3])
    return send(*given)
sending.open_without_redirects = slow
try:
    Hub(sys.argv[1], token="hub_x").call(sys.argv[2], **json.loads(sys.argv[4]))
    print("null")
except HubError as error:
    print(error.status)`;

async function callFromPython(url: string, name: Call, seconds: number): Promise<number | null> {
  const words = [url, name, String(seconds), JSON.stringify(args[name])];
  const { printed, complaints } = await runPython(program, ...words);
  expect(complaints).toBe('');
  return JSON.parse(printed);
}

const failing = (status: number) => () => new Response('', { status });
const held = () =>
  Response.json({ error: 'request_in_progress' }, { status: 409, headers: { 'retry-after': '5' } });
const created = () => Response.json({ id: 'x' }, { status: 201 });

describe.each([
  ['npm', callFromNode],
  ['python', callFromPython],
] as const)('%s', (_, callFrom) => {
  test.each<[string, Call, number, (() => Response)[], number]>([
    ['a proxy whose hub restarts is asked for about a minute', 'startThread', 0, [failing(502)], 7],
    ['so is one that has a status of its own for it', 'startThread', 0, [failing(521)], 7],
    ['a proxy that has waited for a minute is not asked again', 'listSkills', 61, [failing(504)], 1],
    ['a message to the team, which may have been sent, is not sent again', 'contact', 0, [failing(504)], 1],
    [
      'a request that its predecessor holds up is repeated',
      'startThread',
      0,
      [failing(502), held, created],
      3,
    ],
  ])('%s', async (_name, call, seconds, responses, sent) => {
    let asked = 0;
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => {
        asked += 1;
        return responses[Math.min(asked, responses.length) - 1]!();
      },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const status = await callFrom(url, call, seconds);
    const last = responses.at(-1)?.().status ?? 0;
    expect([asked, status]).toEqual([sent, last < 300 ? null : last]);
  });
});
