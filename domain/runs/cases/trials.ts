/** The trials of cases, as runs of every product with cases store them. */
import type { Observation } from '#evals/findings/observation.ts';
import type { CaseGrade } from '#evals/own-suite/grade-reply.ts';
import type { Reply } from '#evals/own-suite/document.ts';
import type { Ungraded } from '#evals/own-suite/graders/grader.ts';
import type { RunnerVerdict } from '#evals/own-suite/shown-run.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { storable } from '#evals/safe-text.ts';
import { jsonIn } from '#runtime/json-in.ts';
import { hasReply, judgedReplyCharacters, notJudged, storedReplyCharacters } from '#evals/stored-item.ts';
import { addTokenUsage, type UsageOfReplies } from '#evals/token-usage.ts';
import type { Redact } from '../../targets/redact-secrets.ts';
import type { AskedItem, PlannedTrial, Unanswered } from '../run-plan.ts';

type GradedReply = Pick<Reply, 'text' | 'tool_calls' | 'turns'>;

/** Of what a grader expected or found. */
const storedTextMax = 2_000;
const tooLongToJudge = `Judges read ${judgedReplyCharacters} characters of each text and of the arguments of each call, and the reply has more.`;
const notQuoted = 'The reply repeats a secret header of its target, so it is not quoted.';

/** @param charactersMax of the reply that are stored */
export function gradedTrial(
  { item, call, redact = (text) => text }: AskedItem,
  reply: GradedReply,
  grade: CaseGrade,
  charactersMax: number = storedReplyCharacters,
): StoredTrial {
  const hasSecret = redact(reply.text) !== reply.text;
  const wasCut = call.cut === undefined ? '' : ` (the reply was cut off: finish_reason "${call.cut}")`;
  const quoted = (given: string, passed: boolean | null) =>
    `${hasSecret ? notQuoted : shortText(redact, given)}${passed === false ? wasCut : ''}`;
  const isUngraded = 'ungraded' in grade;
  const waiting = isUngraded ? undefined : grade.waiting;
  const isOpen = waiting?.isOpen === true;
  const kept =
    waiting === undefined
      ? keptOf(redact, reply, { text: charactersMax, call: storedTextMax })
      : keptOf(redact, reply, { text: judgedReplyCharacters, call: judgedReplyCharacters });
  // What is left out could decide, so no judge is asked.
  const tries = kept.shortened === true ? (waiting?.shares.map(() => triesMax) ?? []) : null;
  return {
    index: item.index,
    case_id: item.suiteCase.id,
    trial: item.trial,
    status: isUngraded ? 'ungraded' : isOpen ? 'error' : grade.passed ? 'passed' : 'failed',
    score: isUngraded ? 0 : grade.share,
    graders: isUngraded
      ? []
      : grade.graders.map(({ name, passed, expected, found }) => ({
          name,
          passed,
          expected: shortText(redact, expected),
          found: quoted(found, passed),
        })),
    ...kept,
    ...(isUngraded ? whyUngraded(redact, grade) : {}),
    error_code: isOpen ? notJudged : null,
    ...(waiting === undefined ? {} : { judging: { shares: waiting.shares, tries: tries ?? [] } }),
    ...(isOpen && tries !== null ? { error_message: tooLongToJudge } : {}),
    attempts: call.attempts,
    latency_ms: Math.round(call.latencyMs),
    ...(call.usage === null ? {} : { usage: call.usage }),
  };
}

/** What is stored of the texts and calls of a reply. */
function keptOf(
  redact: Redact,
  { text, tool_calls: calls, turns = [] }: GradedReply,
  max: { readonly text: number; readonly call: number },
): Pick<StoredTrial, 'response_text' | 'tool_calls' | 'earlier' | 'shortened'> {
  const keptCalls = storedCalls(redact, calls, max.call);
  let isShortened = keptCalls.some(
    ({ arguments: kept }, at) => typeof kept === 'string' && kept !== calls[at]?.arguments,
  );
  const keptText = (given: string) => {
    const whole = redact(given);
    const kept = storedReply(whole, max.text);
    isShortened ||= kept.length < whole.length;
    return kept;
  };
  const kept = {
    response_text: keptText(text),
    ...(calls.length === 0 ? {} : { tool_calls: keptCalls }),
    ...(turns.length < 2
      ? {}
      : {
          earlier: turns.slice(0, -1).map((own) => ({
            text: keptText(own.text),
            tool_calls: storedCalls(redact, own.tool_calls, max.call),
          })),
        }),
  };
  return isShortened ? { ...kept, shortened: true } : kept;
}

/** A trial without a reply may have none. */
export function addUsage(sum: UsageOfReplies, trial: StoredTrial): UsageOfReplies {
  return addTokenUsage(sum, hasReply(trial) ? (trial.usage ?? null) : trial.usage);
}

type Judged = Pick<StoredTrial, 'judging' | 'review'>;

/** How often a judge may give no verdict about a reply. */
const triesMax = 3;

/** Whether judges of the runner are still to be asked. A case that its other graders have failed stays so. */
export function waitsForJudges(trial: Judged): boolean {
  return (trial.judging?.shares ?? []).some((_, grader) => asksJudgeOf(trial, grader));
}

/** Whether the judge of this grader is to be asked. */
export function asksJudgeOf({ judging, review }: Judged, grader: number): boolean {
  const { shares = [], tries = [] } = judging ?? {};
  return review === undefined && shares[grader] === null && (tries[grader] ?? 0) < triesMax;
}

/** For graders that take little for an honest reply, as the hub's do, and for runs in which no reply may escape. */
export function failedIfUngraded(grade: CaseGrade): Exclude<CaseGrade, Ungraded> {
  if (!('ungraded' in grade)) return grade;
  const grader = {
    name: 'grading',
    passed: false,
    expected: 'a reply that can be graded',
    found: grade.ungraded,
  };
  return { passed: false, share: 0, graders: [grader] };
}

function whyUngraded(
  redact: Redact,
  { ungraded, exhausted }: Ungraded,
): Pick<StoredTrial, 'ungraded' | 'exhausted'> {
  return { ungraded: shortText(redact, ungraded), ...(exhausted === undefined ? {} : { exhausted }) };
}

function shortText(redact: Redact, text: string): string {
  return storable(redact(text).slice(0, storedTextMax));
}

/** Redacts the names and arguments. Arguments that are too long are cut and become a text. */
export function storedCalls(
  redact: Redact,
  calls: GradedReply['tool_calls'],
  charactersMax: number = storedTextMax,
): NonNullable<StoredTrial['tool_calls']> {
  return calls.map(({ name, arguments: given }) => {
    const text = storable(redact(JSON.stringify(given ?? {})));
    return {
      name: shortText(redact, name),
      arguments: text.length > charactersMax ? text.slice(0, charactersMax) : parsedOr(text),
    };
  });
}

/** A secret that spans parts of the JSON leaves a text. */
function parsedOr(text: string): unknown {
  // Postgres stores neither NUL nor lone surrogates; in a text, their escapes are plain characters.
  if (/\\u(?:0000|d[89a-f])/i.test(text)) return text;
  const value = jsonIn(text);
  return value === undefined ? text : value;
}

/** What findings see of a trial. */
export function observe(
  {
    case_id: id,
    status,
    error_code: code,
    error_response: response,
    response_text: reply,
    undone = [],
  }: StoredTrial,
  asked: Pick<Observation, 'part' | 'topic' | 'sent' | 'calls' | 'task'>,
): Observation {
  const isError = status === 'error';
  return {
    id,
    ...asked,
    reply: isError ? null : (reply ?? ''),
    error: isError ? { code: code ?? 'no_reply', status: response?.status ?? null } : null,
    passed: status === 'passed',
    undone,
  };
}

/** Where the trials of a run stand that asks all its cases once, then all again. */
export function roundsOf(
  { cases, trials }: { readonly cases: number; readonly trials: number },
  placeOf: (caseId: string) => number | null,
) {
  const idOf = (caseId: string, trial: number) => (trials === 1 ? caseId : `${caseId}/${trial}`);
  return {
    placeAt: (index: number) => ({ place: index % cases, trial: 1 + Math.floor(index / cases) }),
    idOf: ({ suiteCase, trial }: PlannedTrial) => idOf(suiteCase.id, trial),
    indexOf: (id: string) => {
      const [caseId = '', given = '1'] = id.split('/');
      const [place, trial] = [placeOf(caseId), Number(given)];
      const isTrial = Number.isInteger(trial) && trial >= 1 && trial <= trials;
      return place !== null && isTrial && id === idOf(caseId, trial) ? (trial - 1) * cases + place : null;
    },
    indexesOf: (place: number) => Array.from({ length: trials }, (_, round) => round * cases + place),
  };
}

export function trialInError(
  { index, suiteCase, trial }: PlannedTrial,
  code: string,
  { attempts, usage = null, steps = [] }: Unanswered,
): StoredTrial {
  return {
    index,
    case_id: suiteCase.id,
    trial,
    status: 'error',
    score: 0,
    graders: [],
    response_text: null,
    error_code: code,
    attempts,
    latency_ms: null,
    ...(usage === null ? {} : { usage }),
    ...(steps.length === 0 ? {} : { begun: true }),
  };
}

export function withoutExplanations({ votes, ...verdict }: RunnerVerdict): RunnerVerdict {
  return { ...verdict, votes: votes.map(({ share }) => ({ share, explanation: '' })) };
}

/** The beginning of a reply, as it is stored. Never splits a character. */
export function storedReply(text: string, charactersMax: number = storedReplyCharacters): string {
  // No character takes more than two UTF-16 units.
  return storable(
    Array.from(text.slice(0, 2 * charactersMax))
      .slice(0, charactersMax)
      .join(''),
  );
}
