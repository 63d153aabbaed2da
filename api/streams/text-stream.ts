/**
 * The body of a response made of pieces of text, produced only as fast as the client reads them.
 * @param onEnd called at least once, however the stream ends, even if it never began
 */
export function textStream(pieces: AsyncGenerator<string>, onEnd?: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await pieces.next();
        if (done !== true) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd?.();
    },
    cancel: async () => {
      onEnd?.();
      await pieces.return(undefined);
    },
  });
}
