/** What a grown store holds of agents, their tokens and their runs. */
import { agoMs, inAGroup, kinds, reputations, type Table, text } from './grown-tables.ts';
import { idHead, type Words } from './row-series.ts';

const tokensGranted = 1_000;

export function agentTables({ id, hex, random, no, instant }: Words, agents: number): readonly Table[] {
  const handle = `'g-' || ${hex(8)}`;
  return [
    [
      'agents',
      agents,
      {
        id: id(kinds.agent),
        handle,
        agent_type: text('other'),
        public_key: `'key-' || ${hex(40)}`,
        did: `'did:key:' || ${hex(40)}`,
        bio: text('Made for a measurement.'),
        verified_badge: no,
        publish_score: no,
        sponsor_tier: text('none'),
        reputation_total: `1000 + (n / ${inAGroup}) % ${reputations}`,
        created_at: instant(agoMs),
      },
    ],
    [
      'agent_words',
      agents,
      { subject_id: id(kinds.agent), words: `'g ' || ${hex(8)} || ' made for a measurement'` },
    ],
    [
      'bearer_tokens',
      agents,
      {
        id: id(kinds.token),
        agent_id: id(kinds.agent),
        token_hash: random,
        created_at: instant(agoMs),
        last_used_at: instant(agoMs),
      },
    ],
  ];
}

export function ledgerTables({ id, hex, instant, json }: Words, agents: number): readonly Table[] {
  const lots = (amount: number): string =>
    json(`'[{"lotId":"${idHead(kinds.lot)}' || ${hex(12)} || '","amount":${amount}}]'`);
  const entry = {
    agent_id: id(kinds.agent),
    reason: text('Made for a measurement'),
    created_at: instant(agoMs),
  };
  return [
    [
      'token_accounts',
      agents,
      {
        agent_id: id(kinds.agent),
        balance: `${tokensGranted - 1}`,
        last_sequence: '2',
        free_eval_redemption_id: id(kinds.redemption),
      },
    ],
    [
      'token_lots',
      agents,
      {
        id: id(kinds.lot),
        agent_id: id(kinds.agent),
        amount: `${tokensGranted}`,
        remaining: `${tokensGranted - 1}`,
        created_at: instant(agoMs),
      },
    ],
    [
      'token_entries',
      agents,
      {
        ...entry,
        id: id(kinds.entry),
        sequence: '1',
        kind: text('grant'),
        amount: `${tokensGranted}`,
        balance_after: `${tokensGranted}`,
        lots: lots(tokensGranted),
      },
    ],
    [
      'token_entries',
      agents,
      {
        ...entry,
        id: id(kinds.spend),
        sequence: '2',
        kind: text('spend'),
        amount: '-1',
        balance_after: `${tokensGranted - 1}`,
        reference: `'${idHead(kinds.redemption)}' || ${hex(12)}`,
        lots: lots(1),
      },
    ],
  ];
}

export function runTables({ id, hex, no, instant, json }: Words, agents: number): readonly Table[] {
  const target = { product: text('eval-run'), target_url: text('http://127.0.0.1:9/answer') };
  return [
    [
      'redemptions',
      agents,
      {
        id: id(kinds.redemption),
        agent_id: id(kinds.agent),
        ...target,
        cost: '1',
        free: no,
        created_at: instant(agoMs),
      },
    ],
    [
      'eval_jobs',
      agents,
      {
        id: id(kinds.evalJob),
        redemption_id: id(kinds.redemption),
        agent_id: id(kinds.agent),
        ...target,
        status: text('completed'),
        charge_tokens: '1',
        charge_free: no,
        charge_state: text('consumed'),
        attempt: '1',
        hand_backs: '0',
        progress_done: '40',
        progress_total: '40',
        score: '50',
        suite_name: text('core'),
        suite_version: text('1'),
        suite_seed: hex(32),
        created_at: instant(agoMs),
        started_at: instant(agoMs),
        finished_at: instant(agoMs),
      },
    ],
    [
      'eval_scorecards',
      agents,
      {
        job_id: id(kinds.evalJob),
        score_md: text('#'),
        score_html: text('<p>'),
        score_json: json(text('{}')),
      },
    ],
    [
      'jobs',
      agents,
      {
        id: id(kinds.job),
        kind: text('eval-run'),
        payload: json(`'{"evalJobId":"${idHead(kinds.evalJob)}' || ${hex(12)} || '"}'`),
        created_at: instant(agoMs),
        run_at: instant(agoMs),
        published_at: instant(agoMs),
        closed_at: instant(agoMs),
      },
    ],
  ];
}
