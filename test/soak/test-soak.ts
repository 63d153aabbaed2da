/**
 * The soak at the length that the environment asks for, some seconds when it does not: `npm run soak` takes an hour. What
 * is asked for follows from the seed, which a failure names; how it falls together is the machine's doing.
 */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from '#db/database.ts';
import { verdictTable } from './judge/judge-soak.ts';
import { runSoak } from './run-soak.ts';

const briefMs = 6_000;
const minutes = process.env['SOAK_MINUTES'];
const lastsMs = minutes === undefined ? briefMs : Number(minutes) * 60_000;
/** A test shares its machine with others. */
const briefRate = 20;
const longRate = 40;
const rate = Number(process.env['SOAK_RATE'] ?? (minutes === undefined ? briefRate : longRate));
const wantedStore = process.env['SOAK_STORE'] ?? 'both';
/** To start, to do what is under way, to come to rest, and to look for everything. */
const besidesMaxMs = 600_000;

export function testSoak(dialect: Dialect): void {
  if (!Number.isFinite(lastsMs) || lastsMs <= 0)
    throw new Error('SOAK_MINUTES is a number of minutes above 0.');
  if (!Number.isFinite(rate) || rate <= 0)
    throw new Error('SOAK_RATE is a number of requests a second above 0.');
  if (!['sqlite', 'postgres', 'both'].includes(wantedStore))
    throw new Error('SOAK_STORE is sqlite, postgres or both.');
  test.skipIf(wantedStore !== 'both' && wantedStore !== dialect)(
    `on ${dialect}, a hub under a mixed load grows in nothing it should not, comes to rest, and passes its audit`,
    async () => {
      const seed = process.env['SOAK_SEED'] ?? randomBytes(16).toString('hex');
      const file = process.env['SOAK_FILE'] ?? join(tmpdir(), `soak-${dialect}-${seed.slice(0, 6)}.jsonl`);
      console.log(
        `soak on ${dialect}: SOAK_SEED=${seed}, ${lastsMs / 60_000} minutes at ${rate} a second, samples in ${file}`,
      );
      const onProgress = (line: string): void => console.log(`${dialect} ${line}`);
      const verdicts = await runSoak({ dialect, seed, lastsMs, rate, file, onProgress });
      console.log(`\nsoak on ${dialect}:\n${verdictTable(verdicts)}`);
      expect(verdicts.flatMap(({ name, holds }) => (holds === false ? name : []))).toEqual([]);
    },
    lastsMs + besidesMaxMs,
  );
}
