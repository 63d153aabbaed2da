/** A run that has ended in the form that every export format is written from. Its texts may be hostile. */
import type { Finding } from '../own-suite/shown-run.ts';
import type { CaseMessage, Reply, SuiteCase, SuiteDocument } from '../own-suite/document.ts';
import type { Metrics } from '../own-suite/metrics.ts';
import type { Fraction } from '../rates.ts';
import type { TokenUsage } from '../token-usage.ts';

export interface ExportedRun {
  readonly id: string;
  readonly product: string;
  readonly suite: { readonly name: string; readonly version: string };
  /** Who ran it. */
  readonly agent: string;
  /** As its target is called; null in pull mode. */
  readonly model: string | null;
  /** The base URL of the hub that graded it. */
  readonly hub: string;
  /** Of its page. */
  readonly address: string;
  readonly label: string | null;
  readonly cancelled: boolean;
  /** The run whose replies were graded again; null if they are its own. */
  readonly regradedFrom: string | null;
  /** From 0 to 100, with its 95 % interval. */
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
  /** From 0 to 1, with its 95 % interval. */
  readonly passRate: {
    readonly value: number;
    readonly low: number;
    readonly high: number;
    readonly exact: Fraction;
  };
  /** The share that passed, by tag. `answered`: the cases with an answer to at least one trial. */
  readonly tags: readonly TagShare[];
  /** By name; empty if no grader has one. */
  readonly metrics: Metrics;
  /** Trials that were never answered, because the run ended before. */
  readonly unanswered: number;
  /** What is wrong with the agent; null for suites without rules for it. */
  readonly findings: readonly Finding[] | null;
  /** What the run does not ask, or cannot see, and which verdicts are not of the hub's rules, in sentences. */
  readonly unseen: readonly string[];
  /** The cases that judges of the runner decide, and those with a verdict that its owner overruled. */
  readonly judgedCases: readonly string[];
  readonly overruledCases: readonly string[];
  /** The cases that lost assertions when the suite was imported. */
  readonly partialCases: readonly string[];
  /** How many cases the import of the suite left out. */
  readonly leftOutCases: number;
  /** How often every item was asked. */
  readonly trials: number;
  readonly usage: TokenUsage | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date;
  /** In the order of the run. They are read again for each caller, and never in memory together. */
  items(): AsyncIterable<ExportedItem>;
  /** When each trial ended, by its index. */
  ends(): Promise<ReadonlyMap<number, Date>>;
}

export interface TagShare {
  readonly tag: string;
  readonly value: number;
  readonly cases: number;
  readonly answered: number;
}

/** What is null in it is hidden from the agent, or was not kept. */
export interface ExportedItem {
  readonly id: string;
  readonly title?: string;
  readonly tags: readonly string[];
  /** Assertions that the import of the suite left out. */
  readonly lost?: readonly string[];
  readonly prompt: string | null;
  /** What the agent was sent, the messages of the user that follow a reply included. */
  readonly asked: AskedCase | null;
  /** In their order, at least one. */
  readonly trials: readonly ExportedTrial[];
}

export type AskedCase = Pick<SuiteCase, 'prompt' | 'messages' | 'turns' | 'tools'> &
  Pick<SuiteDocument, 'system'>;

/** What the agent was sent, up to the message to which it gave its last reply. */
export function conversationOf(
  { prompt, messages, turns }: AskedCase,
  earlier: readonly string[],
): readonly CaseMessage[] {
  const said = messages ?? [{ role: 'user', content: prompt ?? turns?.[0] ?? '' } as const];
  const later = earlier.flatMap((reply, at): CaseMessage[] => [
    { role: 'assistant', content: reply },
    { role: 'user', content: turns?.[at + 1] ?? '' },
  ]);
  return [...said, ...later];
}

export interface ExportedTrial {
  /** Among all trials of the run. */
  readonly index: number;
  /** Counted from 1. */
  readonly trial: number;
  /** `ungraded` has a reply and no verdict, and counts as failed. */
  readonly status: 'passed' | 'failed' | 'error' | 'ungraded';
  /** From 0 to 1. */
  readonly share: number;
  readonly expected: string | null;
  readonly found: string | null;
  readonly explanation: string | null;
  readonly reply: string | null;
  /** The replies before it, of a case with turns. */
  readonly earlier: readonly string[];
  /** All tool calls. */
  readonly calls: Reply['tool_calls'];
  readonly error: string | null;
  readonly latencyMs: number | null;
  readonly usage: TokenUsage | null;
  /** Whether a reply, or the arguments of a call, were stored only in part. */
  readonly shortened: boolean;
  /** Which judges of the runner decided, such as `tone (gpt-5)`; null if only rules did. */
  readonly judgedBy: string | null;
  /** What the owner of the run decided, and what the verdict was; null if nobody has. */
  readonly review: string | null;
}

/** JSON that every reader takes: half surrogate pairs, which are no Unicode, become U+FFFD. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? one.toWellFormed() : one));
}
