import { createLogger } from '#runtime/tracing/log.ts';

/** For code whose log no test reads. */
export const silentLogger = createLogger({ name: 'test', level: 'silent' });
