/**
 * Sends statements without waiting for each result. On Postgres that saves a round trip per statement. A
 * connection runs them in order, so each sees the writes of those before it.
 */

/**
 * Resolves with all results or rejects with the first error, but only after every statement has ended: one
 * that outlived its transaction would join the next transaction on the connection.
 */
export async function pipelined<Results extends readonly unknown[]>(
  ...statements: { readonly [Index in keyof Results]: PromiseLike<Results[Index]> }
): Promise<Results> {
  const outcomes = await Promise.allSettled(statements);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
    // One result per statement, in order.
  }) as unknown as Results;
}
