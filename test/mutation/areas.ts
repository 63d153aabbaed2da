/** What `npm run mutate` puts faults into, area by area, and the tests that have to see them. */

/** Tests that are run over a mutant together; the next stage is for those that this one does not see. */
export interface Stage {
  readonly tests: readonly string[];
  /** The tests of one store, and those that need none, or all of them. */
  readonly stores: 'sqlite' | 'both';
  /** By the clock, and generous: what goes on for ever is told by its processor time, and ended sooner. */
  readonly timeoutMs: number;
}

export interface Area {
  readonly name: string;
  /** Patterns of the files that hold the rules. */
  readonly subjects: readonly string[];
  /** The quickest first. */
  readonly stages: readonly Stage[];
}

/** The folders and files that the tests need, of which each place works on a copy. */
export const copied: readonly string[] = [
  'actors',
  'api',
  'cli',
  'db',
  'domain',
  'runtime',
  'workers',
  'test',
  // The guide's table of bounds is held to the code.
  'docs',
  'bunfig.toml',
  'package.json',
  'tsconfig.json',
];

const minuteMs = 60_000;

export const areas: readonly Area[] = [
  {
    name: 'graders',
    subjects: [
      'domain/eval-suite/graders/*.ts',
      'domain/eval-suite/categories/{instructions,structured}/graders/*.ts',
      'domain/eval-suite/categories/*/{answer-*,no-control-codes}.ts',
      'domain/eval-suite/grade-reply.ts',
    ],
    stages: [
      {
        tests: ['test/domain/eval-suite/graders', 'test/domain/eval-suite/grade-reply.test.ts'],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
    ],
  },
  {
    name: 'ledger',
    subjects: ['domain/tokens/*.ts'],
    stages: [
      {
        tests: [
          'test/domain/tokens/ledger.test.ts',
          'test/domain/tokens/grant-tokens.test.ts',
          'test/domain/tokens/list-entries.test.ts',
          'test/domain/tokens/read-balances.test.ts',
          'test/domain/tokens/check-ledgers.test.ts',
          'test/domain/tokens/open-ledger.test.ts',
          'test/domain/tokens/settle-expiries.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      // Two grants under one reference can only meet where writers do not wait for each other.
      {
        tests: ['test/domain/tokens/grant-tokens.test.ts', 'test/domain/tokens/open-ledger.test.ts'],
        stores: 'both',
        timeoutMs: 2 * minuteMs,
      },
    ],
  },
  {
    name: 'sign-up',
    subjects: [
      'domain/agents/{agent-limits,check-site,create-challenge,find-agent,find-signed-challenge,handle-errors}.ts',
      'domain/agents/{prune-challenges,register-agent,start-login,verify-challenge}.ts',
      'domain/agents/keys/*.ts',
      'domain/agents/bearer-tokens/*.ts',
    ],
    stages: [
      {
        tests: [
          'test/domain/agents/register-agent.test.ts',
          'test/domain/agents/verify-challenge.test.ts',
          'test/domain/agents/start-login.test.ts',
          'test/domain/agents/bearer-tokens.test.ts',
          'test/domain/agents/bounds.test.ts',
          'test/domain/agents/update-profile.test.ts',
          'test/domain/agents/keys/base64.test.ts',
          'test/domain/agents/keys/challenge.test.ts',
          'test/domain/agents/keys/did-key.test.ts',
          'test/domain/agents/keys/public-key.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      {
        tests: [
          'test/domain/agents/keys/bearer-token.test.ts',
          'test/domain/agents/keys/signature.test.ts',
          'test/domain/agents/keys/signature-edge-cases.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      { tests: ['test/domain/agents/sign-up-races.test.ts'], stores: 'both', timeoutMs: 2 * minuteMs },
    ],
  },
  {
    name: 'addresses',
    subjects: [
      'runtime/guarded-http/{address-policy,target-url,resolve-target,pinned-agent,guarded-request}.ts',
    ],
    stages: [
      {
        tests: [
          'test/runtime/guarded-http/address-policy.test.ts',
          'test/runtime/guarded-http/carried-ipv4.test.ts',
          'test/runtime/guarded-http/target-url.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      {
        tests: [
          'test/runtime/guarded-http/pinned-agent.test.ts',
          'test/runtime/guarded-http/resolution.test.ts',
          'test/runtime/guarded-http/forbidden-targets.test.ts',
          'test/runtime/guarded-http/guarded-request.test.ts',
          'test/runtime/guarded-http/tls.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      {
        tests: ['test/runtime/guarded-http/kept-connections.test.ts'],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
    ],
  },
  {
    name: 'seats',
    subjects: [
      'domain/events/{check-event,event-limits,event-refusals,handle-seat-commands,mail-hosts}.ts',
      'domain/events/{load-event-state,save-event-state,event-state,claim-events,seat-commands}.ts',
      'domain/events/commands/*.ts',
    ],
    stages: [
      {
        tests: [
          'test/domain/events/seats.test.ts',
          'test/domain/events/event-changes.test.ts',
          'test/domain/events/waitlist.test.ts',
          'test/domain/events/meetings.test.ts',
          'test/domain/events/redelivery.test.ts',
          'test/domain/events/seat-commands.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      {
        tests: ['test/domain/events/batches.test.ts', 'test/domain/events/statements.test.ts'],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
    ],
  },
  {
    name: 'seat-actor',
    subjects: [
      'actors/{activation,actor-client,actor-worker,committer,limits}.ts',
      'actors/{mailbox,replies,seat-actor,wakes}.ts',
    ],
    stages: [
      {
        tests: [
          'test/actors/limits.test.ts',
          'test/actors/replies.test.ts',
          'test/actors/mailbox.test.ts',
          'test/actors/activation.test.ts',
          'test/actors/seat-actor.test.ts',
          'test/actors/actor-client.test.ts',
          'test/actors/actor-worker.test.ts',
          'test/actors/committer.test.ts',
          'test/actors/command-traces.test.ts',
        ],
        stores: 'sqlite',
        timeoutMs: 2 * minuteMs,
      },
      { tests: ['test/actors/actors.test.ts'], stores: 'sqlite', timeoutMs: 2 * minuteMs },
      { tests: ['test/api/events/seats.test.ts'], stores: 'sqlite', timeoutMs: 2 * minuteMs },
    ],
  },
];
