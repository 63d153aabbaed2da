/**
 * Sends commands to actors and waits for the replies. Commands sent in one turn of the event loop go to each
 * mailbox in one call.
 */
import { DomainError } from '#domain/errors.ts';
import type { Cause, Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { ActorAddress, ActorProtocol, ActorType, ReplyTo } from './actor-type.ts';
import { appendedPerCallMax, asksMax, askTimeoutMs } from './limits.ts';
import { type AppendRequest, createMailboxes } from './mailbox.ts';
import { type CommandResult, listenToResults, queueUnavailable, refusalOf, type Wire } from './messages.ts';
import { createWakes } from './wakes.ts';

export interface ActorClient {
  /**
   * Sends a command to an actor and waits for its reply.
   * @throws DomainError the actor's refusal; queue_unavailable when no reply comes in time, in which case the
   * command may or may not have been carried out; internal_error when handling it failed
   */
  ask<Protocol extends ActorProtocol, const Command extends Protocol['command']>(
    type: ActorType<Protocol, unknown>,
    actorId: string,
    command: Command,
    options?: AskOptions,
  ): Promise<ReplyTo<Protocol, Command>>;
  close(): Promise<void>;
}

export interface AskOptions {
  /** Defaults to the timeout of the command, or else 5 seconds. */
  readonly timeoutMs?: number;
  /** The request that caused the command. */
  readonly cause?: Cause | undefined;
}

interface Ask {
  readonly address: ActorAddress;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (refusal: DomainError) => void;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * @param redis for short commands; fails immediately while Redis is away
 * @param subscriber a connection for this client only
 */
export function createActorClient(redis: Redis, subscriber: Redis, logger: Logger): ActorClient {
  const processId = Bun.randomUUIDv7();
  const mailboxes = createMailboxes(redis);
  const wakes = createWakes(redis, logger);
  const asks = new Map<string, Ask>();
  /** The number of outstanding commands per actor. */
  const waiting = new Map<ActorAddress, number>();
  let asked = 0;
  let outgoing = new Map<ActorAddress, Wire[]>();

  listenToResults(subscriber, processId, (id, result) => {
    crashPoint('answer.received');
    settle(id, result);
  });

  function count(address: ActorAddress, change: 1 | -1): void {
    const now = (waiting.get(address) ?? 0) + change;
    if (now === 0) waiting.delete(address);
    else waiting.set(address, now);
  }

  function settle(id: string, outcome: CommandResult | DomainError): void {
    const ask = asks.get(id);
    if (ask === undefined) return; // Already settled, or timed out.
    asks.delete(id);
    count(ask.address, -1);
    clearTimeout(ask.timer);
    if (outcome instanceof DomainError) {
      ask.reject(outcome);
      return;
    }
    if ('reply' in outcome) ask.resolve(outcome.reply);
    else ask.reject(refusalOf(outcome));
  }

  /**
   * Starts when the command is in the mailbox: the worker counts from then too, so it never handles a command
   * that has timed out here.
   */
  function giveTime(id: string, timeoutMs: number): void {
    const ask = asks.get(id);
    if (ask === undefined) return; // The reply came first.
    const giveUp = (): void => settle(id, queueUnavailable(`No reply within ${timeoutMs} ms.`));
    ask.timer = setTimeout(giveUp, timeoutMs);
  }

  function refuse(commands: readonly Wire[], cause: unknown): void {
    for (const { id } of commands) settle(id, queueUnavailable('The queue cannot be reached.', cause));
  }

  /** Redis responds in bounded time, or the connection fails. */
  async function send(requests: readonly AppendRequest[]): Promise<void> {
    try {
      crashPoint('command.posting');
      const results = await mailboxes.appendAll(requests);
      crashPoint('command.posted');
      for (const [index, { address, commands }] of requests.entries()) {
        const result = results[index] ?? { taken: 0, needsWake: false };
        if (result instanceof Error) {
          refuse(commands, result);
          continue;
        }
        const { taken, needsWake } = result;
        if (needsWake) void wakes.wake(address);
        for (const { id, timeoutMs } of commands.slice(0, taken)) giveTime(id, timeoutMs);
        for (const { id } of commands.slice(taken))
          settle(id, queueUnavailable('Too many requests are waiting.'));
      }
    } catch (err) {
      refuse(
        requests.flatMap(({ commands }) => commands),
        err,
      );
    }
  }

  function sendAll(batches: ReadonlyMap<ActorAddress, readonly Wire[]>): void {
    const requests = [...batches].map(([address, commands]): AppendRequest => {
      // If this process has no other command outstanding, a non-empty mailbox may have lost its wake.
      const isAlone = waiting.get(address) === commands.length;
      if (!redis.isCluster || !isAlone) return { address, commands, wakes: isAlone ? 'always' : 'if empty' };
      // There are no direct wakes in a Cluster: send the wake along with the command.
      void wakes.wake(address);
      return { address, commands, wakes: 'never' };
    });
    const perCall = redis.isCluster ? 1 : appendedPerCallMax;
    for (let start = 0; start < requests.length; start += perCall) {
      void send(requests.slice(start, start + perCall));
    }
  }

  function post(address: ActorAddress, wire: Wire): void {
    if (outgoing.size === 0) {
      setImmediate(() => {
        const batches = outgoing;
        outgoing = new Map();
        sendAll(batches);
      });
    }
    const batch = outgoing.get(address);
    if (batch === undefined) outgoing.set(address, [wire]);
    else batch.push(wire);
  }

  /** @returns the reply as JSON */
  function request(
    address: ActorAddress,
    message: Pick<Wire, 'timeoutMs' | 'command' | 'cause'>,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (asks.size >= asksMax) {
        reject(queueUnavailable('Too many requests are waiting.'));
        return;
      }
      asked += 1;
      const id = `${processId}.${asked}`;
      asks.set(id, { address, resolve, reject });
      count(address, 1);
      post(address, { id, replyTo: processId, ...message });
    });
  }

  async function ask<Protocol extends ActorProtocol, const Command extends Protocol['command']>(
    type: ActorType<Protocol, unknown>,
    actorId: string,
    command: Command,
    options: AskOptions = {},
  ): Promise<ReplyTo<Protocol, Command>> {
    const timeoutMs = options.timeoutMs ?? type.timeoutMsOf?.(command) ?? askTimeoutMs;
    const { cause } = options;
    const reply = await request(`${type.name}/${actorId}`, { timeoutMs, command, cause });
    // `readReply` has read the reply to this command.
    return type.readReply(command, reply) as ReplyTo<Protocol, Command>;
  }

  return {
    ask,
    close: async () => {
      for (const id of asks.keys()) settle(id, queueUnavailable('The server is shutting down.'));
    },
  };
}
