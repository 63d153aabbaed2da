/**
 * Self-contained pages: scripts and external resources are blocked, and only the page's own inline styles are
 * allowed, by their hashes.
 */

const stylePattern = /<style>([\s\S]*?)<\/style>/g;

/** A page whose Content-Security-Policy allows only its own `<style>` elements. */
export function styledPage(html: string): Response {
  const hashes = [...html.matchAll(stylePattern)].map(
    ([, style]) => `'sha256-${Bun.SHA256.hash(style ?? '', 'base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `style-src ${hashes.length === 0 ? "'none'" : hashes.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox',
  ].join('; ');
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  });
}
