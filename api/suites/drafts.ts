/** Conversations as they happened, kept until they are published as cases. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { parseExactJson } from '#evals/own-suite/exact-json.ts';
import { addDraft, deleteDraft, draftsAsYaml, listDrafts, type ShownDraft } from '#domain/suites/drafts.ts';
import { draftsPerSuiteMax } from '#domain/suites/suite-rules.ts';
import { respond, respondPrivately } from '../endpoint.ts';
import { readJson } from '../request/body.ts';
import { createValidator } from '../request/input.ts';
import { named, object } from '../schemas/object.ts';
import { instant, oneOf, uuid } from '../schemas/values.ts';
import { done, edge, fields, input, replies } from '../plugins/edge.ts';
import { suiteKey, suiteKeyOf, suiteName, suiteOwner } from './model.ts';

const bodyMaxBytes = 1024 * 1024;

const verdicts = ['accepted', 'refused'] as const;
const anything = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

const SentDraft = named('SentDraft', {
  verdict: oneOf(verdicts, { description: 'Whether the reply was right.' }),
  request: anything('Of OpenAI chat, OpenAI Responses or Anthropic messages, as it was sent.'),
  response: anything('The response to it, complete.'),
  span: anything(
    'Instead: a span of OpenTelemetry as OTLP JSON, with `gen_ai.input.messages` and `gen_ai.output.messages`.',
  ),
});
const validator = createValidator(SentDraft, 'invalid_body', 'The body');

const Draft = named('SuiteDraft', {
  id: uuid(),
  verdict: oneOf(verdicts),
  case: Type.Record(Type.String(), Type.Unknown(), {
    description: 'As it can be published. `expect` has the proposed grader, and is empty if there is none.',
  }),
  created_at: instant(),
});

const showDraft = ({ id, verdict, createdAt, ...draft }: ShownDraft) => ({
  id,
  verdict,
  case: { ...draft.case },
  created_at: createdAt.toISOString(),
});

export const draftRoutes = new Elysia({ tags: ['suites'] })
  .use(edge)
  .post(
    '/v1/suites/:owner/:name/drafts',
    async ({ ctx, params, request, rawBody }) => {
      const body = readJson(request, rawBody, false, parseExactJson);
      validator.check(body);
      // The validator has just shown that it has this form.
      const { verdict, ...sent } = body as Type.Static<typeof SentDraft>;
      const draft = await addDraft(ctx, { ...suiteKeyOf(params), verdict, sent });
      return respond(201, { draft: showDraft(draft) });
    },
    {
      agent: true,
      params: input(suiteKey),
      bodyFormat: 'document',
      bodyTypes: ['application/json'],
      documentSchema: SentDraft,
      bodyMaxBytes,
      response: replies({
        201: { description: 'The draft is kept.', schema: named('KeptDraft', { draft: Draft }) },
      }),
      errors: ['not_found', 'not_author', 'content_hidden', 'conflict', 'limit_reached'],
      once: 'transaction',
      detail: {
        summary: 'Keep a conversation as the draft of a case',
        description:
          'Your private suite takes at most 200 drafts. What a case cannot have, such as an image or the call of a tool before the last message, is refused.',
      },
    },
  )
  .get(
    '/v1/suites/:owner/:name/drafts',
    async ({ ctx, params, query }) => {
      const drafts = await listDrafts(ctx, suiteKeyOf(params));
      if (query.format === 'yaml')
        return new Response(draftsAsYaml(drafts), {
          headers: { 'content-type': 'application/yaml', 'cache-control': 'no-store' },
        });
      return respondPrivately({ drafts: drafts.map(showDraft) });
    },
    {
      agent: true,
      params: input(suiteKey),
      query: fields({
        format: Type.Optional(
          oneOf(['json', 'yaml'], {
            default: 'json',
            description: '`yaml`: the cases, to paste below `cases:`.',
          }),
        ),
      }),
      response: replies({
        200: {
          description: 'All drafts, oldest first.',
          schema: named('SuiteDraftList', { drafts: Type.Array(Draft, { maxItems: draftsPerSuiteMax }) }),
          otherContentTypes: ['application/yaml'],
        },
      }),
      errors: ['not_found', 'not_author', 'content_hidden'],
      detail: {
        summary: 'List the drafts of your suite, with proposed graders',
        description: 'Publishing a version that has a case with the same messages deletes the draft.',
      },
    },
  )
  .delete(
    '/v1/suites/:owner/:name/drafts/:id',
    async ({ ctx, params }) => {
      await deleteDraft(ctx, { ...suiteKeyOf(params), id: params.id });
      return { ok: true as const };
    },
    {
      agent: true,
      params: input(object({ owner: suiteOwner(), name: suiteName(), id: uuid('The id of the draft.') })),
      response: done('The draft is deleted.'),
      errors: ['not_found', 'not_author', 'content_hidden'],
      detail: { summary: 'Delete a draft of your suite' },
    },
  );
