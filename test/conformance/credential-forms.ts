/** Wrong credentials in all forms. `right` is the credential that would be accepted. */
import { createBearerToken } from '#domain/agents/token-bearers.ts';

/** Malformed credentials, even if they contain `right`. */
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

/** Well-formed tokens that were never issued. */
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

/** Places other than the header where a token might be read. */
export const elsewhere = (right: string): readonly Readonly<Record<string, string>>[] => [
  { cookie: `token=${right}; access_token=${right}; authorization=Bearer ${right}` },
  { 'x-api-key': right, 'x-access-token': right, 'x-authorization': `Bearer ${right}` },
  { 'proxy-authorization': `Bearer ${right}`, 'www-authenticate': `Bearer ${right}` },
];

/** What no HTTP library sends: duplicate headers, non-ASCII bytes and malformed header lines. */
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
