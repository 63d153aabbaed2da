/**
 * Finds out whose reply ends a process. A runner works on many runs at a time, so each run notes in the database when it
 * holds a reply of its target. If the process ends then, the attempt counts against that run and not against its
 * neighbours. The first attempt of a run notes nothing, so ordinary runs pay nothing.
 */
import { type Column, type SQL, sql } from 'drizzle-orm';
import { runAttemptsMax, unexplainedAttemptsMax } from './run-limits.ts';

interface AttemptColumns {
  readonly attempt: Column;
  readonly replyAttempt: Column;
  readonly lethalReplies: Column;
}

/** For the claim that starts the next attempt. */
export function plusLethalReply({ attempt, replyAttempt, lethalReplies }: AttemptColumns): SQL<number> {
  return sql<number>`${lethalReplies} + case when ${replyAttempt} = ${attempt} then 1 else 0 end`;
}

interface Attempts {
  /** With the one that has just begun. */
  readonly attempt: number;
  readonly releases: number;
  readonly lethalReplies: number;
}

export const lethalRepliesProblem = 'Replies of the target repeatedly ended the process that read them.';

/** @returns whose fault it is that the run has not ended; null if it may be attempted again */
export function faultOfAttempts({ attempt, releases, lethalReplies }: Attempts): 'target' | 'hub' | null {
  if (lethalReplies >= runAttemptsMax - 1) return 'target';
  return attempt - 1 - releases - lethalReplies >= unexplainedAttemptsMax ? 'hub' : null;
}

/** The replies that one attempt of a run holds. */
export class HeldReplies {
  readonly #note: ((isHeld: boolean) => Promise<void>) | null;
  #held = 0;
  #noted: Promise<void> = Promise.resolve();

  constructor(attempt: number, note: (isHeld: boolean) => Promise<void>) {
    this.#note = attempt === 1 ? null : note;
  }

  /** For the replies to one case or task, one at a time. */
  hand(): ReplyHand {
    let isFull = false;
    return {
      take: async () => {
        if (isFull) return;
        isFull = true;
        this.#held += 1;
        if (this.#held === 1) this.#write(true);
        await this.#noted;
      },
      letGo: async () => {
        if (!isFull) return;
        isFull = false;
        this.#held -= 1;
        if (this.#held === 0) this.#write(false);
        await this.#noted;
      },
    };
  }

  /** Writes in order, so that the last state stays. */
  #write(isHeld: boolean): void {
    const note = this.#note;
    if (note !== null) this.#noted = this.#noted.then(() => note(isHeld));
  }
}

export interface ReplyHand {
  /** Resolves once the reply is noted and may be read. */
  take(): Promise<void>;
  letGo(): Promise<void>;
}
