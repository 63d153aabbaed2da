/** The health checks that tests ask: a few in short runs, and as many as `SUITE_RUNS` says in long ones. */
import { randomBytes } from 'node:crypto';
import type { HealthCheck } from '#evals/health/health-check.ts';

const isRandom = process.env['TEST_SEED'] === 'random';

export function drawnChecks(short: number): readonly HealthCheck[] {
  const count = Number(process.env['SUITE_RUNS'] ?? short);
  return Array.from({ length: count }, (_, at) => ({
    seed: isRandom
      ? randomBytes(16).toString('hex')
      : String(at + 1)
          .repeat(32)
          .slice(0, 32),
    maxPromptTokens: at % 2 === 0 ? 8_000 : 16_000,
    size: at % 2 === 0 ? 'standard' : 'long',
    tools: false,
    inARow: true,
  }));
}
