/** Verdicts that are not the hub's own: of judges that a runner brings, and of the owner who overrules one. */
import type { Wire } from '../wire.ts';
import { JudgedFigures, SuiteRunFigures } from '#evals/own-suite/shown-run.ts';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { recordJudgements } from '#domain/runs/judging/record-judgements.ts';
import { type JudgementTask, nextJudgements } from '#domain/runs/judging/next-judgements.ts';
import { overruleCase, reasonCharactersMax, showAgreement } from '#domain/runs/judging/overrule-case.ts';
import { Agreement } from '#evals/own-suite/agreement.ts';
import { maxTrials, maxVotes } from '#evals/own-suite/limits.ts';
import { roundRate } from '#evals/rates.ts';
import { block, line, named, nullable, object, oneOf, patterned, uuid } from '../schemas.ts';
import { showResult } from '../suites/run-model.ts';
import { edge, fields, input, ok } from '../plugins/edge.ts';

const runKey = object({ id: uuid('The id of one of your completed runs.') });
const tasksMax = 32;
const replyLengthMax = 8_000;
const bodyMaxBytes = 320 * 1024;
const remaining = () => Type.Integer({ minimum: 0, description: 'Replies that wait for judges.' });

const Judgement = named('Judgement', {
  id: Type.String({ description: 'Identifies it when you send the verdict.' }),
  case_id: Type.String(),
  trial: Type.Integer({ minimum: 1 }),
  judge: Type.String({ description: 'Its name in `judges` of the suite.' }),
  votes: Type.Integer({ minimum: 1, description: 'How often to ask.' }),
  kind: oneOf(['rubric', 'command']),
  messages: Type.Optional(
    Type.Array(object({ role: oneOf(['system', 'user', 'assistant']), content: Type.String() }), {
      description: 'For a model, to send as they are.',
    }),
  ),
  command: Type.Optional(
    Type.String({
      description: 'A program beside the suite. Run it only if you trust its source.',
    }),
  ),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'What it reads on stdin, as JSON.' }),
  ),
});

function showTask({ caseId, ask, ...task }: JudgementTask) {
  const { id, trial, judge, votes } = task;
  const named = { id, case_id: caseId, trial, judge, votes, kind: ask.kind };
  switch (ask.kind) {
    case 'rubric':
      return { ...named, messages: ask.messages };
    case 'command':
      return { ...named, command: ask.command, input: { ...ask.input } };
  }
}

const round = (share: number) => roundRate(share, 3, 1);

function showAgreed({ rate, kappa, ...counts }: Wire<typeof Agreement>) {
  return {
    ...counts,
    rate: rate === null ? null : { value: round(rate.value), low: round(rate.low), high: round(rate.high) },
    kappa: kappa === null ? null : Math.round(1_000 * kappa) / 1_000,
  };
}

export const judgementRoutes = new Elysia({ tags: ['redemptions'] })
  .use(edge)
  .get(
    '/v1/runs/:id/judgements',
    async ({ ctx, params, query }) => {
      const next = await nextJudgements(ctx, { runId: params.id, limit: query.limit ?? 8 });
      return { judgements: next.tasks.map(showTask), remaining: next.remaining, prompt_version: next.prompt };
    },
    {
      agent: true,
      params: input(runKey),
      query: fields({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: tasksMax, default: 8 })) }),
      response: ok(
        'What to ask the judges.',
        named('NextJudgements', {
          judgements: Type.Array(Judgement),
          remaining: remaining(),
          prompt_version: Type.Integer({ minimum: 1 }),
        }),
      ),
      errors: ['run_not_found', 'run_not_completed', 'gone'],
      detail: {
        summary: 'Get what the judges of a run are to be asked',
        description:
          'A suite with `judges` leaves these verdicts to its runner. Ask each model or program `votes` times, and send its replies. A further request returns what has no verdict yet.',
      },
    },
  )
  .post(
    '/v1/runs/:id/judgements',
    async ({ ctx, params, body }) => {
      const {
        judged,
        unread,
        remaining: left,
      } = await recordJudgements(ctx, {
        runId: params.id,
        model: body.model ?? null,
        isProgram: body.program,
        judgements: body.judgements,
      });
      return { judged, unread, remaining: left };
    },
    {
      agent: true,
      params: input(runKey),
      body: input(
        named('JudgementsRequest', {
          model: Type.Optional(
            line({ max: 200, description: 'The model that you asked.', example: 'gpt-5' }),
          ),
          program: Type.Optional(
            Type.Boolean({
              default: false,
              description:
                'For a rubric: whether a program replied in place of a model. It is asked again when the run is regraded.',
            }),
          ),
          judgements: Type.Array(
            object({
              id: patterned('^\\d{1,5}\\.\\d{1,2}$', 'be the `id` of a judgement'),
              replies: Type.Optional(
                Type.Array(Type.String({ maxLength: replyLengthMax }), {
                  minItems: 1,
                  maxItems: maxVotes,
                  description: 'The replies of the judge, unchanged, one for each vote.',
                }),
              ),
              error: Type.Optional(
                line({ max: 500, description: 'Why the judge gave no reply, instead of `replies`.' }),
              ),
            }),
            { minItems: 1, maxItems: tasksMax },
          ),
        }),
      ),
      bodyMaxBytes,
      response: ok(
        'The verdicts are stored.',
        named('JudgementsAccepted', {
          judged: Type.Integer({ minimum: 0, description: 'New verdicts; an earlier one stays.' }),
          unread: Type.Array(object({ id: Type.String(), why: Type.String() }), {
            description: 'Those without a verdict. They are asked for again, up to three times.',
          }),
          remaining: remaining(),
        }),
      ),
      errors: ['run_not_found', 'run_not_completed', 'gone', 'case_not_found'],
      once: 'transaction',
      detail: {
        summary: 'Send what the judges of a run said',
        description:
          'The hub reads the verdicts and computes the result again. They are marked as judged by the runner, with the model, and such a run is never ranked.',
      },
    },
  )
  .post(
    '/v1/runs/:id/cases/:case_id/overrule',
    async ({ ctx, params, body }) => {
      const { trial, result } = await overruleCase(ctx, {
        runId: params.id,
        caseId: params.case_id,
        trial: body.trial ?? 1,
        passed: body.passed,
        reason: body.reason,
      });
      return { status: trial.status, was: trial.review?.was ?? trial.status, result: showResult(result) };
    },
    {
      agent: true,
      params: fields({
        id: uuid('The id of one of your completed runs.'),
        case_id: patterned('^[A-Za-z0-9._-]{1,64}$', 'be the id of a case'),
      }),
      body: input(
        named('OverruleRequest', {
          passed: Type.Boolean({ description: 'What the verdict should be. The current one confirms it.' }),
          reason: block({ max: reasonCharactersMax, example: 'The refund is promised for Friday.' }),
          trial: Type.Optional(Type.Integer({ minimum: 1, maximum: maxTrials, default: 1 })),
        }),
      ),
      response: ok(
        'The verdict, and the new result of the run.',
        named('CaseOverruled', {
          status: oneOf(['passed', 'failed', 'error', 'ungraded']),
          was: oneOf(['passed', 'failed', 'error', 'ungraded']),
          result: SuiteRunFigures,
        }),
      ),
      errors: ['run_not_found', 'run_not_completed', 'gone', 'case_not_found', 'conflict'],
      once: 'transaction',
      detail: {
        summary: 'Overrule or confirm a verdict of your own run',
        description:
          'Your verdict and its reason are kept beside the original, and shown in reports, exports and pages. Repeating a decision changes nothing.',
      },
    },
  )
  .get(
    '/v1/runs/:id/agreement',
    async ({ ctx, params }) => {
      const { judges, rules, votes } = await showAgreement(ctx, { runId: params.id });
      return {
        judges: showAgreed(judges),
        rules: showAgreed(rules),
        votes,
      };
    },
    {
      agent: true,
      params: input(runKey),
      response: ok(
        'How far they agree.',
        named('RunAgreement', {
          judges: Agreement,
          rules: Agreement,
          votes: nullable(JudgedFigures),
        }),
      ),
      errors: ['run_not_found', 'run_not_completed'],
      detail: {
        summary: 'Compare the verdicts of a run with what you decided',
        description:
          'For the verdicts of judges, and for those of rules only. Review a random sample: agreement says little if you only looked at failures.',
      },
    },
  );
