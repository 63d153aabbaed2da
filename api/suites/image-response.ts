import type { showImage } from '#domain/suites/suite-images.ts';

/** Images never change, but who may see them can, so a browser asks again each time. */
export function imageResponse({ type, data }: Awaited<ReturnType<typeof showImage>>): Response {
  return new Response(new Uint8Array(data), {
    headers: {
      'content-type': type,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    },
  });
}
