/** Stands for a client's network where its address must not be kept (decisions.md section 7). */
import { createHmac } from 'node:crypto';
import { networkOf } from './client-address.ts';

/** HMAC-SHA-256 under the hub's secret key: without the key nobody can try all addresses. */
export function hashNetwork(secretKey: string, clientAddress: string): string {
  return createHmac('sha256', secretKey).update(networkOf(clientAddress)).digest('hex');
}
