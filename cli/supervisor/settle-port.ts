/** Finds out before anything is started whether the API will be able to listen, and settles which port `PORT=0` means. */
import { createServer } from 'node:net';
import { StartError } from '#runtime/process/start-error.ts';

/**
 * Listens for a moment where the API will.
 * @returns the port, chosen by the system if 0 was asked for
 * @throws StartError when the address cannot be had
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
  'Set HOST to one that it has: 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses.';

function explain({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use: another hub or program listens there. Stop it, or set PORT to another port.`;
  }
  if (code === 'EACCES') return `This user may not listen on port ${port}. Set PORT to 1024 or more.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine. ${hostWayOut}`;
  return `The hub cannot listen on ${host}, port ${port} (${message}). ${hostWayOut}`;
}
