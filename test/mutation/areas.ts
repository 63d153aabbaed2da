/** The areas of `npm run mutate`, with the tests that must detect the faults in each. */

import { type Defence, defences } from '#test/api/oauth/defences.ts';

/** Tests that run together. The next stage runs for mutants that survive this one. */
export interface Stage {
  readonly tests: readonly string[];
  /** True also runs the tests on Postgres. */
  readonly postgres: boolean;
}

export interface Area {
  readonly name: string;
  /** Globs of the files to mutate. */
  readonly subjects: readonly string[];
  /** The fastest first. */
  readonly stages: readonly Stage[];
  /** Also tried without each of these. */
  readonly defences?: readonly Defence[];
}

/** Each worker runs on a copy of these. */
export const copied: readonly string[] = [
  'actors',
  'api',
  'cli',
  'client',
  'db',
  'domain',
  'evals',
  'runtime',
  'site',
  'workers',
  'test',
  // A test compares a table in it with the code.
  'docs',
  'bunfig.toml',
  'package.json',
  'tsconfig.json',
];

const onSqlite = (...tests: readonly string[]): Stage => ({ tests, postgres: false });
const onBothStores = (...tests: readonly string[]): Stage => ({ tests, postgres: true });

export const areas: readonly Area[] = [
  {
    name: 'graders',
    subjects: ['evals/suite/reader/*.ts', 'evals/suite/grading/*.ts'],
    stages: [onSqlite('test/evals/suite/reader', 'test/evals/suite/tasks')],
  },
  {
    name: 'ledger',
    subjects: ['domain/tokens/*.ts'],
    stages: [
      onSqlite(
        'test/domain/tokens/ledger.test.ts',
        'test/domain/tokens/grant-tokens.test.ts',
        'test/domain/tokens/list-entries.test.ts',
        'test/domain/tokens/read-balances.test.ts',
        'test/domain/tokens/check-ledgers.test.ts',
        'test/domain/tokens/ledger-store.test.ts',
        'test/domain/tokens/settle-expiries.test.ts',
      ),
      // Two grants with one reference can only race where writers run concurrently.
      onBothStores('test/domain/tokens/grant-tokens.test.ts', 'test/domain/tokens/ledger-store.test.ts'),
    ],
  },
  {
    name: 'sign-up',
    subjects: [
      'domain/agents/{agent-limits,bearer-tokens,challenges,find-agent,find-acting-agents}.ts',
      'domain/agents/{register-agent,start-login,update-profile,verify-challenge}.ts',
      'domain/agents/keys/*.ts',
    ],
    stages: [
      onSqlite(
        'test/domain/agents/register-agent.test.ts',
        'test/domain/agents/verify-challenge.test.ts',
        'test/domain/agents/start-login.test.ts',
        'test/domain/agents/bearer-tokens.test.ts',
        'test/domain/agents/bounds.test.ts',
        'test/domain/agents/update-profile.test.ts',
        'test/domain/agents/keys/challenge.test.ts',
        'test/domain/agents/keys/public-key.test.ts',
      ),
      onSqlite(
        'test/domain/agents/keys/bearer-token.test.ts',
        'test/domain/agents/keys/signature.test.ts',
        'test/domain/agents/keys/signature-edge-cases.test.ts',
      ),
      onBothStores('test/domain/agents/sign-up-races.test.ts'),
    ],
  },
  {
    name: 'addresses',
    subjects: [
      'runtime/guarded-http/{address-policy,target-url,resolve-target,pinned-agent,guarded-request}.ts',
    ],
    stages: [
      onSqlite(
        'test/runtime/guarded-http/address-policy.test.ts',
        'test/runtime/guarded-http/carried-ipv4.test.ts',
        'test/runtime/guarded-http/target-url.test.ts',
      ),
      onSqlite(
        'test/runtime/guarded-http/pinned-agent.test.ts',
        'test/runtime/guarded-http/resolution.test.ts',
        'test/runtime/guarded-http/forbidden-targets.test.ts',
        'test/runtime/guarded-http/guarded-request.test.ts',
        'test/runtime/guarded-http/tls.test.ts',
      ),
      onSqlite('test/runtime/guarded-http/kept-connections.test.ts'),
    ],
  },
  {
    name: 'seats',
    subjects: [
      'domain/events/{check-event,event-limits,event-refusals,handle-seat-commands,mail-hosts}.ts',
      'domain/events/{load-event-state,event-state,seat-commands}.ts',
      'domain/events/commands/*.ts',
    ],
    stages: [
      onSqlite(
        'test/domain/events/seats.test.ts',
        'test/domain/events/event-changes.test.ts',
        'test/domain/events/waitlist.test.ts',
        'test/domain/events/meetings.test.ts',
        'test/domain/events/redelivery.test.ts',
        'test/domain/events/seat-commands.test.ts',
      ),
      onSqlite('test/domain/events/batches.test.ts', 'test/domain/events/statements.test.ts'),
    ],
  },
  {
    name: 'seat-actor',
    subjects: [
      'actors/{activation,actor-client,actor-worker,committer,limits}.ts',
      'actors/{mailbox,messages,seat-actor,wakes}.ts',
    ],
    stages: [
      onSqlite(
        'test/actors/limits.test.ts',
        'test/actors/messages.test.ts',
        'test/actors/mailbox.test.ts',
        'test/actors/activation.test.ts',
        'test/actors/seat-actor.test.ts',
        'test/actors/actor-client.test.ts',
        'test/actors/actor-worker.test.ts',
        'test/actors/committer.test.ts',
        'test/actors/command-traces.test.ts',
      ),
      onSqlite('test/actors/actors.test.ts'),
      onSqlite('test/api/events/seats.test.ts'),
    ],
  },
  {
    name: 'oauth',
    subjects: [],
    defences,
    stages: [onSqlite(...new Set(defences.map(({ test: [file] }) => file)))],
  },
];
