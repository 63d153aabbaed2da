import type { AgentCtx } from '../../../context.ts';
import { DomainError } from '../../../errors.ts';
import { operation } from '../../../operation.ts';
import { findOwnRun, requireCompleted } from '../../find-run.ts';
import { readResult } from '../../cases/read-results.ts';
import { askedOfCheck } from '../eval-run.ts';

/**
 * Returns the full prompt of a case of the agent's own completed run; several turns as one text.
 *
 * @param named the id of the case
 *
 * @throws DomainError run_not_found, run_not_completed, case_not_found, gone
 */
export async function showCasePrompt(
  ctx: AgentCtx,
  { runId, named }: { readonly runId: string; readonly named: string },
): Promise<string> {
  const run = requireCompleted(await findOwnRun(ctx, { runId, product: 'eval-run' }));
  const marks = (await readResult(ctx, runId))?.marks ?? {};
  const asked = askedOfCheck(run, marks);
  if (asked === null) {
    throw new DomainError('gone', 'The prompts of this run can no longer be regenerated.', {
      hint: 'The score and the findings remain.',
    });
  }
  const found = asked.cases.find(({ id }) => id === named);
  if (found === undefined) {
    throw new DomainError('case_not_found', 'The run has no case with this id.', {
      hint: `Use the \`case_id\` of a case in ${operation('getEvalJob')}.`,
    });
  }
  const { messages = [] } = found;
  if (messages.length === 1) return messages[0]?.content ?? '';
  return messages
    .map(({ role, content }, at) => `[${role} ${at + 1} of ${messages.length}]\n${content}`)
    .join('\n\n');
}
