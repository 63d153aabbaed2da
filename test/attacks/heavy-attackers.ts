/**
 * Sends a heavy request with many keys for a while, each again as soon as it has a response. In a process of the lowest
 * priority: real attackers have machines of their own. Run as a program, it reads an attack and prints what came back.
 */
import { setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { HeavyRequest } from './heavy-requests.ts';

interface Attack {
  readonly url: string;
  readonly request: HeavyRequest;
  readonly tokens: readonly string[];
  readonly forMs: number;
}

/** How often each status came, and `reset` for a connection that broke, `late` for a response that came too late. */
export type Outcomes = Readonly<Record<string, number>>;

const lowestPriority = 19;
/** After a response that took the hub no work. */
const pauseMs = 200;
/** What the network of a server takes: 1 Gbit. Through the loopback interface, larger bodies would measure the machine. */
const bytesPerMs = 125_000;
/** Addresses of each /24. */
const addressesOfBlock = 250;

export async function attack(given: Attack): Promise<Outcomes> {
  const stdin = new Blob([JSON.stringify(given)]);
  const child = Bun.spawn([process.execPath, import.meta.path], { stdin, stdout: 'pipe' });
  const outcomes = (await new Response(child.stdout).json()) as Outcomes;
  await child.exited;
  return outcomes;
}

async function main({ url, request, tokens, forMs }: Attack): Promise<void> {
  const outcomes: Record<string, number> = {};
  const over = AbortSignal.timeout(forMs);
  const { paths, type, body } = request;
  const bytes = Buffer.byteLength(body ?? '');
  let sent = 0;
  let freeAt = performance.now();
  const takeBandwidth = async (): Promise<void> => {
    const startsAt = Math.max(freeAt, performance.now());
    freeAt = startsAt + bytes / bytesPerMs;
    await sleep(startsAt - performance.now(), over);
  };
  const send = async (token: string, key: number): Promise<string> => {
    const headers = {
      'x-forwarded-for': `203.0.${113 + Math.floor(key / addressesOfBlock)}.${1 + (key % addressesOfBlock)}`,
      ...(type === undefined
        ? { accept: 'text/html' }
        : { 'content-type': type, authorization: `Bearer ${token}` }),
    };
    const path = paths[sent % paths.length] ?? '';
    sent += 1;
    const given = body === undefined ? {} : { method: 'POST', body };
    try {
      const response = await fetch(url + path, { ...given, headers, signal: over });
      await response.arrayBuffer();
      return String(response.status);
    } catch {
      return over.aborted ? 'late' : 'reset';
    }
  };
  const repeat = async (token: string, key: number): Promise<void> => {
    while (!over.aborted) {
      await takeBandwidth();
      if (over.aborted) return;
      const outcome = await send(token, key);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome !== '200') await sleep(pauseMs, over);
    }
  };
  await Promise.all(tokens.map(repeat));
  console.log(JSON.stringify(outcomes));
}

/** Ends early with the attack. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

if (import.meta.main) {
  setPriority(lowestPriority);
  // `attack` writes it.
  await main((await Bun.stdin.json()) as Attack);
  // Bodies that are on their way are of no use any more.
  process.exit();
}
