/** A text with its entity tag and its compressed form, each computed at most once. */
import { weakTagOf } from '../response/etag.ts';

export interface Rendered {
  readonly text: string;
  readonly tag: () => string;
  readonly gzipped: () => Uint8Array<ArrayBuffer>;
}

export function rendered(text: string): Rendered {
  let tag: string | null = null;
  let gzipped: Uint8Array<ArrayBuffer> | null = null;
  return {
    text,
    tag: () => (tag ??= weakTagOf(text)),
    gzipped: () => (gzipped ??= Bun.gzipSync(text, { level: 5 })),
  };
}
