/**
 * The images of a suite. A document names each by the path of a file beside it, or has it as a data URL; what is stored
 * of it in the document is its hash, so that versions and runs share one copy.
 */
import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { maxCaseImageBytes } from './limits.ts';

export const maxImageNameCharacters = 100;

/** The first bytes, in hex, decide, whatever a name or a data URL says. */
const beginnings = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^474946383[79]61/,
  'image/webp': /^52494646.{8}57454250/,
} as const;

export type ImageType = keyof typeof beginnings;
// The keys of the object are those of its type.
export const imageTypes = Object.keys(beginnings) as readonly ImageType[];

/** An image as the stored document names it: the hash of its bytes, and the name of its file, for people. */
export const PlacedImage = Type.Object(
  {
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', 'x-rule': 'be a SHA-256 in hex' }),
    type: Type.Enum([...imageTypes]),
    bytes: Type.Integer({ minimum: 1, maximum: maxCaseImageBytes }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: maxImageNameCharacters })),
  },
  { additionalProperties: false },
);
export type PlacedImage = Static<typeof PlacedImage>;

/** @returns the type and the bytes, or what is wrong as the end of a sentence */
export function readDataUrl(url: string): { readonly type: ImageType; readonly data: Buffer } | string {
  const comma = url.indexOf(',');
  if (!/^data:[a-z]+\/[a-z0-9.+-]+;base64$/i.test(url.slice(0, Math.min(comma, 100))))
    return 'must be a data URL in base64, such as `data:image/png;base64,…`';
  const text = url.slice(comma + 1);
  const data = Buffer.from(text, 'base64');
  // The decoder skips what is no base64.
  if (text.length % 4 !== 0 || data.toString('base64') !== text) return 'has broken base64';
  const beginning = data.subarray(0, 16).toString('hex');
  const type = imageTypes.find((one) => beginnings[one].test(beginning));
  return type === undefined ? 'must be a PNG, JPEG, GIF or WebP image, by its content' : { type, data };
}

/** The form in which a document keeps the image of a data URL without faults. */
export function placedOf(url: string): PlacedImage {
  const read = readDataUrl(url);
  if (typeof read === 'string') throw new TypeError(`The image ${read}.`);
  return placed(read);
}

export function placed({ type, data }: { readonly type: ImageType; readonly data: Buffer }): PlacedImage {
  return { sha256: createHash('sha256').update(data).digest('hex'), type, bytes: data.length };
}

/** What is wrong with the path or the data URL of an image, as the end of a sentence; null if nothing is so far. */
export function faultOfImage(given: string): string | null {
  if (/^(?!data:)[a-z][a-z0-9+.-]*:/i.test(given))
    return 'must be a path beside the suite or a data URL; the hub fetches no images';
  const read = given.startsWith('data:') ? readDataUrl(given) : null;
  return typeof read === 'string' ? read : null;
}

export function dataUrlOf({ type, base64 }: { readonly type: string; readonly base64: string }): string {
  return `data:${type};base64,${base64}`;
}

/** An image in words, for people. */
export function describeImage({ name, type, bytes }: PlacedImage): string {
  const kind = type.slice('image/'.length).toUpperCase();
  return `${name ?? 'image'} (${kind}, ${Math.max(1, Math.round(bytes / 1024))} KiB)`;
}

/** Whether a case without faults has some. */
export function asksWithImages({
  messages = [],
}: {
  readonly messages?: readonly { readonly images?: unknown }[] | undefined;
}): boolean {
  return messages.some(({ images }) => images !== undefined);
}
