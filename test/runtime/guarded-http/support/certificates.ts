/** Makes certificates with the `openssl` program: an authority of the test's own, and leaves signed by it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface TestAuthority extends Disposable {
  /** PEM, to be trusted. */
  readonly cert: string;
  /** A certificate for these names (`DNS:…` or `IP:…`), valid for a day, or expired. */
  issue(names: string, validity?: 'valid' | 'expired'): Certificate;
}

export function makeTestAuthority(): TestAuthority {
  if (Bun.which('openssl') === null) {
    throw new Error('The TLS tests need the openssl program; on Debian: apt-get install openssl.');
  }
  const folder = mkdtempSync(join(tmpdir(), 'hub-certificates-'));
  const file = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl([
    'req',
    '-x509',
    ...key,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.crt'),
    '-days',
    '1',
    '-subj',
    '/CN=test authority',
  ]);
  let issued = 0;
  return {
    cert: readFileSync(file('ca.crt'), 'utf8'),
    issue(names, validity = 'valid') {
      issued += 1;
      const leaf = file(`leaf-${issued}`);
      writeFileSync(`${leaf}.ext`, `subjectAltName=${names}\n`);
      openssl(['req', '-new', ...key, '-keyout', `${leaf}.key`, '-out', `${leaf}.csr`, '-subj', '/CN=leaf']);
      const dates = ['-days', validity === 'valid' ? '1' : '-1'];
      const authority = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-set_serial', String(issued + 1)];
      openssl([
        'x509',
        '-req',
        '-in',
        `${leaf}.csr`,
        ...authority,
        '-extfile',
        `${leaf}.ext`,
        ...dates,
        '-out',
        `${leaf}.crt`,
      ]);
      return { key: readFileSync(`${leaf}.key`, 'utf8'), cert: readFileSync(`${leaf}.crt`, 'utf8') };
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openssl(args: string[]): void {
  const run = Bun.spawnSync(['openssl', ...args], { stdout: 'ignore', stderr: 'pipe' });
  if (run.exitCode !== 0) throw new Error(`openssl ${args[0]} failed: ${run.stderr.toString()}`);
}
