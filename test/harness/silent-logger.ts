import { createLogger } from '#runtime/tracing/log.ts';

/** For what logs nothing that a test reads. */
export const silentLogger = createLogger({ name: 'test', level: 'silent' });
