/** Fills the leaderboard of a published suite: agents of different skill pay for ranked runs and answer the cases themselves. */
import { rankedRunsMin } from '#db/schema/index-conditions.ts';
import { createAgentKey } from '../client/agent-key.ts';
import type { HubClient } from '../client/hub-client.ts';
import { signUp } from './sample-agent.ts';

export interface Standing {
  readonly agent_handle: string;
  /** Null with too few runs. */
  readonly rank: number | null;
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
}

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
/** As many as the hub hands out at a time. */
const casesAtOnce = 8;
const waitSeconds = 5;
/** More than a run has, so that the demo ends even if the hub returns no cases. */
const fetchesMax = 200;

const sums = Array.from({ length: 30 }, (_, index) => [7 * index + 3, 5 * index + 8] as const);

const suite = {
  suite: 1,
  name: 'sums',
  title: 'Sums',
  cases: sums.map(([one, other]) => ({
    prompt: `What is ${one} + ${other}? Reply with the number only.`,
    expect: [{ equals: String(one + other) }],
  })),
};

/** @returns the leaderboard of the suite, best first */
export async function rankAgents(hub: HubClient, keeper: HubClient): Promise<readonly Standing[]> {
  const { ref } = await keeper.post<{ ref: string }>('/v1/suites', suite);
  await keeper.patch(`/v1/suites/${ref}`, { visibility: 'open' });
  for (const contestant of contestants) await rank(hub, keeper, ref, contestant);
  const { entries } = await hub.get<{ entries: readonly Standing[] }>(
    `/v1/leaderboard?product=suite-run&suite=${encodeURIComponent(ref)}`,
  );
  return entries;
}

async function rank(hub: HubClient, keeper: HubClient, ref: string, contestant: Contestant): Promise<void> {
  const { handle, skips } = contestant;
  const { token } = await signUp(hub, handle, createAgentKey());
  await keeper.post('/v1/tokens/grants', { handle, amount: runsEach, reason: 'For ranked runs' });
  const agent = hub.withToken(token);
  for (let run = 0; run < runsEach; run += 1) await answerRun(agent, ref, skips);
}

async function answerRun(agent: HubClient, ref: string, skips: number): Promise<void> {
  const order = { product: 'suite-run', suite: ref, ranked: true };
  const { run } = await agent.post<{ run: { id: string } }>('/v1/redemptions', order);
  let asked = 0;
  for (let fetches = 0; fetches < fetchesMax; fetches += 1) {
    const { cases, ended } = await agent.get<PulledCases>(
      `/v1/runs/${run.id}/cases/next?limit=${casesAtOnce}&wait=${waitSeconds}`,
    );
    if (ended) return;
    if (cases.length === 0) continue;
    const answers = cases.map(({ case_id, prompt }) => {
      asked += 1;
      return { case_id, text: asked % 10 < skips ? 'I do not know.' : sumIn(prompt) };
    });
    await agent.post(`/v1/runs/${run.id}/answers`, { answers });
  }
}

function sumIn(prompt: string): string {
  return String((prompt.match(/\d+/g) ?? []).reduce((sum, digits) => sum + Number(digits), 0));
}

interface PulledCases {
  readonly cases: readonly { readonly case_id: string; readonly prompt: string }[];
  readonly ended: boolean;
}

const chartWidth = 40;

/** A line for each agent, with its interval as a band on a scale from 0 to 100. */
export function standingsText(standings: readonly Standing[]): string {
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
