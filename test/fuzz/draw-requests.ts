/** Draws an endless sequence of requests from the OpenAPI document, the same for the same seed. */
import fc from 'fast-check';
import type { Operation } from '#test/harness/operations.ts';
import { anyRequest, type FuzzRequest } from './requests.ts';

/** @param portion the number drawn at once. Each portion has its own seed, so it affects the sequence. */
export function* drawRequests(
  operations: readonly Operation[],
  seed: number,
  portion: number,
): Generator<FuzzRequest, never> {
  const drawn = anyRequest(operations);
  for (let turn = 0; ; turn += 1) yield* fc.sample(drawn, { seed: seed + turn, numRuns: portion });
}
