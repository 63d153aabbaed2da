/**
 * Does what an honest agent does at the place of a hub, again and again, in a process of its own: in the process that
 * attacks, it would also wait for the work of the attackers. Run as a program, it prints the times when its input ends.
 */
import { outputDuring } from './health-times.ts';

const works = {
  check: {
    path: '/v1/suites/check',
    body: {
      suite: 1,
      name: 'honest',
      cases: [{ prompt: '1 + 1?', expect: [{ equals: '2' }], accepted: ['2'] }],
    },
  },
  import: {
    path: '/v1/suites/import?from=promptfoo',
    body: {
      prompts: ['{{a}} + 1?'],
      providers: ['x'],
      tests: [{ vars: { a: '1' }, assert: [{ type: 'equals', value: '2' }] }],
    },
  },
  grading: { path: '/v1/eval-suite/practice', body: { case_id: 'practice-word-1', text: '1' } },
} as const;

export const honestWorks = ['check', 'import', 'grading'] as const satisfies (keyof typeof works)[];

export type HonestTimes = Readonly<Record<keyof typeof works, readonly number[]>> & {
  /** How often the hub asked the agent to come again. That time counts too. */
  readonly refused: number;
};

/**
 * @param pauseMs between two rounds: an agent that sends more than its share waits for the others
 * @param work what goes on meanwhile
 * @returns how long each check, import and grading took until it was done, in milliseconds
 */
export async function timeHonestDuring(
  url: string,
  token: string,
  pauseMs: number,
  work: () => Promise<unknown>,
): Promise<HonestTimes> {
  // The program below prints them.
  return (await outputDuring([import.meta.path, url, token, String(pauseMs)], work)) as HonestTimes;
}

/** How long the agent still waits when the attack is over. */
const patienceMs = 2_000;

async function main(url: string, token: string, pauseMs: number): Promise<void> {
  const times: Record<keyof typeof works, number[]> = { check: [], import: [], grading: [] };
  let refused = 0;
  const over = new AbortController();
  const givenUp = new AbortController();
  const endSoon = (): void => {
    over.abort();
    setTimeout(() => givenUp.abort(), patienceMs);
  };
  void Bun.stdin.text().then(endSoon);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const finish = async ({ path, body }: (typeof works)[keyof typeof works]): Promise<void> => {
    for (;;) {
      const given = { method: 'POST', headers, body: JSON.stringify(body), signal: givenUp.signal };
      const response = await fetch(url + path, given).catch((error: unknown) => {
        if (givenUp.signal.aborted) return null;
        throw error;
      });
      // Its time so far counts.
      if (response === null) return;
      const said = await response.text();
      if (response.status === 200) return;
      if (response.status !== 503) throw new Error(`${path} responded with ${response.status}: ${said}`);
      refused += 1;
      if (over.signal.aborted) return;
      await Bun.sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
    }
  };
  while (!over.signal.aborted) {
    for (const name of honestWorks) {
      if (givenUp.signal.aborted) break;
      const startedAt = performance.now();
      await finish(works[name]);
      times[name].push(performance.now() - startedAt);
    }
    await Bun.sleep(pauseMs);
  }
  console.log(JSON.stringify({ ...times, refused }));
  process.exit();
}

if (import.meta.main) await main(process.argv[2] ?? '', process.argv[3] ?? '', Number(process.argv[4]));
