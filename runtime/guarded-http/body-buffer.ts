/**
 * Collects the body of a response in one growing buffer. With a list of chunks, a target that sends one byte
 * at a time would make the hub hold an object per byte.
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  #memory = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns false and drops the chunk if the body would exceed its limit. */
  append(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#memory.length) {
      const grown = new Uint8Array(Math.min(this.#maxBytes, Math.max(length, 2 * this.#memory.length)));
      grown.set(this.#memory.subarray(0, this.#length));
      this.#memory = grown;
    }
    this.#memory.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }
}
