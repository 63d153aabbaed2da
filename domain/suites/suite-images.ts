/** The images of suites: stored once for all versions, and read where somebody is shown them. */
import { and, eq } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { SoundSuite, SuiteFault } from '#evals/own-suite/check-suite.ts';
import { dataUrlOf, type ImageType, type PlacedImage, readDataUrl } from '#evals/own-suite/images.ts';
import { createId } from '#runtime/create-id.ts';
import type { ConversationMessage } from '#evals/worlds/world.ts';
import type { ActingAgent, Ctx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { findSuite, mayReadCases, type SuiteKey } from './find-suite.ts';

/** Of what is stored of them. */
export function sizeOf(images: SoundSuite['images']): number {
  return images.reduce((sum, [, base64]) => sum + Buffer.byteLength(base64, 'base64'), 0);
}

/** Those that the suite does not have. */
export async function newImages(
  { db }: Pick<Ctx, 'db'>,
  suiteId: string | null,
  { images }: Pick<SoundSuite, 'images'>,
): Promise<SoundSuite['images']> {
  if (suiteId === null || images.length === 0) return images;
  const { suiteImages } = db.tables;
  const rows = await db.query
    .select({ sha256: suiteImages.sha256 })
    .from(suiteImages)
    .where(eq(suiteImages.suiteId, suiteId));
  const known = new Set(rows.map(({ sha256 }) => sha256));
  return images.filter(([sha256]) => !known.has(sha256));
}

export async function addImages(
  { db, clock }: TransactionCtx,
  suiteId: string,
  images: SoundSuite['images'],
): Promise<void> {
  const { suiteImages } = db.tables;
  for (const [sha256, base64] of images) {
    const read = readDataUrl(dataUrlOf({ type: 'image/png', base64 }));
    if (typeof read === 'string') throw new TypeError(`The image ${read}.`);
    const row = {
      id: createId(clock.now()),
      suiteId,
      sha256,
      type: read.type,
      bytes: read.data.length,
      base64,
    };
    await db.query.insert(suiteImages).values(row);
  }
}

const formOf = ({ sha256, type, bytes }: Omit<PlacedImage, 'name'>) => `${sha256} ${type} ${bytes}`;

/** Of the images that a document names by their hash, those that the suite does not have. */
export async function findImageFaults(
  { db }: Pick<Ctx, 'db'>,
  suiteId: string | null,
  { knownImages }: SoundSuite,
): Promise<readonly SuiteFault[]> {
  if (knownImages.length === 0) return [];
  const { suiteImages } = db.tables;
  const hashes = knownImages.map(({ image }) => image.sha256);
  const rows =
    suiteId === null
      ? []
      : await db.query
          .select({ sha256: suiteImages.sha256, type: suiteImages.type, bytes: suiteImages.bytes })
          .from(suiteImages)
          .where(and(eq(suiteImages.suiteId, suiteId), inList(db, suiteImages.sha256, hashes)));
  const stored = new Set(rows.map(formOf));
  return knownImages
    .filter(({ image }) => !stored.has(formOf(image)))
    .map(({ image: _image, ...fault }) => fault);
}

/** Messages with the bytes of their images, for whoever is sent them. */
export async function withImages(
  { db }: Pick<Ctx, 'db'>,
  suiteId: string,
  messages: readonly ConversationMessage[],
): Promise<readonly ConversationMessage[]> {
  const hashes = messages
    .flatMap((one) => (one.role === 'user' ? (one.images ?? []) : []))
    .map(({ sha256 }) => sha256);
  if (hashes.length === 0) return messages;
  const { suiteImages } = db.tables;
  const rows = await db.query
    .select({ sha256: suiteImages.sha256, base64: suiteImages.base64 })
    .from(suiteImages)
    .where(and(eq(suiteImages.suiteId, suiteId), inList(db, suiteImages.sha256, [...new Set(hashes)])));
  const found = new Map(rows.map(({ sha256, base64 }) => [sha256, base64]));
  return messages.map((message) =>
    message.role === 'user' && message.images !== undefined
      ? {
          ...message,
          images: message.images.map((image) => ({ ...image, base64: found.get(image.sha256) ?? '' })),
        }
      : message,
  );
}

interface ShowImageInput extends SuiteKey {
  readonly sha256: string;
  readonly viewer: ActingAgent | null;
}

/**
 * For those who may read the cases.
 * @throws DomainError not_found, content_hidden
 */
export async function showImage(
  ctx: Ctx,
  { sha256, viewer, ...key }: ShowImageInput,
): Promise<{ readonly type: ImageType; readonly data: Buffer }> {
  const suite = await findSuite(ctx, key, viewer);
  const { suiteImages } = ctx.db.tables;
  const [row] = mayReadCases(suite)
    ? await ctx.db.query
        .select({ type: suiteImages.type, base64: suiteImages.base64 })
        .from(suiteImages)
        .where(and(eq(suiteImages.suiteId, suite.id), eq(suiteImages.sha256, sha256)))
    : [];
  if (row === undefined) throw new DomainError('not_found', 'The suite shows you no image with this hash.');
  return { type: row.type, data: Buffer.from(row.base64, 'base64') };
}
