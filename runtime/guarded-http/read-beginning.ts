import type { IncomingMessage } from 'node:http';

/** Enough for an excerpt. */
const beginningBytes = 2_048;
/** The body of an error usually arrives together with its head. */
const waitMaxMs = 1_000;

export function beginningOf(body: Uint8Array): Uint8Array {
  return body.subarray(0, beginningBytes);
}

/** Reads the beginning of a response whose rest does not matter. Never throws, and never waits long for a slow body. */
export function readBeginning(answer: IncomingMessage): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const end = (): void => {
    clearTimeout(timer);
    resolve(beginningOf(Buffer.concat(chunks)));
  };
  const timer = setTimeout(end, waitMaxMs);
  answer
    .on('data', (chunk: Uint8Array) => {
      if (length >= beginningBytes) return;
      chunks.push(chunk);
      length += chunk.length;
      if (length >= beginningBytes) end();
    })
    .on('end', end)
    .on('error', end)
    .on('close', end);
  return promise;
}
