/** Requests drawn from the OpenAPI document without an end, the same ones for the same seed. */
import fc from 'fast-check';
import type { Operation } from '#test/harness/operations.ts';
import { anyRequest, type FuzzRequest } from './requests.ts';

/** @param portion so many are drawn at once; part of what a seed means, as each portion has a seed of its own */
export function* drawRequests(
  operations: readonly Operation[],
  seed: number,
  portion: number,
): Generator<FuzzRequest, never> {
  const drawn = anyRequest(operations);
  for (let turn = 0; ; turn += 1) yield* fc.sample(drawn, { seed: seed + turn, numRuns: portion });
}
