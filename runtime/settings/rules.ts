/** The rules for single settings: each has a text for messages and a parser. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { namesSeveralHosts } from '../redis/redis-address.ts';
import { hostUrlsOf } from './host-urls.ts';
import { readPoolParameters } from './pool-parameters.ts';
import type { SettingRule } from './settings-reader.ts';

/** `none` is demo mode. */
type DatabaseSetting =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'none' };

const maxKeyLength = 512;
const maxUrlLength = 2000;
const postgresHostsMax = 10;
const minGuessableKeyLength = 16;
const webhookSecretBytes = { min: 16, max: 256 };

export function wholeNumber(min: number, max: number): SettingRule<number> {
  return {
    rule: `be a whole number from ${min} to ${max}`,
    parse: (text) => {
      if (!/^\d{1,15}$/.test(text)) return undefined;
      const value = Number(text);
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** One line for people, without characters that hide or reorder text. */
export function textLine(lengthMax: number): SettingRule<string> {
  return {
    rule: `be one line of at most ${lengthMax} characters, without control characters`,
    parse: (text) => {
      const line = text.trim();
      const fits = Array.from(line).length <= lengthMax && !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(line);
      return fits ? line : undefined;
    },
  };
}

/** Relative paths start at the working folder. */
export const folderPath: SettingRule<string> = {
  rule: 'be a path',
  parse: (text) => resolve(text),
};

export const onOrOff: SettingRule<boolean> = {
  rule: 'be on or off',
  parse: (text) => {
    const word = text.toLowerCase();
    return word === 'on' ? true : word === 'off' ? false : undefined;
  },
};

/** A port that `off` or `0` disables. */
export const optionalPort: SettingRule<number | null> = {
  rule: 'be a port from 1 to 65535, or off',
  parse: (text) => {
    if (text === 'off' || text === '0') return null;
    return wholeNumber(1, 65_535).parse(text);
  },
};

export const listenHost: SettingRule<string> = {
  rule: 'be an IP address without brackets, or a host name',
  parse: (text) => (isIP(text) !== 0 || isHostName(text) ? text : undefined),
};

function isHostName(text: string): boolean {
  // A name whose last label is all digits is a mistyped IPv4 address (WHATWG URL, "ends in a number").
  if (text.length > 253 || /(^|\.)\d+$/.test(text)) return false;
  return text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

/** A prefix for links, without a trailing slash. Pages link to paths of the host, so the hub works only at its root. */
export const baseUrl: SettingRule<string> = {
  rule: 'be an http:// or https:// URL without user, path, query or fragment',
  parse: (text) => {
    const url = parseUrl(text, ['http:', 'https:']);
    if (url === undefined || /[?#]/.test(text)) return undefined;
    return url.href === `${url.origin}/` ? url.origin : undefined;
  },
};

export const httpUrl: SettingRule<string> = {
  rule: 'be an http:// or https:// URL',
  parse: (text) => parseUrl(text, ['http:', 'https:'])?.href,
};

/**
 * The supervisor passes the socket path of its private Redis to its children. ioredis accepts such a path.
 */
export const redisUrl: SettingRule<string> = {
  rule: 'be a redis:// or rediss:// URL, redis+sentinel://host:port,host:port/name, redis+cluster://host:port,host:port, or the absolute path of a socket; a % in a user or password is written %25',
  secret: true,
  parse: (text) => {
    if (text.startsWith('/')) return /^\/[^/?][^?]*$/.test(text) ? text : undefined;
    if (text.length <= maxUrlLength && namesSeveralHosts(text)) return text;
    const url = parseUrl(text, ['redis:', 'rediss:']);
    if (url === undefined || url.hostname === '' || !isDecodable(url)) return undefined;
    return /^(\/\d{0,5})?$/.test(url.pathname) ? text : undefined;
  },
};

export const smtpUrl: SettingRule<string> = {
  rule: 'be an smtp:// or smtps:// URL with a host',
  secret: true,
  parse: (text) => {
    const url = parseUrl(text, ['smtp:', 'smtps:']);
    return url !== undefined && url.hostname !== '' ? text : undefined;
  },
};

export function databaseUrl(dataDir: string): SettingRule<DatabaseSetting> {
  return {
    rule: 'be sqlite:<file>, postgres://user@host/database (several hosts with commas, ?pool_mode=transaction behind a transaction pooler, ?pool_size=<2 to 100> connections per process), or none; a % in a user, password or database is written %25',
    secret: true,
    parse: (text) => {
      if (text === 'none') return { kind: 'none' };
      if (text.startsWith('sqlite:')) return parseSqlite(text.slice('sqlite:'.length), dataDir);
      const urls = hostUrlsOf(text);
      const isValid = urls.length <= postgresHostsMax && urls.every((url) => isPostgresUrl(url, urls.length));
      return isValid ? { kind: 'postgres', url: text } : undefined;
    },
  };
}

function isPostgresUrl(text: string, hostCount: number): boolean {
  const url = parseUrl(text, ['postgres:', 'postgresql:']);
  if (url === undefined || (hostCount > 1 && url.hostname === '')) return false;
  return url.pathname.length > 1 && isDecodable(url) && readPoolParameters(url) !== null;
}

export function defaultSqliteFile(dataDir: string): string {
  return resolve(dataDir, 'hub.sqlite');
}

function parseSqlite(rest: string, dataDir: string): DatabaseSetting | undefined {
  const path = rest.replace(/^\/\/(?=\/|$)/, '');
  if (path === '') return { kind: 'sqlite', file: defaultSqliteFile(dataDir) };
  // Several processes share the file, so an in-memory database would not work. Two slashes would name a host.
  if (path.startsWith(':') || path.startsWith('//') || path.includes('?')) return undefined;
  return { kind: 'sqlite', file: resolve(path) };
}

function parseUrl(text: string, protocols: readonly string[]): URL | undefined {
  if (text.length > maxUrlLength || /\s/.test(text)) return undefined;
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && text.startsWith(`${url.protocol}//`)
    ? url
    : undefined;
}

/** The drivers of the stores decode these parts, and throw for a % that encodes nothing. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** A key that clients send in a header, so it is printable ASCII without spaces. */
export const headerKey: SettingRule<string> = {
  rule: `be 1 to ${maxKeyLength} printable ASCII characters without spaces`,
  secret: true,
  parse: (text) => (/^[\x21-\x7e]+$/.test(text) && text.length <= maxKeyLength ? text : undefined),
};

/** A key that the operator chooses. It has a minimum length because strangers may try to guess it. */
export const guessableKey: SettingRule<string> = {
  rule: `be ${minGuessableKeyLength} to ${maxKeyLength} printable ASCII characters without spaces`,
  secret: true,
  parse: (text) => (text.length >= minGuessableKeyLength ? headerKey.parse(text) : undefined),
};

/** Standard Webhooks, "Signature scheme": the prefix, then the key in base64. */
export const webhookSecret: SettingRule<string> = {
  rule: `be whsec_ followed by the base64 of ${webhookSecretBytes.min} to ${webhookSecretBytes.max} bytes`,
  secret: true,
  parse: (text) => {
    const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
    if (encoded === undefined) return undefined;
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.toString('base64').replace(/(?<!=)=+$/, '') !== encoded.replace(/(?<!=)=+$/, ''))
      return undefined;
    const fits = bytes.length >= webhookSecretBytes.min && bytes.length <= webhookSecretBytes.max;
    return fits ? text : undefined;
  },
};
