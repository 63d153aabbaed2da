/** Every pool of workers, one line each. */
export { evalRunner } from './eval-runner/pool.ts';
export { inboundMail } from './inbound-mail/pool.ts';
export { mail } from './mail/pool.ts';
export { seats } from './seats/pool.ts';
export { sweeper } from './sweeper/pool.ts';
export { webhooks } from './webhooks/pool.ts';
