/**
 * Sends statements without waiting for the answer of one before the next: on Postgres that spares a way there and back
 * for each. A connection carries them out in the order given, so that a later one finds what an earlier one has written.
 */

/**
 * Resolves with all results, or rejects with the first fault, and in either case not before every statement has ended:
 * one that went on after its transaction would become part of the next one on the same connection.
 */
export async function together<Results extends readonly unknown[]>(
  ...statements: { readonly [Index in keyof Results]: PromiseLike<Results[Index]> }
): Promise<Results> {
  const outcomes = await Promise.allSettled(statements);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
    // One result for each statement, in their order.
  }) as unknown as Results;
}
