/**
 * Configures Redis as on a shared network: TLS with a certificate of a private authority, and users with limited
 * rights.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestAuthority } from './certificates.ts';

export type RedisGuard = ReturnType<typeof guardRedis>;

/** With characters that have a meaning in a URL or in Redis. */
const hubUser = 'hub@one';
const hubPassword = 'p@ss:w/rd?#%41 &+';
const adminUser = 'harness';
const adminPassword = 'harness-password';

export function guardRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-redis-guard-'));
  const authority = makeTestAuthority();
  const { key, cert } = authority.issue('IP:127.0.0.1,DNS:localhost');
  const files = { ca: authority.cert, key, cert };
  const pathOf = (name: keyof typeof files): string => join(folder, `${name}.pem`);
  for (const name of ['ca', 'key', 'cert'] as const) writeFileSync(pathOf(name), files[name]);
  return {
    /** For `NODE_EXTRA_CA_CERTS`. */
    authorityFile: pathOf('ca'),
    /** Of the hub, encoded for a URL. */
    credentials: { user: encodeURIComponent(hubUser), password: encodeURIComponent(hubPassword) },
    /** With which the harness connects. */
    admin: { username: adminUser, password: adminPassword, tls: { ca: authority.cert } },
    /** Configuration lines for a server or a Sentinel. */
    linesOf: (port: number) => [
      'port 0',
      `tls-port ${port}`,
      `tls-ca-cert-file ${pathOf('ca')}`,
      `tls-key-file ${pathOf('key')}`,
      `tls-cert-file ${pathOf('cert')}`,
      'tls-auth-clients no',
      'tls-replication yes',
      'user default off',
      `user ${adminUser} on ">${adminPassword}" ~* &* +@all`,
      `user ${hubUser} on ">${hubPassword}" ~hub:* &hub:* +@all`,
    ],
    /** Lines for a replica. */
    replication: [`masteruser ${adminUser}`, `masterauth "${adminPassword}"`],
    /** Lines for a Sentinel that watches the master of this name. */
    watching: (name: string) => [
      `sentinel auth-user ${name} ${adminUser}`,
      `sentinel auth-pass ${name} ${adminPassword}`,
      `sentinel sentinel-user ${adminUser}`,
      `sentinel sentinel-pass ${adminPassword}`,
    ],
    /** The parameters of a URL with which the hub asks Sentinels. */
    sentinelAccount: new URLSearchParams({ sentinel_user: hubUser, sentinel_password: hubPassword }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The part of a URL before the hosts. */
export function userIn(guard: RedisGuard | undefined): string {
  return guard === undefined ? '' : `${guard.credentials.user}:${guard.credentials.password}@`;
}
