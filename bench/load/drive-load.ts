/**
 * Closed-loop load: each connection sends a request, waits for the response and sends the next. Raw sockets
 * and prepared bytes leave most of the processor to the server.
 */
import type { Socket } from 'bun';
import { readFileSync } from 'node:fs';
import type { LoadOrder, LoadReport } from './load-protocol.ts';
import { readResponse } from './read-response.ts';

/** For the responses that are outstanding when the round is over. */
const lastResponsesMs = 15_000;
const okStatuses = { from: 200, to: 299 };

interface Connection {
  sentAt: number;
  /** The beginning of a response that arrived in pieces. */
  pending: Buffer | null;
  /** The part of the current request that the socket did not accept yet. */
  unsent: Buffer | null;
}

type Peer = Socket<Connection>;

export async function driveLoad(order: LoadOrder): Promise<LoadReport> {
  const round = new Round(order);
  const peers = await Promise.all(Array.from({ length: order.connections }, () => round.connect()));
  try {
    return await round.run(peers);
  } finally {
    for (const peer of peers) peer.end();
  }
}

class Round {
  readonly #order: LoadOrder;
  readonly #requests: readonly Buffer[];
  readonly #ended = Promise.withResolvers<void>();
  readonly #latencies: number[] = [];
  #next = 0;
  #underWay = 0;
  #isOver = false;
  #stopped = false;
  #startedAt = 0;
  #lastResponseAt = 0;
  #faults = 0;
  #firstFault: string | null = null;

  constructor(order: LoadOrder) {
    this.#order = order;
    const all = readFileSync(order.requestsFile);
    this.#requests = Array.from({ length: all.length / order.requestBytes }, (_, index) =>
      all.subarray(index * order.requestBytes, (index + 1) * order.requestBytes),
    );
  }

  connect(): Promise<Peer> {
    return Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port: this.#order.port,
      data: { sentAt: 0, pending: null, unsent: null },
      socket: {
        data: (peer, chunk) => this.#onData(peer, chunk),
        drain: (peer) => this.#write(peer, peer.data.unsent),
        close: () => {
          if (!this.#stopped) this.#addFault('The server closed a connection.');
        },
        error: (_peer, error) => this.#addFault(String(error)),
      },
    });
  }

  async run(peers: readonly Peer[]): Promise<LoadReport> {
    const { maxMs } = this.#order;
    const cpuBefore = process.cpuUsage();
    this.#startedAt = performance.now();
    const stopTimer = setTimeout(() => this.#end(), maxMs);
    const giveUpTimer = setTimeout(() => this.#giveUp(), maxMs + lastResponsesMs);
    for (const peer of peers) this.#sendNext(peer);
    await this.#ended.promise;
    clearTimeout(stopTimer);
    clearTimeout(giveUpTimer);
    const cpu = process.cpuUsage(cpuBefore);
    const sorted = Float64Array.from(this.#latencies).toSorted();
    return {
      answered: sorted.length,
      elapsedMs: this.#lastResponseAt - this.#startedAt,
      p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      faults: this.#faults,
      firstFault: this.#firstFault,
      cpuMs: (cpu.user + cpu.system) / 1000,
    };
  }

  #sendNext(peer: Peer): void {
    const request = this.#stopped ? undefined : this.#requests[this.#next];
    if (request === undefined) {
      this.#endWhenIdle();
      return;
    }
    this.#next += 1;
    if (this.#next === this.#requests.length && this.#order.repeat) this.#next = 0;
    this.#underWay += 1;
    peer.data.sentAt = performance.now();
    this.#write(peer, request);
  }

  #write(peer: Peer, bytes: Buffer | null): void {
    if (bytes === null) return;
    const taken = peer.write(bytes);
    peer.data.unsent = taken < bytes.length ? bytes.subarray(Math.max(0, taken)) : null;
  }

  #onData(peer: Peer, chunk: Buffer): void {
    const { data } = peer;
    const bytes = data.pending === null ? chunk : Buffer.concat([data.pending, chunk]);
    const response = readResponse(bytes);
    if (response === null) {
      data.pending = Buffer.from(bytes); // The memory of the chunk is reused for the next one.
      return;
    }
    data.pending = null;
    this.#underWay -= 1;
    if (response.status < okStatuses.from || response.status > okStatuses.to)
      this.#addFault(bytes.toString('utf8'));
    else if (!this.#stopped) this.#countResponse(data.sentAt);
    this.#sendNext(peer);
  }

  #countResponse(sentAt: number): void {
    this.#lastResponseAt = performance.now();
    this.#latencies.push(this.#lastResponseAt - sentAt);
    if (this.#isOver) this.#stop();
  }

  /** The time is up. A round without any response continues until the first one. */
  #end(): void {
    this.#isOver = true;
    if (this.#latencies.length > 0) this.#stop();
  }

  #stop(): void {
    this.#stopped = true;
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#underWay === 0) this.#ended.resolve();
  }

  #giveUp(): void {
    this.#addFault(`${this.#underWay} requests got no response within ${lastResponsesMs} ms.`);
    this.#ended.resolve();
  }

  #addFault(description: string): void {
    this.#faults += 1;
    this.#firstFault ??= description.slice(0, 1000);
  }
}
