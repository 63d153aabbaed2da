/** What callers bring in place of the credentials that are asked for. `right` is what would be let in. */
import { createBearerToken } from '#domain/agents/keys/bearer-token.ts';

/** What has no form of a bearer, though `right` may stand in it. */
export const malformed = (right: string): readonly string[] => [
  '',
  right,
  'Bearer',
  'Bearer ',
  `Bearer${right}`,
  `Bearer\t${right}`,
  `Bearer:${right}`,
  `Bearer ${right} ${right}`,
  `Bearer ${right}, Bearer ${right}`,
  `Bearer "${right}" x`,
  `Token ${right}`,
  `MAC ${right}`,
  `Digest username="x", response="${right}"`,
];

/** Bearers of the right form that nobody was given. */
export const unknown = (right: string): readonly string[] => [
  `Bearer ${createBearerToken()}`,
  `bearer ${createBearerToken()}`,
  `BEARER    ${createBearerToken()}  `,
  `Bearer ${right.slice(0, -1)}`,
  `Bearer ${right}x`,
  `Bearer ${right.toUpperCase()}x`,
  `Bearer ${right},`,
  `Bearer "${right}"`,
  `Bearer ${right}%00`,
  `Bearer ${right}=`,
  `Bearer ${'x'.repeat(10_000)}`,
  'Bearer null',
  'Bearer undefined',
  'Bearer *',
  "Bearer '--",
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
  `Bearer ${Bun.randomUUIDv7()}`,
];

/** Other places than the header in which a token might be taken. */
export const elsewhere = (right: string): readonly Readonly<Record<string, string>>[] => [
  { cookie: `token=${right}; access_token=${right}; authorization=Bearer ${right}` },
  { 'x-api-key': right, 'x-access-token': right, 'x-authorization': `Bearer ${right}` },
  { 'proxy-authorization': `Bearer ${right}`, 'www-authenticate': `Bearer ${right}` },
];

/** What no library sends: two headers, bytes that are no ASCII, and header lines that are none. */
export const rawLines = (right: string): readonly string[] => [
  `Authorization: Bearer ${right}\r\nAuthorization: Bearer ${right}`,
  `Authorization: Bearer ${right}\r\nauthorization: Bearer x`,
  `Authorization: Bearer x\r\nAuthorization: Bearer ${right}`,
  `Authorization: Bearer ${right}\u00a0x`,
  `Authorization: Bearer \u00e9${right}`,
  `Authorization: Bearer ${right}\u00ff`,
  `Authorization : Bearer ${right}`,
  `X: y\r\n Authorization: Bearer ${right}`,
  `Authorization\0: Bearer ${right}`,
];
