/**
 * A TCP relay that fails like networks and servers do: it can shut, stall, delay, split and lose traffic.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type GateTarget = { readonly hostname: string; readonly port: number } | { readonly path: string };

export type TcpGate = Awaited<ReturnType<typeof createTcpGate>>;

interface Disruption {
  /** Resolves when the gate forwards again; null while it does. */
  still: PromiseWithResolvers<void> | null;
  delayMs: number;
  pieceBytesMax: number;
  loses: boolean;
  cut: { readonly before: Buffer; remaining: number } | null;
}

/** @returns where the connection ends in this chunk; its length if it does not */
function findCut({ cut }: Disruption, chunk: Buffer): number {
  if (cut === null) return chunk.length;
  let at = chunk.indexOf(cut.before);
  while (at >= 0) {
    cut.remaining -= 1;
    if (cut.remaining === -1) return at;
    at = chunk.indexOf(cut.before, at + 1);
  }
  return chunk.length;
}

/** One direction of one connection, whose steps run in order. */
function createLane() {
  let last = Promise.resolve();
  return (step: () => void | Promise<void>): void => {
    last = last.then(step).catch(() => undefined);
  };
}

/** @param onSent gets what the clients send */
export async function createTcpGate(first: GateTarget, onSent: (chunk: Buffer) => void = () => undefined) {
  const clients = new Set<Socket>();
  const robbed = new Set<Socket>();
  let target = first;
  const disruption: Disruption = {
    still: null,
    delayMs: 0,
    pieceBytesMax: Infinity,
    loses: false,
    cut: null,
  };

  /** Resolves when a chunk that arrived at the given time may be forwarded. */
  async function passing(arrivedAt: number): Promise<void> {
    const waitMs = arrivedAt + disruption.delayMs - performance.now();
    if (disruption.delayMs > 0 && waitMs > 0) await Bun.sleep(waitMs);
    while (disruption.still !== null) await disruption.still.promise;
  }

  async function send(to: Socket | null, chunk: Buffer, arrivedAt: number): Promise<void> {
    await passing(arrivedAt);
    if (to === null) return;
    for (let sent = 0; sent < chunk.length && !to.destroyed;) {
      const piece = chunk.subarray(sent, sent + Math.min(disruption.pieceBytesMax, chunk.length));
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
      upstream.on('data', (chunk: Buffer) => {
        const at = findCut(disruption, chunk);
        forward(toClient, () => client, chunk.subarray(0, at));
        if (at < chunk.length) toClient(() => client.destroySoon());
      });
      upstream.on('close', () => toClient(() => passing(0).then(() => void client.end())));
      upstream.on('error', () => undefined);
    });
    const forward = (lane: typeof toServer, to: () => Socket | null, chunk: Buffer): void => {
      const arrivedAt = performance.now();
      if (disruption.loses) robbed.add(client);
      else lane(() => send(to(), chunk, arrivedAt));
    };
    client.on('data', (chunk: Buffer) => {
      onSent(chunk);
      forward(toServer, () => upstream, chunk);
    });
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
  // A TCP server that listens has a port.
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    /** Closes every connection and refuses new ones. */
    shut: () => {
      listener?.close();
      listener = null;
      cutAll(clients);
    },
    /** Listens again on the same port. */
    open: async () => {
      listener ??= await listen(port);
    },
    /** Closes every connection and accepts new ones. */
    cut: () => cutAll(clients),
    /** Forwards nothing in either direction and accepts connections without serving them, like a stopped server. */
    stall: () => void (disruption.still ??= Promise.withResolvers()),
    /** Forwards everything that was held back. */
    resume: () => {
      disruption.still?.resolve();
      disruption.still = null;
    },
    /** Delays each chunk in both directions, in order. 0 ends the delay. */
    delay: (ms: number) => void (disruption.delayMs = ms),
    /** Forwards chunks of at most this size, each in its own segment. */
    split: (bytesMax: number) => void (disruption.pieceBytesMax = bytesMax),
    /** Drops everything until `find`, which closes the connections that lost data. */
    lose: () => void (disruption.loses = true),
    find: () => {
      disruption.loses = false;
      cutAll(robbed);
    },
    /**
     * Closes the connection on which the server sends these bytes, once, after `skipped` other times. The client
     * receives what came before them. They must arrive in one chunk.
     */
    cutBefore: (before: Buffer, skipped: number) => void (disruption.cut = { before, remaining: skipped }),
    /** Ends `cutBefore`. @returns whether it has closed a connection */
    endCut: () => {
      const isDone = disruption.cut !== null && disruption.cut.remaining < 0;
      disruption.cut = null;
      return isDone;
    },
    /** Sends new connections to another server. */
    retarget: (to: GateTarget) => void (target = to),
  };
}
