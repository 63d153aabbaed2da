import { expect, test } from 'bun:test';
import type { ActingAgent } from '#domain/context.ts';
import { claimantOfCaller, createReadTurns } from '#api/access/read-turns.ts';

const claimantOf = (address: string, of: ActingAgent | null) =>
  claimantOfCaller('a secret key of this test', address, of);
const agent = (id: string, network: string) => ({ id, network, handle: id, did: id, verifiedBadge: false });

test('searches are shared between networks: nine keys of one keep nobody of another out', async () => {
  const turns = createReadTurns('searches');
  const hogs = Array.from({ length: 9 }, (_, key) => agent(`hog-${key}`, 'hogs'));
  const outcomes: string[] = [];
  const search = async (hog: (typeof hogs)[number]): Promise<void> => {
    try {
      const end = await turns.take(claimantOf('192.0.2.1', hog));
      await Bun.sleep(5);
      end();
      outcomes.push('hog');
    } catch {
      outcomes.push('refused');
    }
  };
  const searching = hogs.flatMap((hog) => Array.from({ length: 16 }, () => search(hog)));
  const end = await turns.take(claimantOf('198.51.100.1', null));
  end();
  outcomes.push('honest');
  await Promise.all(searching);
  expect(outcomes.slice(0, outcomes.indexOf('honest')).filter((one) => one === 'hog').length).toBeLessThan(9);
  expect(outcomes).toContain('refused');
});
