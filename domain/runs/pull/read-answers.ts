/** Reads what an agent submits: what it says next in a case, or why it says nothing. */
import { readTokenUsage, type TokenUsage } from '#evals/token-usage.ts';
import type { Step } from '#evals/worlds/world.ts';
import { DomainError } from '../../errors.ts';
import { readCalls } from '../../targets/tool-calls.ts';
import { storable } from '../run-plan.ts';

interface SubmittedCall {
  readonly id?: unknown;
  readonly name: unknown;
  readonly arguments?: unknown;
}

/** What the agent says next, a text, calls or both; or why it says nothing. */
export interface SubmittedAnswer {
  readonly caseId: string;
  /** Recognises repeated answers. By default, it is the next step. */
  readonly step?: number | undefined;
  readonly text?: string | undefined;
  readonly toolCalls?: readonly SubmittedCall[] | undefined;
  readonly error?: string | undefined;
  /** The tokens that the agent used, as it reports them. */
  readonly usage?: object | undefined;
}

/** The limit for all texts of a submission together, in UTF-8. */
export const answerBytesMax = 256 * 1024;
/** Of the words that say why there is no reply. */
export const errorCharactersMax = 500;
export interface GivenAnswer {
  readonly caseId: string;
  readonly step: number | undefined;
  readonly said: Step | null;
  /** Instead: why nothing is said. */
  readonly error: string | null;
  readonly usage: TokenUsage | null;
  /** Recognises a repetition. */
  readonly mark: string;
}

/** @throws DomainError body_too_large, invalid_body */
export function readAnswers(answers: readonly SubmittedAnswer[]): readonly GivenAnswer[] {
  refuseTooLarge(answers);
  return answers.map(readAnswer);
}

/** An empty text is a reply only if it was sent: nothing else stands for one. */
function readAnswer(answer: SubmittedAnswer, index: number): GivenAnswer {
  const { caseId, step, text, toolCalls = [], error } = answer;
  const hasReply = text !== undefined || toolCalls.length > 0;
  if (hasReply === (error !== undefined)) {
    const fault = hasReply
      ? 'both a reply and an `error`'
      : 'no reply: `text` is missing, and there are no `tool_calls`';
    throw new DomainError('invalid_body', `\`answers[${index}]\` has ${fault}.`, {
      hint: 'Send `text`, which may be empty, for a reply, or `error` if there is none: the case then counts as failed.',
    });
  }
  const usage = readUsage(answer, index);
  const said = error === undefined ? readStep(text, toolCalls, index) : null;
  const mark = `${step ?? ''}:${Bun.hash(JSON.stringify(said ?? error)).toString(36)}`;
  return { caseId, step, said, error: error ?? null, usage, mark };
}

function readStep(text: string | undefined, toolCalls: readonly SubmittedCall[], index: number): Step {
  const given = toolCalls.map(({ id, name, arguments: args }) => ({ id, name, args }));
  const calls = readCalls(given, (text) => text);
  if (calls === null) {
    throw new DomainError('invalid_body', `\`answers[${index}].tool_calls\` has a call without a \`name\`.`, {
      hint: 'Every call is `{name, arguments}`.',
    });
  }
  return {
    text: text === undefined ? null : storable(text),
    calls: calls.map(({ id, tool, args }) => ({ id, name: tool, arguments: args })),
  };
}

/** An answer without a step may repeat one that has it. */
export function isSameMark(stored: string, given: string): boolean {
  const [step, hash] = stored.split(':');
  const [givenStep, givenHash] = given.split(':');
  return hash === givenHash && (givenStep === '' || step === '' || step === givenStep);
}

function readUsage({ usage }: SubmittedAnswer, index: number): TokenUsage | null {
  if (usage === undefined) return null;
  const read = readTokenUsage(usage);
  if (read !== null) return read;
  throw new DomainError(
    'invalid_body',
    `\`answers[${index}].usage\` must have two whole numbers from 0 to 1,000,000,000: \`input_tokens\` and \`output_tokens\`.`,
    {
      hint: "`prompt_tokens` and `completion_tokens` of OpenAI's APIs are read too. Leave `usage` out if you do not know it.",
    },
  );
}

function refuseTooLarge(answers: readonly SubmittedAnswer[]): void {
  const bytes = answers.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
  if (bytes <= answerBytesMax) return;
  throw new DomainError('body_too_large', `The texts have ${bytes} bytes. The limit is ${answerBytesMax}.`, {
    hint: 'Submit fewer or shorter answers at a time.',
  });
}
