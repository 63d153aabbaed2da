/**
 * The hub's keys and channels in Redis. They share one prefix, so the hub can share a server. A Redis Cluster places a
 * key by the part in braces: keys that one command, script or pipeline uses together have the same part there.
 */
import { crc32 } from 'node:zlib';

/** More than any Cluster has masters, so that mailboxes spread over all of them. */
const mailboxShardCount = 64;

export const redisNames = {
  /** BullMQ appends the queue's name. */
  queuePrefix: (queue: string): string => `hub:queue:{${queue}}`,
  /**
   * The replication ids of this Redis, set by the outbox relay once every open job has been published to it. Missing
   * after Redis has lost its data; different after a failover.
   */
  incarnation: 'hub:incarnation',
  /** Carries the topics of signals. */
  signalChannel: 'hub:signals',
  /** The calls in progress to an address, its slot-time in a window of time, and who waits. */
  targetSlots: (address: string) => {
    const slots = `hub:target-slots:{${address}}`;
    return {
      slots,
      used: (window: number): string => `${slots}:used:${window}`,
      waiting: `${slots}:waiting`,
    };
  },
  /** The calls of the last second to a host name or an IP address. A call counts for both in one step. */
  destination: (name: string): string => `hub:{destinations}:${name}`,
  /** Plus the id of an agent: its open streams. */
  openStreams: 'hub:open-streams:',
  /** The mailbox of an actor, a stream. @param address type and id of the actor */
  mailbox: (address: string): string => `hub:{${mailboxShardOf(address)}}:mailbox:${address}`,
  /** The epoch of the latest activation that has read the mailbox. @param address type and id of the actor */
  mailboxEpoch: (address: string): string => `hub:{${mailboxShardOf(address)}}:mailbox-epoch:${address}`,
  /** The channels of processes that receive direct wakes, by the time of their last report. */
  wakeListeners: (shard?: MailboxShard): string =>
    `hub:${shard === undefined ? '' : `{${shard}}:`}wake-readers`,
  /** The actors of a shard with a non-empty mailbox, by the time at which it became non-empty or was last read. */
  mailboxes: (shard: MailboxShard): string => `hub:{${shard}}:mailboxes`,
  /** Plus the id of a process: the channel of replies to its commands. */
  replies: 'hub:replies:',
  /** Prefix, followed by the id of a process: the channel for direct wakes of actors. */
  wakes: 'hub:wakes:',
  /** Plus the hash of its secret: a link that signs a browser of the operator in. */
  operatorLinks: 'hub:operator-links:',
  /** Plus the kind of call and the caller: the calls of the current minute. */
  rateLimits: 'hub:rate:',
} as const;

/** Mailboxes of one shard are on the same server of a Cluster. */
export type MailboxShard = `s${number}`;

export const mailboxShards: readonly MailboxShard[] = Array.from(
  { length: mailboxShardCount },
  (_, number): MailboxShard => `s${number}`,
);

/** @param address type and id of an actor */
export function mailboxShardOf(address: string): MailboxShard {
  return `s${crc32(address.slice(address.indexOf('/') + 1)) % mailboxShardCount}`;
}
