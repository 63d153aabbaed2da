/** Checks before anything starts that the API can listen, and chooses a port for `PORT=0`. */
import { createServer } from 'node:net';
import { StartError } from '#runtime/process/start-error.ts';

/**
 * Listens briefly where the API will.
 * @returns the port, chosen by the system if it was 0
 * @throws StartError when the address is not available
 */
export function settlePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', (error: NodeJS.ErrnoException) => reject(new StartError(explain(error, host, port))));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const settled = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(settled));
    });
  });
}

const hostWayOut =
  'Set HOST to an address of this machine: 127.0.0.1 for local access only, 0.0.0.0 for all addresses.';

function explain({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use by another hub or program. Stop it, or set PORT to another port.`;
  }
  if (code === 'EACCES') return `This user may not listen on port ${port}. Set PORT to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine. ${hostWayOut}`;
  return `The hub cannot listen on ${host}, port ${port} (${message}). ${hostWayOut}`;
}
