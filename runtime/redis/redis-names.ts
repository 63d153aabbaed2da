/** Every key and channel the hub uses in Redis begins with one prefix, so that it can share a server. */

export const redisNames = {
  /** BullMQ puts the queue's name behind it. */
  queuePrefix: 'hub:queue',
  /** Set by the pump once every open job was announced to this Redis; missing after Redis has lost its data. */
  incarnation: 'hub:incarnation',
  /** Carries the topics that something happened to. */
  signalChannel: 'hub:signals',
  /** Followed by the address: the calls under way to one target address. */
  targetSlots: 'hub:target-slots:',
  /** Followed by the id of an agent: the streams that it has open. */
  openStreams: 'hub:open-streams:',
  /** Followed by type and id of an actor: its mailbox, a stream. */
  mailbox: 'hub:mailbox:',
  /** The actors with mail, by the time since which they have some. */
  mailboxes: 'hub:mailboxes',
  /** Followed by the id of a process: the channel that carries the answers to what it has asked. */
  replies: 'hub:replies:',
  /** Followed by the kind of call and by who calls: the calls of the present minute. */
  rateLimits: 'hub:rate:',
} as const;
