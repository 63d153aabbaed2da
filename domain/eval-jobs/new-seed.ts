/** Each eval job runs cases made from a seed of its own, so that no target can have learnt them. */
import { randomBytes } from 'node:crypto';

const seedBytes = 16;

/** 128 random bits as 32 hexadecimal digits. */
export function newSeed(): string {
  return randomBytes(seedBytes).toString('hex');
}
