/** The hub's keys and channels in Redis. They share one prefix, so the hub can share a server. */

export const redisNames = {
  /** BullMQ appends the queue's name. */
  queuePrefix: 'hub:queue',
  /**
   * Set by the pump once every open job has been published to this Redis. Missing after Redis has lost its
   * data.
   */
  incarnation: 'hub:incarnation',
  /** Carries the topics of signals. */
  signalChannel: 'hub:signals',
  /** Plus the address: the calls in progress to one target address. */
  targetSlots: 'hub:target-slots:',
  /** Plus the id of an agent: its open streams. */
  openStreams: 'hub:open-streams:',
  /** Plus type and id of an actor: its mailbox, a stream. */
  mailbox: 'hub:mailbox:',
  /** The actors whose mailbox is not empty, by the time since when. */
  mailboxes: 'hub:mailboxes',
  /** Plus the id of a process: the channel of replies to its commands. */
  replies: 'hub:replies:',
  /** Plus the kind of call and the caller: the calls of the current minute. */
  rateLimits: 'hub:rate:',
} as const;
