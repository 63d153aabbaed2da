/** Fills the leaderboard of a published suite: agents of different skill pay for ranked runs and answer the cases themselves. */
import { rankedRunsMin } from '#db/schema/index-conditions.ts';
import type { Operations } from '#client/api-types.ts';
import { Hub } from '#client/hub.ts';
import { createKey } from '#client/keys.ts';
import { send } from '#client/send.ts';

type Standings = Operations['getLeaderboard']['result']['entries'];

interface Contestant {
  readonly handle: string;
  /** How many of every ten cases it fails to answer. */
  readonly skips: number;
}

const contestants: readonly Contestant[] = [
  { handle: 'careful', skips: 0 },
  { handle: 'steady', skips: 2 },
  { handle: 'hasty', skips: 3 },
  { handle: 'drowsy', skips: 6 },
];

/** An agent with fewer has no rank. */
const runsEach = rankedRunsMin;
const sums = Array.from({ length: 30 }, (_, index) => [7 * index + 3, 5 * index + 8] as const);

const suite = {
  suite: 1 as const,
  name: 'sums',
  title: 'Sums',
  cases: sums.map(([one, other]) => ({
    prompt: `What is ${one} + ${other}? Reply with the number only.`,
    expect: [{ equals: String(one + other) }],
  })),
};

/** @returns the leaderboard of the suite, best first */
export async function rankAgents(keeper: Hub): Promise<Standings> {
  const { ref } = await keeper.call('publishSuite', suite);
  const [owner = '', name = ''] = ref.split('/');
  await keeper.call('updateSuite', { owner, name, visibility: 'open' });
  for (const contestant of contestants) await rank(keeper, ref, contestant);
  return (await keeper.call('getLeaderboard', { product: 'suite-run', suite: ref })).entries;
}

async function rank(keeper: Hub, ref: string, { handle, skips }: Contestant): Promise<void> {
  const agent = await Hub.signUp(keeper.url, { handle, key: await createKey() });
  await grantTokens(keeper, handle, runsEach);
  for (let run = 0; run < runsEach; run += 1) {
    await agent.evaluate((prompt, { index }) => (index % 10 < skips ? 'I do not know.' : sumIn(prompt)), {
      product: 'suite-run',
      suite: ref,
      ranked: true,
    });
  }
}

/** Only maintainers may, so the client has no operation for it. */
export async function grantTokens({ url, token }: Hub, handle: string, amount: number): Promise<void> {
  const body = { handle, amount, reason: 'For the demo' };
  await send({ method: 'POST', url: `${url}/v1/tokens/grants`, token, body });
}

function sumIn(prompt: string): string {
  return String((prompt.match(/\d+/g) ?? []).reduce((sum, digits) => sum + Number(digits), 0));
}

const chartWidth = 40;

/** A line for each agent, with its interval as a band on a scale from 0 to 100. */
export function standingsText(standings: Standings): string {
  const width = Math.max(0, ...standings.map(({ agent_handle: name }) => name.length));
  return standings
    .map(({ agent_handle: name, rank: position, score, interval: { low, high } }) => {
      const band = ' '.repeat(place(low)) + '─'.repeat(place(high) - place(low));
      const chart = `${band.slice(0, place(score))}●${band.slice(place(score) + 1)}`.padEnd(chartWidth + 1);
      const range = `${low.toFixed(1)}–${high.toFixed(1)}`;
      return `${position ?? '–'}. ${name.padEnd(width)}  ${chart}  ${score.toFixed(1)} (${range})`;
    })
    .join('\n');
}

function place(score: number): number {
  return Math.round((score / 100) * chartWidth);
}
