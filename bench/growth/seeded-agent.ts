/** An agent of the large or the small store, and what its rows are derived from. */
export interface SeededAgent {
  /** The id of the agent and of all its rows: its thread, its run, its work order and so on. */
  readonly id: string;
  readonly number: number;
  readonly handle: string;
  readonly bearerToken: string;
  /** Four digits, so that all cursors have the same length. */
  readonly reputation: number;
  /** A word that the threads of 20 agents contain. */
  readonly word: string;
  readonly eventId: string;
  readonly createdAt: Date;
}

export function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}

export function pick<Value>(values: readonly [Value, ...Value[]], number: number): Value {
  return values[number % values.length] ?? values[0];
}
