import type { showImage } from '#domain/suites/suite-images.ts';

/** Their hash names them, so they never change; who may see them may. */
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
