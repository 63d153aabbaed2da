/** Creates certificates with the `openssl` program: a test authority, and leaf certificates signed by it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export function makeTestAuthority() {
  if (Bun.which('openssl') === null) {
    throw new Error('The TLS tests need the openssl program; on Debian: apt-get install openssl.');
  }
  const authority = inScratchFolder((file) => {
    const out = ['-keyout', file('ca.key'), '-out', file('ca.crt')];
    openssl(['req', '-x509', ...newKey, ...out, '-days', '1', '-subj', '/CN=test authority']);
    return readCertificate(file('ca'));
  });
  let issued = 0;
  return {
    /** The PEM of the authority to trust. */
    cert: authority.cert,
    /** A certificate for these names (`DNS:…` or `IP:…`), valid for a day, or expired. */
    issue: (names: string, validity: 'valid' | 'expired' = 'valid') => {
      issued += 1;
      return issueLeaf(authority, names, issued + 1, validity === 'valid' ? 1 : -1);
    },
  };
}

function issueLeaf(authority: Certificate, names: string, serial: number, days: number): Certificate {
  return inScratchFolder((file) => {
    writeFileSync(file('ca.key'), authority.key);
    writeFileSync(file('ca.crt'), authority.cert);
    writeFileSync(file('leaf.ext'), `subjectAltName=${names}\n`);
    const request = ['-keyout', file('leaf.key'), '-out', file('leaf.csr')];
    openssl(['req', '-new', ...newKey, ...request, '-subj', '/CN=leaf']);
    const signed = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-set_serial', String(serial)];
    const form = ['-extfile', file('leaf.ext'), '-days', String(days), '-out', file('leaf.crt')];
    openssl(['x509', '-req', '-in', file('leaf.csr'), ...signed, ...form]);
    return readCertificate(file('leaf'));
  });
}

function readCertificate(path: string): Certificate {
  return { key: readFileSync(`${path}.key`, 'utf8'), cert: readFileSync(`${path}.crt`, 'utf8') };
}

/** Nothing is left behind, even if the tests of a file are skipped and its hooks with them. */
function inScratchFolder<T>(work: (file: (name: string) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'hub-certificates-'));
  try {
    return work((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openssl(args: string[]): void {
  const run = Bun.spawnSync(['openssl', ...args], { stdout: 'ignore', stderr: 'pipe' });
  if (run.exitCode !== 0) throw new Error(`openssl ${args[0]} failed: ${run.stderr.toString()}`);
}
