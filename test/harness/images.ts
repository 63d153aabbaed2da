/** Small images for tests. */

/** One transparent pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Bytes that begin as an image does, and differ by their seed. */
export function imageOf(bytes: number, seed: number): Buffer {
  const image = Buffer.alloc(Math.ceil(bytes), seed);
  png.copy(image, 0, 0, 8);
  return image;
}

export function dataUrl(image: Buffer, type = 'image/png'): string {
  return `data:${type};base64,${image.toString('base64')}`;
}

export const pngUrl = dataUrl(png);
