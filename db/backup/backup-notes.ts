/** What a backup holds beside the tables of the hub: who made it and when, and the key that belongs to it. */

export interface BackupNotes {
  readonly madeAt: Date;
  /** Of the hub whose tool made the copy. */
  readonly version: string;
  /** The key that the hub has made for itself; null when the operator keeps it elsewhere. */
  readonly secretKey: string | null;
}

export const notesTable = 'hub_backup';
