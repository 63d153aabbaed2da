import { takeTurn } from '#runtime/loop-turns.ts';

/** A client that reads nothing for this long is gone, or keeps a turn that others wait for. */
const stalledAfterMs = 30_000;

interface TextStreamOptions {
  /** Called at least once, however the stream ends, even if it never began. */
  readonly onEnd?: () => void;
  readonly stalledMs?: number;
}

/**
 * The body of a response made of pieces of text, produced only as fast as the client reads them. Each piece takes a turn
 * of the event loop, because SQLite blocks it while a piece is read.
 */
export function textStream(
  pieces: AsyncGenerator<string>,
  { onEnd, stalledMs = stalledAfterMs }: TextStreamOptions = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    onEnd?.();
  };
  const waitForReader = (controller: ReadableStreamDefaultController): void => {
    timer = setTimeout(() => {
      controller.error(new Error('The client has stopped reading.'));
      end();
      void pieces.return(undefined);
    }, stalledMs);
  };
  return new ReadableStream({
    pull: async (controller) => {
      clearTimeout(timer);
      try {
        await takeTurn();
        const { done, value } = await pieces.next();
        if (done !== true) {
          controller.enqueue(encoder.encode(value));
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
