import { takeTurn } from '#runtime/loop-turns.ts';
import type { HeldTurn } from '../access/read-turns.ts';

/** A client that reads nothing for this long is gone. */
const stalledAfterMs = 30_000;
/** Others wait longer than this for their turn. */
const lookMs = 1_000;
/** On a usual connection, a client reads faster. */
const slowBytesPerMs = 1_000;

interface TextStreamOptions {
  /** Called at least once, however the stream ends, even if it never began. */
  readonly onEnd?: () => void;
  readonly stalledMs?: number;
  /** A slow client gives it to others. */
  readonly turn?: HeldTurn;
}

/**
 * The body of a response made of pieces of text, produced only as fast as the client reads them. Each piece takes a turn
 * of the event loop, because SQLite blocks it while a piece is read.
 */
export function textStream(
  pieces: AsyncGenerator<string>,
  { onEnd, stalledMs = stalledAfterMs, turn }: TextStreamOptions = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let looking: ReturnType<typeof setInterval> | undefined;
  let [sentAt, waitedMs, mayWaitMs] = [performance.now(), 0, turn?.keptMs ?? Infinity];
  const end = (): void => {
    clearInterval(looking);
    onEnd?.();
  };
  const isTooSlow = (): boolean => {
    const pauseMs = performance.now() - sentAt;
    return pauseMs >= stalledMs || (waitedMs + pauseMs >= mayWaitMs && turn?.isWaitedFor() === true);
  };
  const abandon = (controller: ReadableStreamDefaultController): void => {
    // Ends the connection, so that the document does not look complete. Bun would print an error.
    controller.error(undefined);
    end();
    void pieces.return(undefined);
  };
  const waitForReader = (controller: ReadableStreamDefaultController): void => {
    sentAt = performance.now();
    const look = (): void => {
      if (isTooSlow()) abandon(controller);
    };
    looking = setInterval(look, Math.min(lookMs, stalledMs));
  };
  return new ReadableStream({
    pull: async (controller) => {
      clearInterval(looking);
      if (looking !== undefined && isTooSlow()) {
        abandon(controller);
        return;
      }
      if (looking !== undefined) waitedMs += performance.now() - sentAt;
      try {
        await takeTurn();
        const { done, value } = await pieces.next();
        if (done !== true) {
          const bytes = encoder.encode(value);
          mayWaitMs += bytes.byteLength / slowBytesPerMs;
          controller.enqueue(bytes);
          waitForReader(controller);
          return;
        }
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    cancel: async () => {
      end();
      await pieces.return(undefined);
    },
  });
}

const pieceCharacters = 65_536;
const pieceMs = 10;

/** Joins texts to pieces that are large enough to send. A piece that takes long to make is sent earlier. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  let startedAt = performance.now();
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceCharacters && performance.now() - startedAt < pieceMs) continue;
    yield piece;
    piece = '';
    startedAt = performance.now();
  }
  if (piece !== '') yield piece;
}
