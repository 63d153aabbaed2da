/** Where a move writes to: a new store of this version, without most of its indexes until the rows are there. */
import type { DatabaseSetting } from '../database.ts';
import type { MovedTable } from './moved-tables.ts';
import type { RowReader } from './row-readers.ts';

/** The move cannot begin, or its result is not a faithful copy. The message is for the operator. */
export class MoveRefusal extends Error {
  override readonly name = 'MoveRefusal';
}

export interface MoveTarget {
  /** Where the draft can be opened, after `complete`. */
  readonly setting: DatabaseSetting;
  /** Resolves when there is room for the next chunk. */
  write(table: MovedTable, lines: readonly string[]): Promise<void>;
  /** Waits until everything is written, continues the numbers of rows, and makes the indexes and references. */
  complete(lastNumbers: ReadonlyMap<MovedTable, number>): Promise<void>;
  /** Reads what was written, after `complete`. */
  openReader(): Promise<RowReader>;
  /** Turns the draft into a store that a hub can use. */
  publish(): Promise<void>;
  /** Ends the move. What it made and did not publish stays, and the next move clears it. */
  close(): Promise<void>;
}
