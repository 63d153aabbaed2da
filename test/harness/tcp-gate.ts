/**
 * A TCP relay between a client and a server that does what networks and failing servers do: it is shut and opened again,
 * stands still, delays, passes on single bytes, and loses what it is given.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type GateTarget = { readonly hostname: string; readonly port: number } | { readonly path: string };

export interface TcpGate {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  shut(): void;
  /** Listens again on the same port. */
  open(): Promise<void>;
  /** Cuts every connection and takes new ones. */
  cut(): void;
  /** Passes nothing on, in either direction, and takes new connections that get no answer: a server that stands still. */
  stall(): void;
  /** Passes on what was held back, and everything after it. */
  resume(): void;
  /** Passes on each piece so much later, in either direction and in order; 0 is at once. */
  delay(ms: number): void;
  /** Passes on pieces of at most so many bytes, each in a segment of its own. */
  split(bytesMax: number): void;
  /** Throws away all that comes until `find`, which cuts the connections that lost something. */
  lose(): void;
  find(): void;
  /** New connections go there. */
  retarget(target: GateTarget): void;
}

interface Trouble {
  /** Settled when the gate passes on again; null while it does. */
  still: PromiseWithResolvers<void> | null;
  delayMs: number;
  pieceBytesMax: number;
  loses: boolean;
}

/** One direction of one connection: steps are taken in the order in which they came. */
function createLane() {
  let last = Promise.resolve();
  return (step: () => void | Promise<void>): void => {
    last = last.then(step).catch(() => undefined);
  };
}

export async function createTcpGate(first: GateTarget): Promise<TcpGate> {
  const clients = new Set<Socket>();
  const robbed = new Set<Socket>();
  let target = first;
  const trouble: Trouble = { still: null, delayMs: 0, pieceBytesMax: Infinity, loses: false };

  /** Comes back once the gate passes on what arrived at that time. */
  async function passing(arrivedAt: number): Promise<void> {
    const waitMs = arrivedAt + trouble.delayMs - performance.now();
    if (trouble.delayMs > 0 && waitMs > 0) await Bun.sleep(waitMs);
    while (trouble.still !== null) await trouble.still.promise;
  }

  async function send(to: Socket | null, chunk: Buffer, arrivedAt: number): Promise<void> {
    await passing(arrivedAt);
    if (to === null) return;
    for (let sent = 0; sent < chunk.length && !to.destroyed;) {
      const piece = chunk.subarray(sent, sent + Math.min(trouble.pieceBytesMax, chunk.length));
      to.write(piece);
      sent += piece.length;
      if (sent < chunk.length) await new Promise((resume) => setImmediate(resume));
    }
  }

  function relay(client: Socket): void {
    clients.add(client);
    client.setNoDelay(true);
    const toServer = createLane();
    const toClient = createLane();
    let upstream: Socket | null = null;
    const openedAt = performance.now();
    toServer(async () => {
      await passing(openedAt);
      upstream = connect('path' in target ? target : { host: target.hostname, port: target.port });
      upstream.setNoDelay(true);
      upstream.on('data', (chunk) => forward(toClient, () => client, chunk));
      upstream.on('close', () => toClient(() => passing(0).then(() => void client.end())));
      upstream.on('error', () => undefined);
    });
    const forward = (lane: typeof toServer, to: () => Socket | null, chunk: Buffer | string): void => {
      const arrivedAt = performance.now();
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (trouble.loses) robbed.add(client);
      else lane(() => send(to(), bytes, arrivedAt));
    };
    client.on('data', (chunk) => forward(toServer, () => upstream, chunk));
    client.on('error', () => undefined);
    client.on('close', () => {
      clients.delete(client);
      robbed.delete(client);
      toServer(() => passing(0).then(() => void upstream?.end()));
    });
  }

  async function listen(port: number): Promise<Server> {
    const server = createServer(relay);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  const cutAll = (these: ReadonlySet<Socket>): void => {
    for (const client of these) client.destroy();
  };
  let listener: Server | null = await listen(0);
  // A server that listens on a port has an address with one.
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    shut: () => {
      listener?.close();
      listener = null;
      cutAll(clients);
    },
    open: async () => {
      listener ??= await listen(port);
    },
    cut: () => cutAll(clients),
    stall: () => {
      trouble.still ??= Promise.withResolvers();
    },
    resume: () => {
      trouble.still?.resolve();
      trouble.still = null;
    },
    delay: (ms) => {
      trouble.delayMs = ms;
    },
    split: (bytesMax) => {
      trouble.pieceBytesMax = bytesMax;
    },
    lose: () => {
      trouble.loses = true;
    },
    find: () => {
      trouble.loses = false;
      cutAll(robbed);
    },
    retarget: (to) => {
      target = to;
    },
  };
}
