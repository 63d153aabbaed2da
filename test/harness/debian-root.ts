/** The file systems of containers and machines in tests, and whether this machine can run them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDebianLayer } from '#cli/bootstrap/install-debian-root.mjs';
import { rootPath } from './container-network.ts';
import { runProgram } from './run-program.ts';

/** @returns why this machine cannot run containers; null if it can */
export async function whyNoContainers(): Promise<string | null> {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'containers with the user ids of a deployment need root';
  const namespaces = ['unshare', '--mount', '--net', '--pid', '--fork', '--mount-proc'];
  const links = 'ip link add bridge type bridge && ip link add one type veth peer name two';
  const { exitCode, complaints } = await runProgram(
    [...namespaces, 'sh', '-c', `${links} && mount -t tmpfs none /tmp`],
    { env: { PATH: rootPath } },
  );
  return exitCode === 0 ? null : `this machine allows no namespaces: ${complaints.trim()}`;
}

/** Copies a bare Debian, with a Redis on request, into a new folder. */
export async function copyDebian({ withRedis = false } = {}): Promise<string> {
  const [base, redis] = [findDebianLayer('base'), findDebianLayer('redis')];
  if (base === null || redis === null)
    throw new Error('There are no files of a bare Debian. `npm test` unpacks them where apt is available.');
  const root = await mkdtemp(join(tmpdir(), 'agent-hub-root-'));
  for (const layer of withRedis ? [base, redis] : [base]) {
    // Copies owners, modes and links.
    const copying = Bun.spawn(['cp', '--archive', '--reflink=auto', '--no-target-directory', layer, root]);
    if ((await copying.exited) !== 0) throw new Error(`${layer} could not be copied.`);
  }
  return root;
}
